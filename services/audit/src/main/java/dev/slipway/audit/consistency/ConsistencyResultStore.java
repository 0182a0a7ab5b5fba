package dev.slipway.audit.consistency;

import dev.slipway.contract.Json;
import dev.slipway.messaging.TableColumns;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.consistency.ConsistencyJson.CheckCompleted;
import dev.slipway.service.consistency.ConsistencyJson.Difference;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;

import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;

/** The newest result of each check, and the history of the results. */
public final class ConsistencyResultStore {
    private static final TableColumns COLUMNS = TableColumns.of(
                    "consistency_results",
                    "service",
                    "name",
                    "description",
                    "started_at",
                    "completed_at",
                    "checked",
                    "differences",
                    "examples")
            .withJson("examples");
    private static final String UPSERT =
            COLUMNS.upsert("service", "name") + "WHERE consistency_results.completed_at < $5";
    /** Results that repeat the one before, or are older than it, are not part of the history. */
    private static final String APPEND = """
            INSERT INTO consistency_history (service, name, completed_at, checked, differences, examples)
            SELECT $1, $2, $3, $4, $5, $6::text::jsonb WHERE NOT EXISTS (
                SELECT FROM consistency_results r WHERE r.service = $1 AND r.name = $2
                    AND (r.completed_at >= $3 OR (r.differences = $5 AND r.examples = $6::text::jsonb)))
            ON CONFLICT DO NOTHING
            """;

    private static final String LIST = COLUMNS.select() + "ORDER BY service, name";

    private final SqlClient reads;

    public ConsistencyResultStore(SqlClient reads) {
        this.reads = reads;
    }

    /** Stores a result, unless a newer one is stored, and appends it to the history if it differs from the one before. */
    void upsert(UnitOfWork unit, CheckCompleted result) {
        unit.write(
                APPEND,
                Tuple.of(
                        result.service(),
                        result.check(),
                        result.completedAt().atOffset(ZoneOffset.UTC),
                        result.checked(),
                        result.differences(),
                        Json.text(result.examples())));
        unit.write(
                UPSERT,
                Tuple.of(
                        result.service(),
                        result.check(),
                        result.description(),
                        result.startedAt().atOffset(ZoneOffset.UTC),
                        result.completedAt().atOffset(ZoneOffset.UTC),
                        result.checked(),
                        result.differences(),
                        Json.text(result.examples())));
    }

    Future<List<CheckCompleted>> list() {
        return reads.query(LIST).execute().map(rows -> {
            var results = new ArrayList<CheckCompleted>(rows.size());
            rows.forEach(row -> results.add(result(row)));
            return results;
        });
    }

    private static CheckCompleted result(Row row) {
        return new CheckCompleted(
                row.getString("service"),
                row.getString("name"),
                row.getString("description"),
                row.getOffsetDateTime("started_at").toInstant(),
                row.getOffsetDateTime("completed_at").toInstant(),
                row.getLong("checked"),
                row.getLong("differences"),
                examples(row.getString("examples")));
    }

    private static List<Difference> examples(String json) {
        return new JsonArray(json)
                .stream()
                        .map(JsonObject.class::cast)
                        .map(each -> new Difference(each.getString("key"), each.getString("difference")))
                        .toList();
    }
}
