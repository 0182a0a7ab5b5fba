package dev.slipway.iam.tenancy.registry;

import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
import dev.slipway.contract.domain.RegistryLifecycle;
import dev.slipway.contract.domain.TextEnum;
import dev.slipway.iam.tenancy.AuthzPublisher;
import dev.slipway.iam.tenancy.domain.Action;
import dev.slipway.messaging.SqlTime;
import dev.slipway.messaging.TableColumns;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** All SQL of the registry of actions. */
public final class ScopeStore {
    private static final TableColumns TABLE = TableColumns.of(
            "actions",
            "action",
            "product",
            "version",
            "risk_class",
            "lifecycle",
            "description",
            "default_roles",
            "updated_at");
    private static final String COLUMNS = TABLE.list();
    private static final String SELECT = TABLE.select();
    private static final String FIND = SELECT + "WHERE action = $1";
    private static final String LIST = SELECT + "WHERE $1::text IS NULL OR product = $1 ORDER BY action";
    private static final String INSERT = TABLE.and("created_at").insert() + "ON CONFLICT DO NOTHING RETURNING action";
    /** Changes by administrators are kept until the contract has a newer version of the action. */
    private static final String UPSERT_BUILT_IN = """
            INSERT INTO actions (action, product, version, risk_class, lifecycle, description) VALUES ($1, $2, $3, $4, $5, $6)
            ON CONFLICT (action) DO UPDATE SET product = $2, version = $3, risk_class = $4, lifecycle = $5, description = $6,
                    updated_at = now()
                WHERE actions.version < $3
            RETURNING\s""" + COLUMNS;

    private static final String SET_LIFECYCLE =
            "UPDATE actions SET lifecycle = $2, version = $3, updated_at = $4 WHERE action = $1";
    private static final String BUILT_IN = "SELECT name FROM roles WHERE name = ANY($1) AND org_id IS NULL";

    /** Reads all rows page by page, for republishing. */
    public static final String AFTER = SELECT + "WHERE action > $1 ORDER BY action LIMIT $2";

    private final SqlClient reads;

    public ScopeStore(SqlClient reads) {
        this.reads = reads;
    }

    /** Inserts an action of the contract or updates it to the contract's version, and publishes it if that changed anything. */
    public static Future<Void> upsertBuiltIn(UnitOfWork unit, AuthzPublisher publisher, Action action) {
        var row = Tuple.of(
                action.key(),
                action.product(),
                action.version(),
                action.riskClass(),
                action.lifecycle().text(),
                action.description());
        return unit.query(UPSERT_BUILT_IN, row).map(changed -> {
            changed.forEach(each -> publisher.publishAction(fromRow(each)));
            return null;
        });
    }

    static Future<Boolean> insert(UnitOfWork unit, AuthzPublisher publisher, Action action) {
        var row = Tuple.from(new Object[] {
            action.key(),
            action.product(),
            action.version(),
            action.riskClass(),
            action.lifecycle().text(),
            action.description(),
            action.defaultRoles().toArray(String[]::new),
            SqlTime.of(action.updatedAt()),
            SqlTime.of(action.updatedAt())
        });
        return unit.query(INSERT, row).map(added -> {
            if (added.size() > 0) {
                publisher.publishAction(action);
            }
            return added.size() > 0;
        });
    }

    static void setLifecycle(UnitOfWork unit, AuthzPublisher publisher, Action next) {
        unit.write(
                SET_LIFECYCLE,
                Tuple.of(next.key(), next.lifecycle().text(), next.version(), SqlTime.of(next.updatedAt())));
        publisher.publishAction(next);
    }

    static Future<Action> load(UnitOfWork unit, String key) {
        return unit.query(FIND, Tuple.of(key)).map(rows -> {
            if (rows.size() == 0) {
                throw Problem.of(ErrorCode.NOT_FOUND, "Scope " + key + " was not found.")
                        .asException();
            }
            return fromRow(rows.iterator().next());
        });
    }

    /** Returns those of the names that are built-in roles. */
    static Future<Set<String>> findBuiltInRoles(UnitOfWork unit, Collection<String> names) {
        return unit.query(BUILT_IN, Tuple.tuple().addArrayOfString(names.toArray(String[]::new)))
                .map(rows -> {
                    var found = new HashSet<String>();
                    rows.forEach(row -> found.add(row.getString("name")));
                    return found;
                });
    }

    Future<List<Action>> list(@Nullable String product) {
        return reads.preparedQuery(LIST).execute(Tuple.of(product)).map(rows -> {
            var found = new ArrayList<Action>();
            rows.forEach(row -> found.add(fromRow(row)));
            return found;
        });
    }

    public static Action fromRow(Row row) {
        return new Action(
                row.getString("action"),
                row.getString("product"),
                row.getInteger("version"),
                row.getString("risk_class"),
                TextEnum.parse(RegistryLifecycle.class, row.getString("lifecycle")),
                row.getString("description"),
                List.of(row.getArrayOfStrings("default_roles")),
                SqlTime.read(row, "updated_at"));
    }
}
