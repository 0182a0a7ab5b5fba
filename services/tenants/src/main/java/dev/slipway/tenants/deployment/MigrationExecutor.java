package dev.slipway.tenants.deployment;

import dev.slipway.contract.Json;
import dev.slipway.tenants.database.RowSecurity;
import dev.slipway.tenants.database.TenantDatabases;
import dev.slipway.tenants.database.TenantProvisioner;
import dev.slipway.tenants.deployment.domain.BundleContent;
import dev.slipway.tenants.deployment.domain.MigrationPlan;
import dev.slipway.tenants.deployment.domain.MigrationStatement;
import dev.slipway.tenants.deployment.domain.SeedStatement;
import dev.slipway.tenants.deployment.domain.TableLayout;
import dev.slipway.tenants.metadata.domain.ObjectDefinition;
import dev.slipway.tenants.tenant.domain.DatabaseNames;
import dev.slipway.tenants.tenant.domain.Tenant;
import io.vertx.core.Future;
import io.vertx.pgclient.PgException;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Runs migrations in the database of a tenant. A table there records which migrations are committed, so that a step that is repeated after a
 * crash has no second effect.
 */
public final class MigrationExecutor {
    private static final String CREATE_RECORD_TABLE =
            "CREATE TABLE IF NOT EXISTS \"%s\" (deployment_id uuid PRIMARY KEY, executed_at timestamptz NOT NULL DEFAULT now())";
    private static final String IS_EXECUTED = "SELECT FROM \"%s\" WHERE deployment_id = $1";
    private static final String RECORD = "INSERT INTO \"%s\" (deployment_id) VALUES ($1)";
    private static final String DELETE_RECORD = "DELETE FROM \"%s\" WHERE deployment_id = $1";
    /** Two workers never migrate one tenant at the same time, even if the first one lost its lease. */
    private static final String LOCK = TenantDatabases.LOCK_TENANT;

    private static final String LONG_TIMEOUT = "SET LOCAL statement_timeout = '10min'";
    private static final String COUNT = "SELECT count(*) AS count FROM %s";

    private static final String QUERY_CANCELED = "57014";

    private final TenantDatabases databases;

    public MigrationExecutor(TenantDatabases databases) {
        this.databases = databases;
    }

    static TableLayout layout(Tenant tenant) {
        return new TableLayout(
                tenant.names().schema(), tenant.names().tablePrefix(), table -> RowSecurity.statements(tenant, table));
    }

    /** Runs the statements of the plan once; returns how many there are. */
    Future<Integer> migrate(Tenant tenant, UUID deploymentId, MigrationPlan plan) {
        var statements = plan.statements();
        if (statements.isEmpty()) {
            return Future.succeededFuture(0);
        }
        return databases
                .inTransaction(tenant, connection -> isExecuted(connection, tenant, deploymentId)
                        .compose(executed -> executed
                                ? Future.succeededFuture()
                                : runTransactional(connection, statements)
                                        .compose(ok -> record(connection, tenant, RECORD, deploymentId))))
                .compose(ok -> buildIndexes(tenant, statements))
                .map(statements.size());
    }

    /** Runs the rollback statements of a plan backwards, if the plan was executed. */
    Future<Void> rollBack(Tenant tenant, UUID deploymentId, MigrationPlan plan) {
        if (plan.statements().isEmpty()) {
            return Future.succeededFuture();
        }
        var backwards = new ArrayList<>(plan.statements());
        Collections.reverse(backwards);
        return databases.inTransaction(tenant, connection -> isExecuted(connection, tenant, deploymentId)
                .compose(executed -> executed
                        ? run(connection, rollbackStatements(backwards))
                                .compose(ok -> record(connection, tenant, DELETE_RECORD, deploymentId))
                        : Future.succeededFuture()));
    }

    /** Inserts or updates the seed records, in order; returns how many. */
    Future<Integer> seed(Tenant tenant, BundleContent content) {
        if (content.seedData().isEmpty() || !tenant.hasTables()) {
            return Future.succeededFuture(0);
        }
        var layout = layout(tenant);
        var objects = content.objects().stream().collect(Collectors.toMap(ObjectDefinition::name, Function.identity()));
        var statements = content.seedData().stream()
                .map(seed ->
                        SeedStatement.of(seed, Objects.requireNonNull(objects.get(seed.object())), layout, Json::text))
                .toList();
        return databases.inTransaction(tenant, connection -> {
            var chain = Future.<Void>succeededFuture();
            for (var statement : statements) {
                chain = chain.compose(ok -> connection
                        .preparedQuery(statement.sql())
                        .execute(Tuple.wrap(new ArrayList<Object>(statement.values())))
                        .mapEmpty());
            }
            return chain.map(statements.size());
        });
    }

    /** Returns the number of records of each object, for estimates. */
    Future<Map<String, Long>> countRecords(Tenant tenant, List<ObjectDefinition> objects) {
        if (objects.isEmpty() || !tenant.hasTables()) {
            return Future.succeededFuture(Map.of());
        }
        var layout = layout(tenant);
        return databases.inTransaction(tenant, connection -> {
            var chain = Future.<Map<String, Long>>succeededFuture(new HashMap<>());
            for (var object : objects) {
                chain = chain.compose(counts -> connection
                        .query(COUNT.formatted(layout.table(object.name())))
                        .execute()
                        .map(rows -> {
                            counts.put(object.name(), rows.iterator().next().getLong("count"));
                            return counts;
                        }));
            }
            return chain;
        });
    }

    private Future<Boolean> isExecuted(SqlConnection connection, Tenant tenant, UUID deploymentId) {
        var table = recordTable(tenant);
        return connection
                .preparedQuery(LOCK)
                .execute(Tuple.of(tenant.id().toString()))
                .compose(ok -> requireExisting(connection, tenant))
                .compose(ok ->
                        connection.query(CREATE_RECORD_TABLE.formatted(table)).execute())
                .compose(ok -> connection
                        .query("REVOKE ALL ON \"" + table + "\" FROM \""
                                + tenant.names().role() + "\"")
                        .execute())
                .compose(ok ->
                        connection.preparedQuery(IS_EXECUTED.formatted(table)).execute(Tuple.of(deploymentId)))
                .map(rows -> rows.size() > 0);
    }

    /** A tenant that was destroyed in the meantime must not get tables again. */
    private static Future<Void> requireExisting(SqlConnection connection, Tenant tenant) {
        return connection
                .preparedQuery("SELECT to_regclass($1) IS NOT NULL AS table_exists")
                .execute(Tuple.of("\"" + tenant.names().table(TenantProvisioner.INFO_TABLE) + "\""))
                .compose(rows -> rows.iterator().next().getBoolean("table_exists")
                        ? Future.succeededFuture()
                        : Future.failedFuture(new IllegalStateException("the tenant has no tables any more")));
    }

    private static Future<Void> record(SqlConnection connection, Tenant tenant, String sql, UUID deploymentId) {
        return connection
                .preparedQuery(sql.formatted(recordTable(tenant)))
                .execute(Tuple.of(deploymentId))
                .mapEmpty();
    }

    private static String recordTable(Tenant tenant) {
        return tenant.names().table(DatabaseNames.PLATFORM_TABLE_PREFIX + "_deployments");
    }

    private static Future<Void> runTransactional(SqlConnection connection, List<MigrationStatement> statements) {
        return run(
                connection,
                statements.stream()
                        .filter(MigrationStatement::transactional)
                        .map(MigrationStatement::sql)
                        .toList());
    }

    private static List<String> rollbackStatements(List<MigrationStatement> backwards) {
        var sql = new ArrayList<String>();
        for (var statement : backwards) {
            if (statement.rollbackSql() != null) {
                sql.add(statement.rollbackSql());
            }
        }
        return sql;
    }

    private static Future<Void> run(SqlConnection connection, List<String> statements) {
        var chain = connection.query(LONG_TIMEOUT).execute();
        for (var statement : statements) {
            chain = chain.compose(ok -> connection.query(statement).execute());
        }
        return chain.mapEmpty();
    }

    /** An interrupted build leaves an invalid index of the same name, so the index is dropped before each attempt. */
    private Future<Void> buildIndexes(Tenant tenant, List<MigrationStatement> statements) {
        var chain = Future.<Void>succeededFuture();
        for (var statement : statements) {
            var drop = statement.rollbackSql();
            if (!statement.transactional() && drop != null) {
                chain = chain.compose(
                        ok -> databases.executeOutsideTransaction(tenant, List.of(drop, statement.sql())));
            }
        }
        return chain;
    }

    /** Returns whether PostgreSQL cancelled the statement because it took too long. */
    static boolean isCancelled(Throwable failure) {
        return failure instanceof PgException rejected && QUERY_CANCELED.equals(rejected.getSqlState());
    }

    /** Says why a step failed, in words for the person who deploys. */
    static String describe(Throwable failure) {
        if (!(failure instanceof PgException rejected)) {
            return "The deployment failed because of an internal error. Deploy again, or contact the platform team.";
        }
        var detail = rejected.getDetail();
        return "PostgreSQL refused a statement: " + rejected.getErrorMessage()
                + (detail == null ? "" : " (" + detail + ")")
                + ". Nothing was changed. Correct the data or the bundle and deploy again.";
    }
}
