package dev.slipway.instances.operation;

import dev.slipway.contract.Cursor;
import dev.slipway.instances.operation.domain.Operation;
import dev.slipway.service.Page;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.UUID;

/** Operations, to be read. */
public final class OperationReadStore {
    private static final String LIST = OperationStore.COLUMNS + """
            WHERE o.app_instance_id = $1 AND o.project_id = $2 AND ($3::text IS NULL OR o.status = $3)
            AND ($4::timestamptz IS NULL OR (o.created_at, o.id) < ($4, $5::uuid))
            ORDER BY o.created_at DESC, o.id DESC LIMIT $6
            """;

    private final SqlClient reads;

    public OperationReadStore(SqlClient reads) {
        this.reads = reads;
    }

    Future<Operation> find(UUID projectId, UUID instanceId, UUID id) {
        return reads.preparedQuery(OperationStore.FIND)
                .execute(Tuple.of(id, instanceId, projectId))
                .compose(rows -> rows.size() == 0
                        ? Future.failedFuture(OperationStore.notFound(id))
                        : Future.succeededFuture(
                                OperationStore.fromRow(rows.iterator().next())));
    }

    Future<Page<Operation>> list(
            UUID projectId, UUID instanceId, @Nullable String status, @Nullable Cursor after, int limit) {
        var parameters = Tuple.of(
                instanceId,
                projectId,
                status,
                after == null ? null : OperationStore.at(after.createdAt()),
                after == null ? null : after.id(),
                limit + 1);
        return reads.preparedQuery(LIST).execute(parameters).map(rows -> {
            var items = new ArrayList<Operation>();
            rows.forEach(row -> items.add(OperationStore.fromRow(row)));
            return Page.of(items, limit, last -> new Cursor(last.createdAt(), last.id()));
        });
    }
}
