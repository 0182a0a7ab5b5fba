package dev.slipway.tenants.data;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.tenants.data.RecordOrder.Position;
import dev.slipway.tenants.data.RecordSql.Statement;
import dev.slipway.tenants.metadata.domain.ObjectDefinition;
import dev.slipway.tenants.router.RoutedTenant;
import dev.slipway.tenants.router.TenantRouter;
import dev.slipway.tenants.tenant.domain.Tenant;
import io.vertx.core.Future;
import io.vertx.pgclient.PgException;
import io.vertx.sqlclient.ClosedConnectionException;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/** Reads and writes the records of tenants in their PostgreSQL databases. */
public final class PostgresRecordStore implements RecordStore {
    private static final String UNIQUE_VIOLATION = "23505";
    private static final String FOREIGN_KEY_VIOLATION = "23503";
    private static final String NOT_NULL_VIOLATION = "23502";
    private static final String CHECK_VIOLATION = "23514";
    private static final String DATA_EXCEPTION_CLASS = "22";

    /** The errors of a connection to a tenant that is suspended or destroyed: login disabled, no rights, terminated, no such database. */
    private static final Set<String> ACCESS_DENIED_STATES = Set.of("28000", "42501", "57P01", "3D000", "28P01");

    /** A resumed tenant is active a moment before its database accepts logins again. */
    private static final Problem ACCESS_CHANGING =
            Problem.of(ErrorCode.TENANT_NOT_READY, "Access to the tenant is being restored. Retry shortly.");

    private final TenantRouter router;

    public PostgresRecordStore(TenantRouter router) {
        this.router = router;
    }

    @Override
    public Future<List<ObjectNode>> list(
            Tenant tenant,
            ObjectDefinition object,
            List<RecordCondition> conditions,
            RecordOrder order,
            @Nullable Position after,
            int limit) {
        return run(tenant, RecordSql.list(table(tenant, object), object, conditions, order, after, limit));
    }

    @Override
    public Future<@Nullable ObjectNode> find(Tenant tenant, ObjectDefinition object, UUID id) {
        return run(tenant, RecordSql.find(table(tenant, object), object, id)).map(PostgresRecordStore::first);
    }

    @Override
    public Future<@Nullable ObjectNode> insert(
            Tenant tenant, ObjectDefinition object, UUID id, Map<String, @Nullable String> values) {
        return run(tenant, RecordSql.insert(table(tenant, object), object, id, values))
                .map(PostgresRecordStore::first);
    }

    @Override
    public Future<@Nullable ObjectNode> update(
            Tenant tenant, ObjectDefinition object, UUID id, Map<String, @Nullable String> values) {
        return run(tenant, RecordSql.update(table(tenant, object), object, id, values))
                .map(PostgresRecordStore::first);
    }

    @Override
    public Future<@Nullable ObjectNode> delete(Tenant tenant, ObjectDefinition object, UUID id) {
        return run(tenant, RecordSql.delete(table(tenant, object), object, id)).map(PostgresRecordStore::first);
    }

    private Future<List<ObjectNode>> run(Tenant tenant, Statement statement) {
        return router.withClient(tenant, client -> client.preparedQuery(statement.sql())
                        .execute(Tuple.wrap(statement.parameters())))
                .map(rows -> {
                    var records = new ArrayList<ObjectNode>(rows.size());
                    rows.forEach(row -> records.add(Json.parseStoredObject(row.getString("record"))));
                    return (List<ObjectNode>) records;
                })
                .recover(e -> explain(tenant, e));
    }

    private <T> Future<T> explain(Tenant tenant, Throwable failure) {
        if (failure instanceof ClosedConnectionException) {
            return requireStillActive(tenant).compose(active -> Future.failedFuture(failure));
        }
        if (!(failure instanceof PgException rejected)) {
            return Future.failedFuture(failure);
        }
        var state = String.valueOf(rejected.getSqlState());
        if (ACCESS_DENIED_STATES.contains(state)) {
            return requireStillActive(tenant).compose(active -> Future.failedFuture(ACCESS_CHANGING.asException()));
        }
        var problem = explain(state, rejected);
        return Future.failedFuture(problem == null ? failure : problem.asException());
    }

    /** Loads the tenant again. Fails if it has been suspended or destroyed, which also terminates connections. */
    private Future<RoutedTenant> requireStillActive(Tenant tenant) {
        router.invalidateCache(tenant.id());
        return router.find(tenant.id()).map(RoutedTenant::requireActive);
    }

    /** Names constraints and columns, which come from the definition; the values of records stay out of errors. */
    private static @Nullable Problem explain(String state, PgException rejected) {
        return switch (state) {
            case UNIQUE_VIOLATION ->
                Problem.of(
                        ErrorCode.RECORD_CONFLICT,
                        "Another record has the same value of a unique field (" + rejected.getConstraint() + ").");
            case FOREIGN_KEY_VIOLATION ->
                Problem.of(
                        ErrorCode.RECORD_CONFLICT,
                        "A record refers to one that does not exist, or is referred to by another one ("
                                + rejected.getConstraint() + ").");
            case NOT_NULL_VIOLATION ->
                Problem.validationOf(ErrorCode.RECORD_INVALID, "/" + rejected.getColumn(), "is required by the object");
            case CHECK_VIOLATION ->
                Problem.of(ErrorCode.RECORD_INVALID, "A value is not allowed (" + rejected.getConstraint() + ").");
            default ->
                state.startsWith(DATA_EXCEPTION_CLASS)
                        ? Problem.of(ErrorCode.RECORD_INVALID, "A value is out of range or malformed for its field.")
                        : null;
        };
    }

    private static String table(Tenant tenant, ObjectDefinition object) {
        return tenant.names().table(object.name());
    }

    private static @Nullable ObjectNode first(List<ObjectNode> records) {
        return records.isEmpty() ? null : records.get(0);
    }
}
