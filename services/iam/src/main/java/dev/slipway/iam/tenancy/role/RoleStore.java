package dev.slipway.iam.tenancy.role;

import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
import dev.slipway.contract.domain.RegistryLifecycle;
import dev.slipway.iam.tenancy.AuthzPublisher;
import dev.slipway.iam.tenancy.domain.Role;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** All SQL of roles: the built-in roles of every organization, and the roles that organizations define. */
public final class RoleStore {
    private static final String COLUMNS =
            "name, org_id, label, level, actions, owner, removed_at IS NOT NULL AS removed, version";
    private static final String SELECT = "SELECT " + COLUMNS + " FROM roles ";
    private static final String FIND = SELECT + "WHERE name = $1 AND (org_id IS NULL OR org_id = $2)";
    private static final String LIST = SELECT + """
            WHERE (org_id IS NULL OR org_id = $1) AND removed_at IS NULL ORDER BY org_id NULLS FIRST, level, label, name
            """;
    private static final String COUNT = "SELECT count(*) FROM roles WHERE org_id = $1 AND removed_at IS NULL";
    private static final String FIND_BY_LABEL =
            "SELECT FROM roles WHERE org_id = $1 AND label = $2 AND removed_at IS NULL AND name <> $3";
    private static final String INSERT = """
            INSERT INTO roles (name, org_id, label, level, actions, version, created_at, updated_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $7)
            """;
    private static final String UPDATE = """
            UPDATE roles SET label = $3, actions = $4, version = $5, updated_at = $6,
                removed_at = CASE WHEN $7 THEN $6::timestamptz END
            WHERE name = $1 AND org_id = $2
            """;
    private static final String IN_LIFECYCLES =
            "SELECT action FROM actions WHERE action = ANY($1) AND lifecycle = ANY($2) ORDER BY action";
    /** The actions that the contract gives a built-in role, plus the grantable actions that name it as a default role. */
    private static final String UPSERT_BUILT_IN = """
            INSERT INTO roles (name, level, owner, actions, label)
            VALUES ($1, $2, $3, $4::text[] || ARRAY(SELECT action FROM actions WHERE $1 = ANY(default_roles)
                AND lifecycle IN ('active', 'deprecated') AND action <> ALL($4) ORDER BY action), $1)
            ON CONFLICT (name) DO UPDATE SET level = excluded.level, owner = excluded.owner, actions = excluded.actions,
                    label = excluded.label, version = roles.version + 1, updated_at = now()
                WHERE (roles.level, roles.owner, roles.actions, roles.label)
                    IS DISTINCT FROM (excluded.level, excluded.owner, excluded.actions, excluded.label)
            RETURNING\s""" + COLUMNS;

    /** Reads all rows page by page, for republishing. */
    public static final String AFTER = SELECT + "WHERE name > $1 ORDER BY name LIMIT $2";

    private final SqlClient reads;

    public RoleStore(SqlClient reads) {
        this.reads = reads;
    }

    /** Inserts or updates a built-in role, and publishes it if that changed anything. */
    public static Future<Void> upsertBuiltIn(UnitOfWork unit, AuthzPublisher publisher, Role role) {
        var row =
                Tuple.of(role.key(), role.level(), role.owner(), role.actions().toArray(String[]::new));
        return unit.query(UPSERT_BUILT_IN, row).map(changed -> {
            changed.forEach(each -> publisher.publishRole(fromRow(each)));
            return null;
        });
    }

    static void insert(UnitOfWork unit, AuthzPublisher publisher, Role role) {
        unit.write(INSERT, Tuple.from(new Object[] {
            role.key(),
            role.orgId(),
            role.label(),
            role.level(),
            role.actions().toArray(String[]::new),
            role.version(),
            unit.now().atOffset(ZoneOffset.UTC)
        }));
        publisher.publishRole(role);
    }

    static void update(UnitOfWork unit, AuthzPublisher publisher, Role next) {
        unit.write(UPDATE, Tuple.from(new Object[] {
            next.key(),
            next.orgId(),
            next.label(),
            next.actions().toArray(String[]::new),
            next.version(),
            unit.now().atOffset(ZoneOffset.UTC),
            next.removed()
        }));
        publisher.publishRole(next);
    }

    /** Loads a built-in role or a role of the organization, also a deleted one, in the transaction of a change. */
    public static Future<Role> load(UnitOfWork unit, @Nullable UUID orgId, String key) {
        return unit.query(FIND, Tuple.of(key, orgId)).compose(RoleStore::requireOne);
    }

    /** Returns those of the actions that roles can grant: active and deprecated ones. */
    public static Future<List<String>> findGrantable(UnitOfWork unit, Collection<String> actions) {
        return findInLifecycles(unit, actions, RegistryLifecycle.ACTIVE, RegistryLifecycle.DEPRECATED);
    }

    static Future<List<String>> findActive(UnitOfWork unit, Collection<String> actions) {
        return findInLifecycles(unit, actions, RegistryLifecycle.ACTIVE);
    }

    static Future<Boolean> isLabelTaken(UnitOfWork unit, Role role) {
        return unit.query(FIND_BY_LABEL, Tuple.of(role.orgId(), role.label(), role.key()))
                .map(rows -> rows.size() > 0);
    }

    static Future<Long> count(UnitOfWork unit, UUID orgId) {
        return unit.query(COUNT, Tuple.of(orgId))
                .map(rows -> rows.iterator().next().getLong("count"));
    }

    Future<Role> find(UUID orgId, String key) {
        return reads.preparedQuery(FIND).execute(Tuple.of(key, orgId)).compose(RoleStore::requireOne);
    }

    /** Lists the built-in roles and, if an organization is given, its own roles. */
    Future<List<Role>> list(@Nullable UUID orgId) {
        return reads.preparedQuery(LIST).execute(Tuple.of(orgId)).map(rows -> {
            var found = new ArrayList<Role>();
            rows.forEach(row -> found.add(fromRow(row)));
            return found;
        });
    }

    public static Role fromRow(Row row) {
        return new Role(
                row.getString("name"),
                row.getUUID("org_id"),
                row.getString("label"),
                row.getString("level"),
                List.of(row.getArrayOfStrings("actions")),
                row.getBoolean("owner"),
                row.getBoolean("removed"),
                row.getInteger("version"));
    }

    private static Future<List<String>> findInLifecycles(
            UnitOfWork unit, Collection<String> actions, RegistryLifecycle... lifecycles) {
        return unit.query(
                        IN_LIFECYCLES,
                        Tuple.tuple()
                                .addArrayOfString(actions.toArray(String[]::new))
                                .addArrayOfString(Stream.of(lifecycles)
                                        .map(RegistryLifecycle::text)
                                        .toArray(String[]::new)))
                .map(rows -> StreamSupport.stream(rows.spliterator(), false)
                        .map(row -> row.getString("action"))
                        .toList());
    }

    private static Future<Role> requireOne(RowSet<Row> rows) {
        return rows.size() == 0
                ? Future.failedFuture(Problem.of(ErrorCode.NOT_FOUND, "The role was not found in this organization.")
                        .asException())
                : Future.succeededFuture(fromRow(rows.iterator().next()));
    }
}
