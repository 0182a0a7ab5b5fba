package dev.slipway.metering.usage;

import dev.slipway.contract.Cursor;
import dev.slipway.contract.Json;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.metering.usage.domain.Attribution;
import dev.slipway.metering.usage.domain.InstanceEvent;
import dev.slipway.metering.usage.domain.Meter;
import dev.slipway.metering.usage.domain.Reported;
import dev.slipway.metering.usage.domain.RunningTime;
import dev.slipway.metering.usage.domain.RunningTime.Change;
import dev.slipway.metering.usage.domain.Usage;
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

/** When instances ran, and what that adds up to. */
public final class UsageStore {
    private static final String KNOW = """
            INSERT INTO metered_instances
                (app_instance_id, org_id, project_id, app_slug, operating_mode, control_plane_scope, runtime_backend,
                 correlation_id, last_sequence)
            SELECT *, 0 FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[])
            ON CONFLICT DO NOTHING
            """;
    private static final String LOCK = """
            SELECT m.last_sequence, r.started_at
            FROM metered_instances m
            LEFT JOIN running_intervals r
                ON r.app_instance_id = m.app_instance_id AND r.project_id = m.project_id AND r.ended_at IS NULL
            WHERE m.app_instance_id = $1 AND m.project_id = $2
            FOR UPDATE OF m
            """;
    private static final String COUNTED = """
            UPDATE metered_instances SET last_sequence = $3, first_started_at = coalesce(first_started_at, $4)
            WHERE app_instance_id = $1 AND project_id = $2
            """;
    private static final String STARTED = """
            INSERT INTO running_intervals (app_instance_id, project_id, sequence, started_at) VALUES ($1, $2, $3, $4)
            """;
    private static final String STOPPED = """
            UPDATE running_intervals SET ended_at = $3
            WHERE app_instance_id = $1 AND project_id = $2 AND ended_at IS NULL
            """;
    /** Seconds as extract gives them are numeric: exact to the microsecond. What runs is counted up to $5. */
    private static final String PAGE = """
            SELECT m.org_id, m.project_id, m.app_instance_id, m.app_slug, m.operating_mode, m.control_plane_scope,
                   m.runtime_backend, m.correlation_id, m.first_started_at, total.seconds, total.running,
                   (SELECT jsonb_object_agg(used.unit, used.quantity::text) FROM (
                       SELECT u.unit, sum(u.quantity) AS quantity FROM reported_usage u
                       WHERE u.app_instance_id = m.app_instance_id AND u.project_id = $1 GROUP BY u.unit) used)::text AS reported
            FROM metered_instances m
            CROSS JOIN LATERAL (
                SELECT sum(extract(epoch FROM greatest(coalesce(r.ended_at, $5), r.started_at) - r.started_at)) AS seconds,
                       bool_or(r.ended_at IS NULL) AS running
                FROM running_intervals r
                WHERE r.app_instance_id = m.app_instance_id AND r.project_id = $1
            ) total
            WHERE m.project_id = $1 AND m.first_started_at IS NOT NULL
              AND ($2::timestamptz IS NULL OR (m.first_started_at, m.app_instance_id) < ($2, $3::uuid))
            ORDER BY m.first_started_at DESC, m.app_instance_id DESC
            LIMIT $4
            """;

    private final SqlClient reads;

    public UsageStore(SqlClient reads) {
        this.reads = reads;
    }

    /** Keeps whom instances belong to, as their first events tell. */
    void know(UnitOfWork unit, List<Attribution> instances) {
        if (instances.isEmpty()) {
            return;
        }
        unit.write(KNOW, Tuple.from(new Object[] {
            column(instances, Attribution::appInstanceId, UUID[]::new),
            column(instances, Attribution::orgId, UUID[]::new),
            column(instances, Attribution::projectId, UUID[]::new),
            column(instances, Attribution::appSlug, String[]::new),
            column(instances, Attribution::operatingMode, String[]::new),
            column(instances, Attribution::controlPlaneScope, String[]::new),
            column(instances, Attribution::runtimeBackend, String[]::new),
            column(instances, Attribution::correlationId, String[]::new),
        }));
    }

    private static <T> T[] column(List<Attribution> rows, Function<Attribution, T> value, IntFunction<T[]> array) {
        return rows.stream().map(value).toArray(array);
    }

    /** Counts an event of an instance that is known. Its row is locked: two processes that meet here during a rebalance take turns. */
    Future<Void> count(UnitOfWork unit, Attribution to, InstanceEvent event) {
        var instance = to.appInstanceId();
        return unit.query(LOCK, Tuple.of(instance, to.projectId())).map(rows -> {
            if (rows.size() == 0) {
                throw new IllegalStateException("instance " + instance + " is another project's");
            }
            write(unit, to, event, RunningTime.on(meter(rows.iterator().next()), event));
            return null;
        });
    }

    private static void write(UnitOfWork unit, Attribution to, InstanceEvent event, Change change) {
        if (change instanceof Change.AlreadyCounted) {
            return;
        }
        var instance = to.appInstanceId();
        var startedAt = change instanceof Change.Started started ? time(started.at()) : null;
        unit.write(COUNTED, Tuple.of(instance, to.projectId(), event.sequence(), startedAt));
        if (startedAt != null) {
            unit.write(STARTED, Tuple.of(instance, to.projectId(), event.sequence(), startedAt));
        } else if (change instanceof Change.Stopped stopped) {
            unit.write(STOPPED, Tuple.of(instance, to.projectId(), time(stopped.at())));
        }
    }

    /** A project's instances that have run, the last to start first. */
    Future<Page<Usage>> page(UUID projectId, @Nullable Cursor after, int limit, Instant now) {
        var at = after == null ? null : time(after.createdAt());
        var id = after == null ? null : after.id();
        return reads.preparedQuery(PAGE)
                .execute(Tuple.of(projectId, at, id, limit + 1, time(now)))
                .map(rows -> {
                    var items = new ArrayList<Usage>();
                    rows.forEach(row -> items.add(usage(row)));
                    return Page.of(
                            items,
                            limit,
                            last -> new Cursor(
                                    last.firstStartedAt(), last.attribution().appInstanceId()));
                });
    }

    private static Meter meter(Row row) {
        var since = row.getOffsetDateTime("started_at");
        return new Meter(row.getLong("last_sequence"), since == null ? null : since.toInstant());
    }

    private static Usage usage(Row row) {
        var attribution = new Attribution(
                row.getUUID("org_id"),
                row.getUUID("project_id"),
                row.getUUID("app_instance_id"),
                row.getString("app_slug"),
                row.getString("operating_mode"),
                row.getString("control_plane_scope"),
                row.getString("runtime_backend"),
                row.getString("correlation_id"));
        return new Usage(
                attribution,
                row.getBigDecimal("seconds"),
                row.getBoolean("running"),
                row.getOffsetDateTime("first_started_at").toInstant(),
                reported(row.getString("reported")));
    }

    private static List<Reported> reported(@Nullable String sums) {
        return sums == null
                ? List.of()
                : Json.trusted(sums).properties().stream()
                        .sorted(Map.Entry.comparingByKey())
                        .map(sum -> new Reported(
                                sum.getKey(), new BigDecimal(sum.getValue().asText())))
                        .toList();
    }

    private static OffsetDateTime time(Instant instant) {
        return instant.atOffset(ZoneOffset.UTC);
    }
}
