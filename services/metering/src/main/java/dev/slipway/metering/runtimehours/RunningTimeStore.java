package dev.slipway.metering.runtimehours;

import dev.slipway.contract.Cursor;
import dev.slipway.contract.Json;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.metering.runtimehours.domain.InstanceAttribution;
import dev.slipway.metering.runtimehours.domain.InstanceUsage;
import dev.slipway.metering.runtimehours.domain.MeterState;
import dev.slipway.metering.runtimehours.domain.MeteredInstanceEvent;
import dev.slipway.metering.runtimehours.domain.ReportedQuantity;
import dev.slipway.metering.runtimehours.domain.RunningTime;
import dev.slipway.metering.runtimehours.domain.RunningTime.Change;
import dev.slipway.service.Page;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.IntFunction;

/** Stores the intervals in which instances ran, and computes their usage. */
public final class RunningTimeStore {
    private static final String INSERT_INSTANCES = """
            INSERT INTO metered_instances
                (app_instance_id, org_id, project_id, app_slug, operating_mode, control_plane_scope, runtime_backend,
                 correlation_id, shared_runtime_id, last_sequence)
            SELECT *, 0 FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::uuid[])
            ON CONFLICT (app_instance_id) DO UPDATE SET shared_runtime_id = EXCLUDED.shared_runtime_id
                WHERE metered_instances.shared_runtime_id IS NULL AND metered_instances.project_id = EXCLUDED.project_id
                    AND EXCLUDED.shared_runtime_id IS NOT NULL
            """;
    private static final String LOCK = """
            SELECT m.last_sequence, r.started_at
            FROM metered_instances m
            LEFT JOIN running_intervals r
                ON r.app_instance_id = m.app_instance_id AND r.project_id = m.project_id AND r.ended_at IS NULL
            WHERE m.app_instance_id = $1 AND m.project_id = $2
            FOR UPDATE OF m
            """;
    private static final String UPDATE_SEQUENCE = """
            UPDATE metered_instances SET last_sequence = $3, first_started_at = coalesce(first_started_at, $4)
            WHERE app_instance_id = $1 AND project_id = $2
            """;
    private static final String INSERT_INTERVAL = """
            INSERT INTO running_intervals (app_instance_id, project_id, sequence, started_at) VALUES ($1, $2, $3, $4)
            """;
    private static final String END_INTERVAL = """
            UPDATE running_intervals SET ended_at = $3
            WHERE app_instance_id = $1 AND project_id = $2 AND ended_at IS NULL
            """;
    /**
     * {@code extract} returns a numeric, exact to the microsecond. Running instances count up to $5, or up to 30 seconds after the last
     * heartbeat of the adapters of their backend. Times without an adapter do not count.
     */
    private static final String PAGE = """
            SELECT m.org_id, m.project_id, m.app_instance_id, m.app_slug, m.operating_mode, m.control_plane_scope,
                   m.runtime_backend, m.correlation_id, m.shared_runtime_id, m.first_started_at, total.seconds, total.running,
                   (SELECT jsonb_object_agg(used.unit, used.quantity::text) FROM (
                       SELECT u.unit, sum(u.quantity) AS quantity FROM usage_dimensions d JOIN usage_months u ON u.dimension = d.dimension
                       WHERE d.app_instance_id = m.app_instance_id AND d.project_id = $1 AND d.source = 'adapter' GROUP BY u.unit
                       ) used)::text AS reported
            FROM metered_instances m
            CROSS JOIN LATERAL (
                SELECT sum(extract(epoch FROM greatest(run.ended_at, run.started_at) - run.started_at)
                           - coalesce(outages.seconds, 0)) AS seconds,
                       bool_or(run.open) AS running
                FROM (
                    SELECT r.started_at, r.ended_at IS NULL AS open, least(coalesce(r.ended_at, $5), (
                        SELECT h.last_seen_at + interval '30 seconds' FROM adapter_heartbeats h
                        WHERE h.runtime_backend = m.runtime_backend)) AS ended_at
                    FROM running_intervals r
                    WHERE r.app_instance_id = m.app_instance_id AND r.project_id = $1
                ) run
                CROSS JOIN LATERAL (
                    SELECT sum(extract(epoch FROM least(o.ended_at, run.ended_at) - greatest(o.started_at, run.started_at))) AS seconds
                    FROM adapter_outages o
                    WHERE o.runtime_backend = m.runtime_backend AND o.started_at < run.ended_at AND o.ended_at > run.started_at
                ) outages
            ) total
            WHERE m.project_id = $1 AND m.first_started_at IS NOT NULL
              AND ($2::timestamptz IS NULL OR (m.first_started_at, m.app_instance_id) < ($2, $3::uuid))
            ORDER BY m.first_started_at DESC, m.app_instance_id DESC
            LIMIT $4
            """;

    private final SqlClient reads;

    public RunningTimeStore(SqlClient reads) {
        this.reads = reads;
    }

    /** Inserts the attribution of instances that are not known yet, and adds the shared runtime of those whose earlier events did not name it. */
    void insertInstances(UnitOfWork unit, List<InstanceAttribution> instances) {
        if (instances.isEmpty()) {
            return;
        }
        unit.write(INSERT_INSTANCES, Tuple.from(new Object[] {
            column(instances, InstanceAttribution::appInstanceId, UUID[]::new),
            column(instances, InstanceAttribution::orgId, UUID[]::new),
            column(instances, InstanceAttribution::projectId, UUID[]::new),
            column(instances, InstanceAttribution::appSlug, String[]::new),
            column(instances, InstanceAttribution::operatingMode, String[]::new),
            column(instances, InstanceAttribution::controlPlaneScope, String[]::new),
            column(instances, InstanceAttribution::runtimeBackend, String[]::new),
            column(instances, InstanceAttribution::correlationId, String[]::new),
            column(instances, InstanceAttribution::sharedRuntimeId, UUID[]::new),
        }));
    }

    private static <T extends @Nullable Object> T[] column(
            List<InstanceAttribution> rows, Function<InstanceAttribution, T> value, IntFunction<T[]> array) {
        return rows.stream().map(value).toArray(array);
    }

    /** Applies an event to a known instance. Locks its row, because two processes may apply events during a rebalance. */
    Future<Void> applyEvent(UnitOfWork unit, InstanceAttribution attribution, MeteredInstanceEvent event) {
        var instance = attribution.appInstanceId();
        return unit.query(LOCK, Tuple.of(instance, attribution.projectId())).map(rows -> {
            if (rows.size() == 0) {
                throw new IllegalStateException("instance " + instance + " belongs to another project");
            }
            write(
                    unit,
                    attribution,
                    event,
                    RunningTime.apply(meter(rows.iterator().next()), event));
            return null;
        });
    }

    private static void write(
            UnitOfWork unit, InstanceAttribution attribution, MeteredInstanceEvent event, Change change) {
        if (change instanceof Change.AlreadyCounted) {
            return;
        }
        var instance = attribution.appInstanceId();
        var startedAt = change instanceof Change.Started started ? time(started.at()) : null;
        unit.write(UPDATE_SEQUENCE, Tuple.of(instance, attribution.projectId(), event.sequence(), startedAt));
        if (startedAt != null) {
            unit.write(INSERT_INTERVAL, Tuple.of(instance, attribution.projectId(), event.sequence(), startedAt));
        } else if (change instanceof Change.Stopped stopped) {
            unit.write(END_INTERVAL, Tuple.of(instance, attribution.projectId(), time(stopped.at())));
        }
    }

    /** Returns the instances of a project that have run, latest first start first. */
    Future<Page<InstanceUsage>> page(UUID projectId, @Nullable Cursor after, int limit, Instant now) {
        var at = after == null ? null : time(after.createdAt());
        var id = after == null ? null : after.id();
        return reads.preparedQuery(PAGE)
                .execute(Tuple.of(projectId, at, id, limit + 1, time(now)))
                .map(rows -> {
                    var items = new ArrayList<InstanceUsage>();
                    rows.forEach(row -> items.add(usage(row)));
                    return Page.of(
                            items,
                            limit,
                            last -> new Cursor(
                                    last.firstStartedAt(), last.attribution().appInstanceId()));
                });
    }

    private static MeterState meter(Row row) {
        var since = row.getOffsetDateTime("started_at");
        return new MeterState(row.getLong("last_sequence"), since == null ? null : since.toInstant());
    }

    private static InstanceUsage usage(Row row) {
        var usageAttribution = new InstanceAttribution(
                row.getUUID("org_id"),
                row.getUUID("project_id"),
                row.getUUID("app_instance_id"),
                row.getString("app_slug"),
                row.getString("operating_mode"),
                row.getString("control_plane_scope"),
                row.getString("runtime_backend"),
                row.getString("correlation_id"),
                row.getUUID("shared_runtime_id"));
        return new InstanceUsage(
                usageAttribution,
                row.getBigDecimal("seconds"),
                row.getBoolean("running"),
                row.getOffsetDateTime("first_started_at").toInstant(),
                parseReported(row.getString("reported")));
    }

    private static List<ReportedQuantity> parseReported(@Nullable String sums) {
        return sums == null
                ? List.of()
                : Json.parseStoredObject(sums).properties().stream()
                        .sorted(Map.Entry.comparingByKey())
                        .map(sum -> new ReportedQuantity(
                                sum.getKey(), new BigDecimal(sum.getValue().asText())))
                        .toList();
    }

    private static OffsetDateTime time(Instant instant) {
        return instant.atOffset(ZoneOffset.UTC);
    }
}
