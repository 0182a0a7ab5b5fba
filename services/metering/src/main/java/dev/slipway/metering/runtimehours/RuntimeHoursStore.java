package dev.slipway.metering.runtimehours;

import dev.slipway.messaging.SqlTime;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.metering.runtimehours.domain.MeterState;
import dev.slipway.metering.runtimehours.domain.MeteredInstanceEvent;
import dev.slipway.metering.runtimehours.domain.RunningTime;
import dev.slipway.metering.runtimehours.domain.RunningTime.Change;
import dev.slipway.metering.runtimehours.domain.RuntimeHours;
import dev.slipway.metering.runtimehours.domain.RuntimeHours.Outage;
import dev.slipway.metering.runtimehours.domain.RuntimeHours.RunningInterval;
import io.vertx.core.Future;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/** All SQL of runtime hours: the running time of shared runtimes, heartbeats and outages of adapters, and the time that facts cover. */
public final class RuntimeHoursStore {
    private static final String UPSERT_RUNTIME = """
            INSERT INTO metered_runtimes (shared_runtime_id, org_id, app_slug, operating_mode, control_plane_scope, runtime_backend, correlation_id)
            VALUES ($1, $2, $3, $4, $5, $6, $7)
            ON CONFLICT (shared_runtime_id) DO UPDATE SET operating_mode = $4, control_plane_scope = $5, runtime_backend = $6,
                correlation_id = coalesce(metered_runtimes.correlation_id, $7)
            WHERE metered_runtimes.runtime_backend IS NULL
            """;
    private static final String UPSERT_ATTACHMENT = """
            INSERT INTO metered_attachments AS a (attachment_id, shared_runtime_id, project_id, sequence, requested_at, detached_at)
            VALUES ($1, $2, $3, $4, $5, $6)
            ON CONFLICT (attachment_id) DO UPDATE SET detached_at = $6 WHERE a.detached_at IS NULL AND $6::timestamptz IS NOT NULL
            """;
    private static final String LOCK_RUNTIME = """
            SELECT m.last_sequence, r.started_at
            FROM metered_runtimes m
            LEFT JOIN runtime_intervals r ON r.shared_runtime_id = m.shared_runtime_id AND r.org_id = m.org_id AND r.ended_at IS NULL
            WHERE m.shared_runtime_id = $1 AND m.org_id = $2
            FOR UPDATE OF m
            """;
    private static final String UPDATE_SEQUENCE =
            "UPDATE metered_runtimes SET last_sequence = $3 WHERE shared_runtime_id = $1 AND org_id = $2";
    private static final String INSERT_INTERVAL =
            "INSERT INTO runtime_intervals (shared_runtime_id, org_id, sequence, started_at) VALUES ($1, $2, $3, $4)";
    private static final String END_INTERVAL =
            "UPDATE runtime_intervals SET ended_at = $3 WHERE shared_runtime_id = $1 AND org_id = $2 AND ended_at IS NULL";

    private static final String LOCK_HEARTBEAT =
            "SELECT last_seen_at FROM adapter_heartbeats WHERE runtime_backend = $1 FOR UPDATE";
    private static final String UPDATE_HEARTBEAT = """
            INSERT INTO adapter_heartbeats AS h (runtime_backend, last_seen_at) VALUES ($1, $2)
            ON CONFLICT (runtime_backend) DO UPDATE SET last_seen_at = greatest(h.last_seen_at, $2)
            """;
    private static final String INSERT_OUTAGE = """
            INSERT INTO adapter_outages (runtime_backend, started_at, ended_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING
            """;

    private static final String DUE = """
            (
                SELECT 'app_instance' AS kind, r.app_instance_id AS subject_id, r.sequence, r.started_at, r.ended_at, r.emitted_until, r.emit_after,
                    m.runtime_backend, coalesce(h.last_seen_at, $1) AS confirmed_until
                FROM running_intervals r JOIN metered_instances m ON m.app_instance_id = r.app_instance_id
                LEFT JOIN adapter_heartbeats h ON h.runtime_backend = m.runtime_backend
                WHERE r.ended_at IS NULL OR r.emitted_until IS NULL OR r.emitted_until <> r.ended_at
                UNION ALL
                SELECT 'shared_runtime', r.shared_runtime_id, r.sequence, r.started_at, r.ended_at, r.emitted_until, r.emit_after,
                    m.runtime_backend, coalesce(h.last_seen_at, $1)
                FROM runtime_intervals r JOIN metered_runtimes m ON m.shared_runtime_id = r.shared_runtime_id
                LEFT JOIN adapter_heartbeats h ON h.runtime_backend = m.runtime_backend
                WHERE r.ended_at IS NULL OR r.emitted_until IS NULL OR r.emitted_until <> r.ended_at
            ) AS pending
            WHERE (ended_at < emitted_until
                OR (coalesce(emitted_until, started_at) < ended_at AND ended_at <= confirmed_until)
                OR (coalesce(emitted_until, started_at) < date_trunc('hour', confirmed_until - interval '2 minutes', 'UTC')
                    AND (ended_at IS NULL OR coalesce(emitted_until, started_at) < ended_at)))
            """;
    private static final String FIND_DUE =
            "SELECT * FROM " + DUE + " AND (emit_after IS NULL OR emit_after <= $1) ORDER BY started_at LIMIT $2";
    /** Also of intervals that were put aside. */
    private static final String FIND_OLDEST =
            "SELECT min(least(coalesce(emitted_until, started_at), ended_at)) AS oldest FROM " + DUE;
    /** One process emits at a time. */
    private static final String TRY_LOCK =
            "SELECT pg_try_advisory_xact_lock(hashtext('metering.emit_runtime_hours')) AS locked";

    private static final String FIND_OUTAGES = """
            SELECT o.runtime_backend, o.started_at, o.ended_at
            FROM unnest($1::text[], $2::timestamptz[], $3::timestamptz[]) AS b (runtime_backend, earliest, latest)
            JOIN adapter_outages o ON o.runtime_backend = b.runtime_backend AND o.ended_at > b.earliest AND o.started_at < b.latest
            ORDER BY o.started_at
            """;
    private static final String UPDATE_INSTANCE_INTERVAL =
            "UPDATE running_intervals SET emitted_until = $3 WHERE app_instance_id = $1 AND sequence = $2";
    private static final String UPDATE_RUNTIME_INTERVAL =
            "UPDATE runtime_intervals SET emitted_until = $3 WHERE shared_runtime_id = $1 AND sequence = $2";
    private static final String PUT_ASIDE_INSTANCE_INTERVAL =
            "UPDATE running_intervals SET emit_after = $3 WHERE app_instance_id = $1 AND sequence = $2";
    private static final String PUT_ASIDE_RUNTIME_INTERVAL =
            "UPDATE runtime_intervals SET emit_after = $3 WHERE shared_runtime_id = $1 AND sequence = $2";

    /** A shared runtime and the attribution of its usage. */
    record MeteredRuntime(
            UUID sharedRuntimeId,
            UUID orgId,
            String appSlug,
            String operatingMode,
            String controlPlaneScope,
            String runtimeBackend) {}

    /** The attachment of an event: the times that it does not tell are null. */
    record MeteredAttachment(
            UUID attachmentId,
            UUID sharedRuntimeId,
            UUID projectId,
            long sequence,
            @Nullable Instant requestedAt,
            @Nullable Instant detachedAt) {}

    /** An interval of which a part can be emitted. */
    record DueInterval(
            boolean isInstance,
            UUID subjectId,
            long sequence,
            RunningInterval interval,
            @Nullable String runtimeBackend,
            Instant confirmedUntil) {}

    void upsertRuntime(UnitOfWork unit, MeteredRuntime runtime, String correlationId) {
        unit.write(
                UPSERT_RUNTIME,
                Tuple.of(
                        runtime.sharedRuntimeId,
                        runtime.orgId,
                        runtime.appSlug,
                        runtime.operatingMode,
                        runtime.controlPlaneScope,
                        runtime.runtimeBackend,
                        correlationId));
    }

    /** Inserts an attachment with the first of its events that arrives, and updates it when it is detached. */
    void upsertAttachment(UnitOfWork unit, MeteredAttachment attachment) {
        unit.write(
                UPSERT_ATTACHMENT,
                Tuple.of(
                        attachment.attachmentId,
                        attachment.sharedRuntimeId,
                        attachment.projectId,
                        attachment.sequence,
                        SqlTime.ofNullable(attachment.requestedAt),
                        SqlTime.ofNullable(attachment.detachedAt)));
    }

    /** Applies an event to a known shared runtime. */
    Future<Void> applyEvent(UnitOfWork unit, MeteredRuntime runtime, MeteredInstanceEvent event) {
        var id = runtime.sharedRuntimeId;
        return unit.query(LOCK_RUNTIME, Tuple.of(id, runtime.orgId)).map(rows -> {
            if (rows.size() == 0) {
                throw new IllegalStateException("shared runtime " + id + " belongs to another organization");
            }
            var row = rows.iterator().next();
            var state = new MeterState(row.getLong("last_sequence"), SqlTime.readNullable(row, "started_at"));
            var change = RunningTime.apply(state, event);
            if (!(change instanceof Change.AlreadyCounted)) {
                unit.write(UPDATE_SEQUENCE, Tuple.of(id, runtime.orgId, event.sequence()));
            }
            if (change instanceof Change.Started started) {
                unit.write(INSERT_INTERVAL, Tuple.of(id, runtime.orgId, event.sequence(), SqlTime.of(started.at())));
            } else if (change instanceof Change.Stopped stopped) {
                unit.write(END_INTERVAL, Tuple.of(id, runtime.orgId, SqlTime.of(stopped.at())));
            }
            return null;
        });
    }

    /** Records a heartbeat, and the outage before it if there was one. */
    Future<Void> recordHeartbeat(UnitOfWork unit, String backend, Instant receivedAt, Instant startedAt) {
        return unit.query(LOCK_HEARTBEAT, Tuple.of(backend)).map(rows -> {
            var lastSeen =
                    rows.size() == 0 ? null : SqlTime.read(rows.iterator().next(), "last_seen_at");
            var outage = RuntimeHours.findOutage(lastSeen, receivedAt, startedAt);
            if (outage != null) {
                unit.write(INSERT_OUTAGE, Tuple.of(backend, SqlTime.of(outage.start()), SqlTime.of(outage.end())));
            }
            unit.write(UPDATE_HEARTBEAT, Tuple.of(backend, SqlTime.of(receivedAt)));
            return null;
        });
    }

    /** Returns intervals of which a part can be emitted, or none if another process is emitting. */
    Future<List<DueInterval>> lockDue(UnitOfWork unit, int limit) {
        return unit.query(TRY_LOCK, Tuple.tuple())
                .compose(locked -> locked.iterator().next().getBoolean("locked")
                        ? findDue(unit, limit)
                        : Future.succeededFuture(List.of()));
    }

    private static Future<List<DueInterval>> findDue(UnitOfWork unit, int limit) {
        return unit.query(FIND_DUE, Tuple.of(SqlTime.of(unit.now()), limit)).map(rows -> {
            var due = new ArrayList<DueInterval>();
            rows.forEach(row -> due.add(new DueInterval(
                    row.getString("kind").equals("app_instance"),
                    row.getUUID("subject_id"),
                    row.getLong("sequence"),
                    new RunningInterval(
                            SqlTime.read(row, "started_at"),
                            SqlTime.readNullable(row, "ended_at"),
                            SqlTime.readNullable(row, "emitted_until")),
                    row.getString("runtime_backend"),
                    SqlTime.read(row, "confirmed_until"))));
            return due;
        });
    }

    /** Returns since when the oldest running time waits to be emitted that can be emitted, or null. */
    Future<@Nullable Instant> findOldestDue(UnitOfWork unit) {
        return unit.query(FIND_OLDEST, Tuple.of(SqlTime.of(unit.now())))
                .map(rows -> SqlTime.readNullable(rows.iterator().next(), "oldest"));
    }

    /** Returns the outages that overlap the intervals, by runtime backend. */
    Future<Map<String, List<Outage>>> findOutages(UnitOfWork unit, Collection<DueInterval> due) {
        var spans = new TreeMap<String, Outage>();
        for (var each : due) {
            if (each.runtimeBackend != null) {
                var end = each.interval.emittedUntil() != null
                                && each.interval.emittedUntil().isAfter(each.confirmedUntil)
                        ? each.interval.emittedUntil()
                        : each.confirmedUntil;
                spans.merge(
                        each.runtimeBackend,
                        new Outage(each.interval.start(), end),
                        (a, b) -> new Outage(
                                a.start().isBefore(b.start()) ? a.start() : b.start(),
                                a.end().isAfter(b.end()) ? a.end() : b.end()));
            }
        }
        var backends = spans.keySet().toArray(String[]::new);
        var earliest =
                spans.values().stream().map(span -> SqlTime.of(span.start())).toArray(OffsetDateTime[]::new);
        var latest = spans.values().stream().map(span -> SqlTime.of(span.end())).toArray(OffsetDateTime[]::new);
        return unit.query(FIND_OUTAGES, Tuple.from(new Object[] {backends, earliest, latest}))
                .map(rows -> {
                    var outages = new HashMap<String, List<Outage>>();
                    rows.forEach(row -> outages.computeIfAbsent(
                                    row.getString("runtime_backend"), backend -> new ArrayList<>())
                            .add(new Outage(SqlTime.read(row, "started_at"), SqlTime.read(row, "ended_at"))));
                    return outages;
                });
    }

    /** Excludes an interval from emission until a time. */
    void putAside(UnitOfWork unit, DueInterval due, Instant until) {
        unit.write(
                due.isInstance ? PUT_ASIDE_INSTANCE_INTERVAL : PUT_ASIDE_RUNTIME_INTERVAL,
                Tuple.of(due.subjectId, due.sequence, SqlTime.of(until)));
    }

    void updateEmitted(UnitOfWork unit, DueInterval due, Instant until) {
        unit.write(
                due.isInstance ? UPDATE_INSTANCE_INTERVAL : UPDATE_RUNTIME_INTERVAL,
                Tuple.of(due.subjectId, due.sequence, SqlTime.of(until)));
    }
}
