package dev.slipway.iam;

import dev.slipway.contract.Ids;
import dev.slipway.contract.domain.ResourceState;
import dev.slipway.contract.domain.TextEnum;
import dev.slipway.iam.adapter.AdapterPrincipalStore;
import dev.slipway.iam.adapter.domain.Adapter;
import dev.slipway.iam.credential.domain.SecretHash;
import dev.slipway.iam.revision.RevisionStore;
import dev.slipway.iam.revision.domain.Revision;
import dev.slipway.iam.serviceaccount.ServiceAccountStore;
import dev.slipway.iam.serviceaccount.domain.ServiceAccount;
import dev.slipway.iam.signingkey.SigningKeyStore;
import dev.slipway.iam.tenancy.AuthzPublisher;
import dev.slipway.iam.tenancy.binding.RoleBindingStore;
import dev.slipway.iam.tenancy.domain.Action;
import dev.slipway.iam.tenancy.domain.BindingScope;
import dev.slipway.iam.tenancy.domain.Department;
import dev.slipway.iam.tenancy.domain.Organization;
import dev.slipway.iam.tenancy.domain.Project;
import dev.slipway.iam.tenancy.domain.Role;
import dev.slipway.iam.tenancy.domain.RoleBinding;
import dev.slipway.iam.tenancy.domain.RoleBinding.Holder;
import dev.slipway.iam.tenancy.organization.DepartmentStore;
import dev.slipway.iam.tenancy.organization.OrganizationStore;
import dev.slipway.iam.tenancy.project.ProjectStore;
import dev.slipway.iam.tenancy.registry.ScopeStore;
import dev.slipway.iam.tenancy.role.RoleStore;
import dev.slipway.iam.tenancy.user.UserStore;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Tuple;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;

/** Inserts missing entries of the registries and of the seed. Only inserted rows are published, so that a second start changes nothing. */
final class SeedStore {
    /** The credential has the adapter's id. A revoked one stays revoked, regardless of the configuration. */
    private static final String ADAPTER_CREDENTIAL = """
            INSERT INTO credentials (id, owner_kind, owner_id, secret_hash) VALUES ($1, 'adapter', $1, $2)
            ON CONFLICT (id) DO UPDATE SET secret_hash = $2 WHERE credentials.revoked_at IS NULL
            """;

    private static final String ANY_HOLDER =
            "SELECT FROM role_bindings WHERE role = $1 AND level = 'platform' AND removed_at IS NULL LIMIT 1";

    private final UnitOfWork unit;
    private final AuthzPublisher publisher;
    /** The ids of seed users in the database: a user who existed before has another id than in the seed. */
    private final Map<UUID, UUID> users = new HashMap<>();

    private SeedStore(UnitOfWork unit, AuthzPublisher publisher) {
        this.unit = unit;
        this.publisher = publisher;
    }

    static Future<Void> ensure(UnitOfWork unit, List<Action> actions, List<Role> roles, IamSeed seed) {
        return RevisionStore.begin(unit).compose(revision -> new SeedStore(unit, new AuthzPublisher(revision))
                .ensure(actions, roles, seed)
                .compose(ok -> runInOrder(seed.adapters(), adapter -> adapter(unit, revision, adapter)))
                .compose(ok -> runInOrder(
                        seed.issuerKeys(),
                        key -> SigningKeyStore.upsert(
                                unit, revision, key.issuer(), key.kid(), key.publicJwk(), key.expiresAt()))));
    }

    /** Grants the user the role at the platform if no one has it; returns whether it did. */
    static Future<Boolean> ensureAdministrator(UnitOfWork unit, IamSeed.User user, String role) {
        return RevisionStore.begin(unit)
                .compose(revision -> unit.query(ANY_HOLDER, Tuple.of(role)).compose(holders -> {
                    if (holders.size() > 0) {
                        return Future.succeededFuture(false);
                    }
                    var seed = new SeedStore(unit, new AuthzPublisher(revision));
                    var binding = new IamSeed.RoleBinding(Ids.next(), user.id(), role, null, null);
                    return seed.user(user).compose(ok -> seed.binding(binding)).map(true);
                }));
    }

    private Future<Void> ensure(List<Action> actions, List<Role> roles, IamSeed seed) {
        return runInOrder(actions, action -> ScopeStore.upsertBuiltIn(unit, publisher, action))
                .compose(ok -> runInOrder(roles, role -> RoleStore.upsertBuiltIn(unit, publisher, role)))
                .compose(ok -> runInOrder(seed.organizations(), this::organization))
                .compose(ok -> runInOrder(seed.users(), this::user))
                .compose(ok -> runInOrder(seed.projects(), this::project))
                .compose(ok -> runInOrder(seed.serviceAccounts(), this::serviceAccount))
                .compose(ok -> runInOrder(seed.bindings(), this::binding));
    }

    private static Future<Void> adapter(UnitOfWork unit, Revision revision, IamSeed.Adapter a) {
        var made = new Adapter(a.id(), a.runtimeBackend(), a.displayName(), null, unit.now(), null);
        return AdapterPrincipalStore.insertIfMissing(unit, revision, made).map(ok -> {
            unit.write(ADAPTER_CREDENTIAL, Tuple.of(a.id(), Buffer.buffer(SecretHash.of(a.secret()))));
            return null;
        });
    }

    private static <T> Future<Void> runInOrder(List<T> items, Function<T, Future<Void>> ensure) {
        var chain = Future.<Void>succeededFuture();
        for (var item : items) {
            chain = chain.compose(ok -> ensure.apply(item));
        }
        return chain;
    }

    private Future<Void> organization(IamSeed.Organization o) {
        var made = new Organization(
                o.id(), o.slug(), o.displayName(), Organization.DEFAULT_PLAN, false, unit.now(), unit.now());
        return OrganizationStore.insert(unit, publisher, made)
                .compose(added -> added
                        ? DepartmentStore.insert(
                                unit, publisher, Department.createDefault(Ids.next(), o.id(), unit.now()))
                        : Future.succeededFuture(false))
                .mapEmpty();
    }

    private Future<Void> user(IamSeed.User u) {
        return UserStore.findOrCreate(unit, publisher, u.id(), u.issuer(), u.subject(), u.displayName())
                .map(found -> {
                    users.put(u.id(), found.id());
                    return null;
                });
    }

    private Future<Void> project(IamSeed.Project p) {
        return DepartmentStore.load(unit, p.orgId(), null)
                .compose(department -> ProjectStore.insert(
                        unit,
                        publisher,
                        new Project(
                                p.id(),
                                p.orgId(),
                                department.id(),
                                p.slug(),
                                p.displayName(),
                                p.operatorServiceAccountId(),
                                ResourceState.ACTIVE,
                                unit.now(),
                                unit.now())))
                .mapEmpty();
    }

    private Future<Void> serviceAccount(IamSeed.ServiceAccount a) {
        var made = ServiceAccount.create(
                a.id(),
                a.orgId(),
                a.projectId(),
                a.slug(),
                a.displayName(),
                a.issuer(),
                a.subject(),
                a.allowedActions(),
                a.createdByUserId(),
                unit.now());
        return ServiceAccountStore.insert(unit, publisher.revision(), made).mapEmpty();
    }

    private Future<Void> binding(IamSeed.RoleBinding b) {
        var principal = users.getOrDefault(b.principalId(), b.principalId());
        var bindingScope =
                new BindingScope(TextEnum.parse(BindingScope.Level.class, b.level()), b.orgId(), b.projectId());
        return RoleBindingStore.insert(
                unit,
                publisher,
                new RoleBinding(b.id(), Holder.USER, principal, b.role(), bindingScope, null, unit.now(), null));
    }
}
