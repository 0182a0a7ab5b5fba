package dev.slipway.metering.usage;

import dev.slipway.contract.domain.RegistryLifecycle;
import dev.slipway.contract.domain.TextEnum;
import dev.slipway.messaging.SqlTime;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.metering.usage.domain.AttributionContext.Attachment;
import dev.slipway.metering.usage.domain.AttributionContext.InstanceEntry;
import dev.slipway.metering.usage.domain.AttributionContext.RuntimeEntry;
import dev.slipway.metering.usage.domain.AttributionContext.RuntimeProject;
import dev.slipway.metering.usage.domain.BookingPeriods;
import dev.slipway.metering.usage.domain.UsageUnit;
import io.vertx.core.Future;
import io.vertx.sqlclient.Tuple;

import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** All SQL of the read models that complete and check the attribution of facts. */
public final class AttributionStore {
    private static final String UPSERT_UNIT = """
            INSERT INTO usage_units (id, version, precision, rating_category, product_id, display_name, lifecycle)
            VALUES ($1, $2, $3, $4, $5, $6, $7)
            ON CONFLICT (id) DO UPDATE SET version = $2, precision = $3, rating_category = $4, product_id = $5, display_name = $6, lifecycle = $7
            WHERE usage_units.version <= $2
            """;
    private static final String INSERT_UNIT = """
            INSERT INTO usage_units (id, version, precision, rating_category, product_id, display_name, lifecycle)
            VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING
            """;
    private static final String FIND_UNITS =
            "SELECT id, version, precision, lifecycle FROM usage_units WHERE id = ANY($1)";
    /**
     * Locked, so that a month is not closed while facts are booked in it. A month that another transaction closed while this one waited for the lock
     * is returned as closed.
     */
    private static final String LOCK_PERIODS = """
            SELECT period, closed_at IS NOT NULL AS closed FROM usage_periods
            WHERE period >= coalesce((SELECT max(period) FROM usage_periods WHERE closed_at IS NOT NULL), '-infinity') ORDER BY period FOR SHARE
            """;

    private static final String FIND_INSTANCES = """
            SELECT i.app_instance_id, i.org_id, i.project_id, i.app_slug, i.operating_mode, i.control_plane_scope, i.runtime_backend,
                i.correlation_id, i.shared_runtime_id
            FROM metered_instances i WHERE i.app_instance_id = ANY($1)
            """;
    private static final String FIND_RUNTIMES = """
            SELECT shared_runtime_id, org_id, app_slug, operating_mode, control_plane_scope, runtime_backend, correlation_id
            FROM metered_runtimes WHERE shared_runtime_id = ANY($1)
            """;
    private static final String FIND_ATTACHMENTS = """
            SELECT shared_runtime_id, project_id, attachment_id, requested_at, detached_at
            FROM metered_attachments WHERE shared_runtime_id = ANY($1)
            ORDER BY shared_runtime_id, project_id, sequence DESC
            """;

    /** A unit with its fields that only queries need. */
    record RegisteredUnit(UsageUnit unit, String ratingCategory, String productId, String displayName) {
        Tuple toTuple() {
            return Tuple.of(
                    unit.id(),
                    unit.version(),
                    unit.precision(),
                    ratingCategory,
                    productId,
                    displayName,
                    unit.lifecycle().text());
        }
    }

    /** Stores a unit unless it is known: its registry entry may have changed since. */
    void insertUnit(UnitOfWork unit, RegisteredUnit registered) {
        unit.write(INSERT_UNIT, registered.toTuple());
    }

    /** Stores a version of a unit, unless a later version is stored. */
    void upsertUnit(UnitOfWork unit, RegisteredUnit registered) {
        unit.write(UPSERT_UNIT, registered.toTuple());
    }

    Future<Map<String, UsageUnit>> findUnits(UnitOfWork unit, Collection<String> ids) {
        return unit.query(FIND_UNITS, Tuple.of(ids.toArray(String[]::new))).map(rows -> {
            var units = new HashMap<String, UsageUnit>();
            rows.forEach(row -> units.put(
                    row.getString("id"),
                    new UsageUnit(
                            row.getString("id"),
                            row.getInteger("version"),
                            row.getInteger("precision"),
                            TextEnum.parse(RegistryLifecycle.class, row.getString("lifecycle")))));
            return units;
        });
    }

    /** Returns the last closed month; no later one can be closed until the transaction ends. */
    Future<BookingPeriods> lockPeriods(UnitOfWork unit) {
        return unit.query(LOCK_PERIODS, Tuple.tuple()).map(rows -> {
            LocalDate lastClosed = null;
            for (var row : rows) {
                lastClosed = row.getBoolean("closed") ? row.getLocalDate("period") : lastClosed;
            }
            return new BookingPeriods(lastClosed);
        });
    }

    Future<Map<UUID, InstanceEntry>> findInstances(UnitOfWork unit, Collection<UUID> ids) {
        if (ids.isEmpty()) {
            return Future.succeededFuture(Map.of());
        }
        return unit.query(FIND_INSTANCES, Tuple.of(ids.toArray(UUID[]::new))).map(rows -> {
            var instances = new HashMap<UUID, InstanceEntry>();
            rows.forEach(row -> instances.put(
                    row.getUUID("app_instance_id"),
                    new InstanceEntry(
                            row.getUUID("org_id"),
                            row.getUUID("project_id"),
                            row.getString("app_slug"),
                            row.getString("operating_mode"),
                            row.getString("control_plane_scope"),
                            row.getString("runtime_backend"),
                            row.getString("correlation_id"),
                            row.getUUID("shared_runtime_id"))));
            return instances;
        });
    }

    Future<Map<UUID, RuntimeEntry>> findRuntimes(UnitOfWork unit, Collection<UUID> ids) {
        if (ids.isEmpty()) {
            return Future.succeededFuture(Map.of());
        }
        return unit.query(FIND_RUNTIMES, Tuple.of(ids.toArray(UUID[]::new))).map(rows -> {
            var runtimes = new HashMap<UUID, RuntimeEntry>();
            rows.forEach(row -> runtimes.put(
                    row.getUUID("shared_runtime_id"),
                    new RuntimeEntry(
                            row.getUUID("org_id"),
                            row.getString("app_slug"),
                            row.getString("operating_mode"),
                            row.getString("control_plane_scope"),
                            row.getString("runtime_backend"),
                            row.getString("correlation_id"))));
            return runtimes;
        });
    }

    /** Returns all attachments of projects to the shared runtimes, the latest of a project first. */
    Future<Map<RuntimeProject, List<Attachment>>> findAttachments(UnitOfWork unit, Collection<UUID> runtimeIds) {
        if (runtimeIds.isEmpty()) {
            return Future.succeededFuture(Map.of());
        }
        return unit.query(FIND_ATTACHMENTS, Tuple.of(runtimeIds.toArray(UUID[]::new)))
                .map(rows -> {
                    var attachments = new HashMap<RuntimeProject, List<Attachment>>();
                    rows.forEach(row -> attachments
                            .computeIfAbsent(
                                    new RuntimeProject(row.getUUID("shared_runtime_id"), row.getUUID("project_id")),
                                    key -> new ArrayList<>())
                            .add(new Attachment(
                                    row.getUUID("attachment_id"),
                                    SqlTime.readNullable(row, "requested_at"),
                                    SqlTime.readNullable(row, "detached_at"))));
                    return attachments;
                });
    }
}
