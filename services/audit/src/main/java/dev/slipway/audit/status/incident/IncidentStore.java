package dev.slipway.audit.status.incident;

import dev.slipway.audit.status.incident.domain.Alert;
import dev.slipway.audit.status.incident.domain.Incident;
import dev.slipway.audit.status.incident.domain.Incident.Severity;
import dev.slipway.audit.status.incident.domain.Incident.Source;
import dev.slipway.audit.status.incident.domain.Incident.Status;
import dev.slipway.contract.Cursor;
import dev.slipway.contract.Json;
import dev.slipway.contract.domain.TextEnum;
import dev.slipway.messaging.QueryExecutor;
import dev.slipway.messaging.SqlTime;
import dev.slipway.messaging.TableColumns;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.StreamSupport;

/** All SQL of incidents, their updates and alerts. */
public final class IncidentStore {
    private static final int MAX_UPDATES = 100;
    private static final TableColumns COLUMNS = TableColumns.of(
            "incidents",
            "incident_id",
            "title",
            "summary",
            "severity",
            "status",
            "public",
            "components",
            "org_ids",
            "source",
            "group_key",
            "postmortem_url",
            "version",
            "opened_at",
            "acknowledged_at",
            "mitigated_at",
            "resolved_at",
            "updated_at");
    private static final String FIND = COLUMNS.select() + "WHERE incident_id = $1";
    private static final String LOCK = FIND + " FOR UPDATE";
    private static final String LOCK_GROUP = "SELECT pg_advisory_xact_lock(hashtextextended($1, 7340))";
    private static final String LOCK_OF_GROUP =
            COLUMNS.select() + "WHERE md5(group_key) = md5($1) AND group_key = $1 AND status <> 'resolved' FOR UPDATE";
    private static final String LIST = COLUMNS.select() + """
            WHERE ($1::text IS NULL OR status = $1) AND ($2::timestamptz IS NULL OR (opened_at, incident_id) < ($2, $3::uuid))
            ORDER BY opened_at DESC, incident_id DESC LIMIT $4
            """;
    /** The incidents that a reader outside the platform team sees: public ones, and those of its organization. */
    private static final String LIST_VISIBLE = COLUMNS.select() + """
            WHERE (public OR org_ids @> $1::uuid[]) AND (status <> 'resolved' OR opened_at > $2)
            ORDER BY opened_at DESC, incident_id DESC LIMIT $3
            """;

    private static final String LIST_UNRESOLVED =
            COLUMNS.select() + "WHERE status <> 'resolved' ORDER BY opened_at DESC LIMIT 500";
    private static final String INSERT = COLUMNS.insert();
    private static final String UPDATE = COLUMNS.update("incident_id");
    private static final TableColumns UPDATES = TableColumns.of(
            "incident_updates", "update_id", "incident_id", "status", "message", "public", "author", "created_at");
    private static final String INSERT_UPDATE = UPDATES.insert();
    private static final String LIST_UPDATES = "SELECT " + UPDATES.list() + """
             FROM (
                SELECT *, row_number() OVER (PARTITION BY incident_id ORDER BY created_at DESC, update_id DESC) AS n
                FROM incident_updates WHERE incident_id = ANY($1)) AS numbered
            WHERE n <= $2 ORDER BY created_at DESC, update_id DESC
            """;
    private static final TableColumns ALERTS = TableColumns.of(
                    "incident_alerts", "incident_id", "fingerprint", "name", "status", "labels", "starts_at", "ends_at")
            .withJson("labels");
    private static final String UPSERT_ALERT = ALERTS.insert() + """
            ON CONFLICT (incident_id, fingerprint) DO UPDATE SET status = $4, labels = $5::text::jsonb, starts_at = $6, ends_at = $7
            """;
    private static final String LIST_ALERTS =
            ALERTS.select() + "WHERE incident_id = $1 ORDER BY starts_at, fingerprint";

    private final QueryExecutor reads;

    /** An update of an incident. */
    public record IncidentUpdate(
            UUID updateId,
            UUID incidentId,
            Status status,
            String message,
            boolean isPublic,
            String author,
            Instant createdAt) {}

    public IncidentStore(SqlClient reads) {
        this.reads = QueryExecutor.of(reads);
    }

    Future<@Nullable Incident> find(UUID id) {
        return reads.query(FIND, Tuple.of(id)).map(IncidentStore::first);
    }

    Future<@Nullable Incident> lock(UnitOfWork unit, UUID id) {
        return unit.query(LOCK, Tuple.of(id)).map(IncidentStore::first);
    }

    /** Returns the unresolved incident of an alert group. Until the end of the transaction no other one reads or changes it. */
    Future<@Nullable Incident> lockOfGroup(UnitOfWork unit, String groupKey) {
        return unit.query(LOCK_GROUP, Tuple.of(groupKey))
                .compose(locked -> unit.query(LOCK_OF_GROUP, Tuple.of(groupKey)))
                .map(IncidentStore::first);
    }

    Future<List<Incident>> list(@Nullable String status, @Nullable Cursor after, int limit) {
        var parameters = Tuple.of(
                status,
                SqlTime.ofNullable(after == null ? null : after.createdAt()),
                after == null ? null : after.id(),
                limit);
        return reads.query(LIST, parameters).map(rows -> list(rows, IncidentStore::incident));
    }

    /** Lists the incidents that everyone, or the members of the organization, may see. */
    public Future<List<Incident>> listVisible(@Nullable UUID orgId, Instant openedAfter, int limit) {
        // The array of nobody: no incident names this organization.
        var orgs = new UUID[] {orgId == null ? new UUID(0, 0) : orgId};
        return reads.query(LIST_VISIBLE, Tuple.of(orgs, SqlTime.of(openedAfter), limit))
                .map(rows -> list(rows, IncidentStore::incident));
    }

    public Future<List<Incident>> listUnresolved() {
        return reads.query(LIST_UNRESOLVED, Tuple.tuple()).map(rows -> list(rows, IncidentStore::incident));
    }

    void insert(UnitOfWork unit, Incident incident) {
        unit.write(INSERT, toRow(incident));
    }

    void update(UnitOfWork unit, Incident incident) {
        unit.write(UPDATE, toRow(incident));
    }

    private static Tuple toRow(Incident incident) {
        return Tuple.from(new @Nullable Object[] {
            incident.id(),
            incident.title(),
            incident.summary(),
            incident.severity().text(),
            incident.status().text(),
            incident.isPublic(),
            incident.components().toArray(String[]::new),
            incident.orgIds().toArray(UUID[]::new),
            incident.source().text(),
            incident.groupKey(),
            incident.postmortemUrl(),
            incident.version(),
            SqlTime.of(incident.openedAt()),
            SqlTime.ofNullable(incident.acknowledgedAt()),
            SqlTime.ofNullable(incident.mitigatedAt()),
            SqlTime.ofNullable(incident.resolvedAt()),
            SqlTime.of(incident.updatedAt())
        });
    }

    void insertUpdate(UnitOfWork unit, IncidentUpdate update) {
        unit.write(
                INSERT_UPDATE,
                Tuple.of(
                        update.updateId,
                        update.incidentId,
                        update.status.text(),
                        update.message,
                        update.isPublic,
                        update.author,
                        SqlTime.of(update.createdAt)));
    }

    /** Returns the updates by incident, the newest first. */
    public Future<Map<UUID, List<IncidentUpdate>>> listUpdates(List<UUID> incidentIds) {
        return listUpdates(reads, incidentIds);
    }

    Future<Map<UUID, List<IncidentUpdate>>> listUpdates(QueryExecutor executor, List<UUID> incidentIds) {
        return executor.query(LIST_UPDATES, Tuple.of(incidentIds.toArray(UUID[]::new), MAX_UPDATES))
                .map(rows -> {
                    var found = new HashMap<UUID, List<IncidentUpdate>>();
                    for (var update : list(rows, IncidentStore::incidentUpdate)) {
                        found.computeIfAbsent(update.incidentId, id -> new ArrayList<>())
                                .add(update);
                    }
                    return found;
                });
    }

    void upsertAlert(UnitOfWork unit, UUID incidentId, Alert alert) {
        unit.write(
                UPSERT_ALERT,
                Tuple.of(
                        incidentId,
                        alert.fingerprint(),
                        alert.name(),
                        alert.state().text(),
                        Json.text(alert.labels()),
                        SqlTime.of(alert.startsAt()),
                        SqlTime.ofNullable(alert.endsAt())));
    }

    Future<List<Alert>> listAlerts(UUID incidentId) {
        return listAlerts(reads, incidentId);
    }

    Future<List<Alert>> listAlerts(QueryExecutor executor, UUID incidentId) {
        return executor.query(LIST_ALERTS, Tuple.of(incidentId)).map(rows -> list(rows, IncidentStore::alert));
    }

    private static @Nullable Incident first(RowSet<Row> rows) {
        return rows.size() == 0 ? null : incident(rows.iterator().next());
    }

    private static <T> List<T> list(RowSet<Row> rows, Function<Row, T> map) {
        return StreamSupport.stream(rows.spliterator(), false).map(map).toList();
    }

    private static Incident incident(Row row) {
        return new Incident(
                row.getUUID("incident_id"),
                row.getString("title"),
                row.getString("summary"),
                TextEnum.parse(Severity.class, row.getString("severity")),
                TextEnum.parse(Status.class, row.getString("status")),
                row.getBoolean("public"),
                List.of(row.getArrayOfStrings("components")),
                List.of(row.getArrayOfUUIDs("org_ids")),
                TextEnum.parse(Source.class, row.getString("source")),
                row.getString("group_key"),
                row.getString("postmortem_url"),
                row.getLong("version"),
                SqlTime.read(row, "opened_at"),
                SqlTime.readNullable(row, "acknowledged_at"),
                SqlTime.readNullable(row, "mitigated_at"),
                SqlTime.readNullable(row, "resolved_at"),
                SqlTime.read(row, "updated_at"));
    }

    private static IncidentUpdate incidentUpdate(Row row) {
        return new IncidentUpdate(
                row.getUUID("update_id"),
                row.getUUID("incident_id"),
                TextEnum.parse(Status.class, row.getString("status")),
                row.getString("message"),
                row.getBoolean("public"),
                row.getString("author"),
                SqlTime.read(row, "created_at"));
    }

    private static Alert alert(Row row) {
        var labels = new HashMap<String, String>();
        Json.parseStoredObject(row.getString("labels"))
                .properties()
                .forEach(label -> labels.put(label.getKey(), label.getValue().asText()));
        return new Alert(
                row.getString("fingerprint"),
                row.getString("name"),
                row.getString("status").equals("firing"),
                labels,
                SqlTime.read(row, "starts_at"),
                SqlTime.readNullable(row, "ends_at"));
    }
}
