package dev.slipway.iam.tenancy;

import dev.slipway.contract.Ids;
import dev.slipway.contract.RoleRegistry.Role;
import dev.slipway.iam.credential.Secrets;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;

import java.time.ZoneOffset;
import java.util.List;
import java.util.UUID;

/** All SQL of tenants, roles and bindings. Every change raises the revision that decisions are taken at. */
public final class TenancyStore {
    private static final String RAISE = "UPDATE authz_revision SET revision = revision + 1 RETURNING revision";
    private static final String REVISION = "SELECT revision FROM authz_revision";
    private static final String ROLE = """
            INSERT INTO roles (name, level, actions) VALUES ($1, $2, $3)
            ON CONFLICT (name) DO UPDATE SET level = $2, actions = $3
                WHERE (roles.level, roles.actions) IS DISTINCT FROM ($2, $3)
            RETURNING name
            """;
    private static final String ORGANIZATION =
            "INSERT INTO organizations (id, slug, display_name) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING RETURNING id";
    private static final String USER =
            "INSERT INTO users (id, issuer, subject, display_name) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING RETURNING id";
    private static final String USER_OF = "SELECT id FROM users WHERE issuer = $1 AND subject = $2";
    private static final String HOLDERS =
            "SELECT id FROM role_bindings WHERE role = $1 AND level = 'platform' AND removed_at IS NULL LIMIT 1";
    private static final String PROJECT = """
            INSERT INTO projects (id, org_id, slug, display_name, operator_service_account_id) VALUES ($1, $2, $3, $4, $5)
            ON CONFLICT DO NOTHING RETURNING id
            """;
    private static final String SERVICE_ACCOUNT = """
            INSERT INTO service_accounts (id, org_id, project_id, slug, display_name, issuer, subject, allowed_actions,
                created_by_user_id)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING RETURNING id
            """;
    private static final String BINDING = """
            INSERT INTO role_bindings (id, principal_id, role, level, org_id, project_id) VALUES ($1, $2, $3, $4, $5, $6)
            ON CONFLICT DO NOTHING RETURNING id
            """;
    private static final String ADAPTER = """
            INSERT INTO adapters (id, runtime_backend, display_name) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING
            """;
    /** Under the adapter's own id; one that was revoked stays so, whatever the configuration says. */
    private static final String ADAPTER_CREDENTIAL = """
            INSERT INTO credentials (id, owner_kind, owner_id, secret_hash) VALUES ($1, 'adapter', $1, $2)
            ON CONFLICT (id) DO UPDATE SET secret_hash = $2 WHERE credentials.revoked_at IS NULL
            """;

    private static final String KEY = """
            INSERT INTO signing_keys (kid, issuer, jwk, expires_at) VALUES ($1, $2, $3::text::jsonb, $4)
            ON CONFLICT DO NOTHING RETURNING kid
            """;

    private final SqlClient reads;

    public TenancyStore(SqlClient reads) {
        this.reads = reads;
    }

    public Future<Long> revision() {
        return reads.query(REVISION)
                .execute()
                .map(rows -> rows.iterator().next().getLong(0));
    }

    /** Adds what is not there; announces only what was added, so that a second start changes nothing. */
    public Future<Void> ensure(UnitOfWork unit, List<Role> roles, IamSeed seed) {
        return raised(unit).compose(records -> {
            var chain = Future.<Void>succeededFuture();
            for (var role : roles) {
                var row = Tuple.of(role.name(), role.level(), role.actions().toArray(String[]::new));
                chain = chain.compose(ok -> add(unit, ROLE, row, () -> records.role(role)));
            }
            for (var o : seed.organizations()) {
                var row = Tuple.of(o.id(), o.slug(), o.displayName());
                chain = chain.compose(ok -> add(unit, ORGANIZATION, row, () -> records.organization(o)));
            }
            for (var u : seed.users()) {
                var row = Tuple.of(u.id(), u.issuer(), u.subject(), u.displayName());
                chain = chain.compose(ok -> add(unit, USER, row, () -> records.user(u)));
            }
            for (var p : seed.projects()) {
                var row = Tuple.of(p.id(), p.orgId(), p.slug(), p.displayName(), p.operatorServiceAccountId());
                chain = chain.compose(ok -> add(unit, PROJECT, row, () -> records.project(p)));
            }
            for (var s : seed.serviceAccounts()) {
                var row = Tuple.from(new Object[] {
                    s.id(),
                    s.orgId(),
                    s.projectId(),
                    s.slug(),
                    s.displayName(),
                    s.issuer(),
                    s.subject(),
                    s.allowedActions().toArray(String[]::new),
                    s.createdByUserId()
                });
                chain = chain.compose(ok -> add(unit, SERVICE_ACCOUNT, row, () -> records.serviceAccount(s)));
            }
            for (var b : seed.bindings()) {
                var row = Tuple.of(b.id(), b.principalId(), b.role(), b.level(), b.orgId(), b.projectId());
                chain = chain.compose(ok -> add(unit, BINDING, row, () -> records.binding(b)));
            }
            for (var key : seed.issuerKeys()) {
                chain = chain.compose(ok -> addKey(unit, key, records));
            }
            chain = chain.compose(ok -> {
                records.complete();
                return Future.succeededFuture();
            });
            for (var a : seed.adapters()) {
                unit.write(ADAPTER, Tuple.of(a.id(), a.runtimeBackend(), a.displayName()));
                unit.write(ADAPTER_CREDENTIAL, Tuple.of(a.id(), Secrets.hash(a.secret())));
            }
            return chain;
        });
    }

    /** Makes a user that a trusted issuer vouches for, unless there is one; answers the id of the one there is. */
    public Future<UUID> ensureUser(UnitOfWork unit, IamSeed.User user) {
        return raised(unit).compose(records -> user(unit, user, records).onSuccess(id -> records.complete()));
    }

    /** Makes the user the first to hold the role at the platform, where nobody holds it; done once, however often it is asked for. */
    public Future<Boolean> ensureAdministrator(UnitOfWork unit, IamSeed.User user, String role) {
        return raised(unit).compose(records -> unit.query(HOLDERS, Tuple.of(role))
                .compose(holders -> holders.size() > 0
                        ? Future.succeededFuture(false)
                        : user(unit, user, records).compose(id -> {
                            var binding = new IamSeed.RoleBinding(Ids.next(), id, role, null, null);
                            var row = Tuple.of(binding.id(), id, role, binding.level(), null, null);
                            return add(unit, BINDING, row, () -> records.binding(binding))
                                    .map(true);
                        }))
                .onSuccess(made -> records.complete()));
    }

    private static Future<UUID> user(UnitOfWork unit, IamSeed.User user, AuthzRecords records) {
        var row = Tuple.of(user.id(), user.issuer(), user.subject(), user.displayName());
        return add(unit, USER, row, () -> records.user(user))
                .compose(ok -> unit.query(USER_OF, Tuple.of(user.issuer(), user.subject())))
                .map(rows -> rows.iterator().next().getUUID(0));
    }

    private static Future<Void> addKey(UnitOfWork unit, IamSeed.IssuerKey key, AuthzRecords records) {
        var row = Tuple.of(
                key.kid(), key.issuer(), key.publicJwk(), key.expiresAt().atOffset(ZoneOffset.UTC));
        return add(unit, KEY, row, () -> records.key(key));
    }

    /** The row lock makes commits, and so the records on the topic, follow each other in the order of their revisions. */
    private static Future<AuthzRecords> raised(UnitOfWork unit) {
        return unit.query(RAISE, Tuple.tuple())
                .map(rows -> new AuthzRecords(unit, rows.iterator().next().getLong(0)));
    }

    private static Future<Void> add(UnitOfWork unit, String sql, Tuple row, Runnable announce) {
        return unit.query(sql, row).map(added -> {
            if (added.size() > 0) {
                announce.run();
            }
            return null;
        });
    }
}
