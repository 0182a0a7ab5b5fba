package dev.slipway.iam.tenancy.seed;

import dev.slipway.contract.Ids;
import dev.slipway.iam.adapter.Adapter;
import dev.slipway.iam.adapter.AdapterStore;
import dev.slipway.iam.credential.Secrets;
import dev.slipway.iam.revision.Revision;
import dev.slipway.iam.revision.RevisionStore;
import dev.slipway.iam.serviceaccount.ServiceAccount;
import dev.slipway.iam.serviceaccount.ServiceAccountStore;
import dev.slipway.iam.signingkey.SigningKeyStore;
import dev.slipway.iam.tenancy.AuthzRecords;
import dev.slipway.iam.tenancy.IamSeed;
import dev.slipway.iam.tenancy.binding.BindingStore;
import dev.slipway.iam.tenancy.domain.Action;
import dev.slipway.iam.tenancy.domain.Department;
import dev.slipway.iam.tenancy.domain.Organization;
import dev.slipway.iam.tenancy.domain.Place;
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
import io.vertx.sqlclient.Tuple;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;

/** Adds what is not there of the registries and the seed; announces only what was added, so that a second start changes nothing. */
public final class SeedStore {
    /** Under the adapter's own id; one that was revoked stays so, whatever the configuration says. */
    private static final String ADAPTER_CREDENTIAL = """
            INSERT INTO credentials (id, owner_kind, owner_id, secret_hash) VALUES ($1, 'adapter', $1, $2)
            ON CONFLICT (id) DO UPDATE SET secret_hash = $2 WHERE credentials.revoked_at IS NULL
            """;

    private static final String HOLDERS =
            "SELECT FROM role_bindings WHERE role = $1 AND level = 'platform' AND removed_at IS NULL LIMIT 1";

    private final UnitOfWork unit;
    private final AuthzRecords records;
    /** A user who was there before the seed named them has another id than it says. */
    private final Map<UUID, UUID> users = new HashMap<>();

    private SeedStore(UnitOfWork unit, AuthzRecords records) {
        this.unit = unit;
        this.records = records;
    }

    public static Future<Void> ensure(UnitOfWork unit, List<Action> actions, List<Role> roles, IamSeed seed) {
        return RevisionStore.raised(unit, revision -> new SeedStore(unit, new AuthzRecords(revision))
                .ensure(actions, roles, seed)
                .compose(ok -> each(seed.adapters(), adapter -> adapter(unit, revision, adapter)))
                .compose(ok -> each(
                        seed.issuerKeys(),
                        key -> SigningKeyStore.publish(
                                unit, revision, key.issuer(), key.kid(), key.publicJwk(), key.expiresAt()))));
    }

    /** Makes the user the first to hold the role at the platform, where nobody holds it; done once, however often it is asked for. */
    public static Future<Boolean> ensureAdministrator(UnitOfWork unit, IamSeed.User user, String role) {
        return AuthzRecords.raised(
                unit, records -> unit.query(HOLDERS, Tuple.of(role)).compose(holders -> {
                    if (holders.size() > 0) {
                        return Future.succeededFuture(false);
                    }
                    var seed = new SeedStore(unit, records);
                    var binding = new IamSeed.RoleBinding(Ids.next(), user.id(), role, null, null);
                    return seed.user(user).compose(ok -> seed.binding(binding)).map(true);
                }));
    }

    private Future<Void> ensure(List<Action> actions, List<Role> roles, IamSeed seed) {
        return each(actions, action -> ScopeStore.seed(unit, records, action))
                .compose(ok -> each(roles, role -> RoleStore.seed(unit, records, role)))
                .compose(ok -> each(seed.organizations(), this::organization))
                .compose(ok -> each(seed.users(), this::user))
                .compose(ok -> each(seed.projects(), this::project))
                .compose(ok -> each(seed.serviceAccounts(), this::serviceAccount))
                .compose(ok -> each(seed.bindings(), this::binding));
    }

    private static Future<Void> adapter(UnitOfWork unit, Revision revision, IamSeed.Adapter a) {
        var made = new Adapter(a.id(), a.runtimeBackend(), a.displayName(), null, unit.now(), null);
        return AdapterStore.ensure(unit, revision, made).map(ok -> {
            unit.write(ADAPTER_CREDENTIAL, Tuple.of(a.id(), Secrets.hash(a.secret())));
            return null;
        });
    }

    private static <T> Future<Void> each(List<T> items, Function<T, Future<Void>> ensure) {
        var chain = Future.<Void>succeededFuture();
        for (var item : items) {
            chain = chain.compose(ok -> ensure.apply(item));
        }
        return chain;
    }

    private Future<Void> organization(IamSeed.Organization o) {
        var made = new Organization(
                o.id(), o.slug(), o.displayName(), Organization.STANDARD_PLAN, false, unit.now(), unit.now());
        return OrganizationStore.add(unit, records, made)
                .compose(added -> added
                        ? DepartmentStore.add(unit, records, Department.byDefault(Ids.next(), o.id(), unit.now()))
                        : Future.succeededFuture(false))
                .mapEmpty();
    }

    private Future<Void> user(IamSeed.User u) {
        return UserStore.ensureUser(unit, records, u.id(), u.issuer(), u.subject(), u.displayName())
                .map(found -> {
                    users.put(u.id(), found.id());
                    return null;
                });
    }

    private Future<Void> project(IamSeed.Project p) {
        return DepartmentStore.load(unit, p.orgId(), null)
                .compose(department -> ProjectStore.add(
                        unit,
                        records,
                        new Project(
                                p.id(),
                                p.orgId(),
                                department.id(),
                                p.slug(),
                                p.displayName(),
                                p.operatorServiceAccountId(),
                                false,
                                unit.now(),
                                unit.now())))
                .mapEmpty();
    }

    private Future<Void> serviceAccount(IamSeed.ServiceAccount a) {
        var made = ServiceAccount.active(
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
        return ServiceAccountStore.add(unit, records.revision(), made).mapEmpty();
    }

    private Future<Void> binding(IamSeed.RoleBinding b) {
        var principal = users.getOrDefault(b.principalId(), b.principalId());
        var place = new Place(Place.Level.of(b.level()), b.orgId(), b.projectId());
        return BindingStore.add(
                unit,
                records,
                new RoleBinding(b.id(), Holder.USER, principal, b.role(), place, null, unit.now(), null));
    }
}
