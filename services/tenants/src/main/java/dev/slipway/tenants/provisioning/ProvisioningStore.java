package dev.slipway.tenants.provisioning;

import dev.slipway.contract.domain.TextEnum;
import dev.slipway.messaging.QueryExecutor;
import dev.slipway.messaging.SqlTime;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.tenants.tenant.TenantStore;
import dev.slipway.tenants.tenant.domain.ProvisioningStep;
import dev.slipway.tenants.tenant.domain.ProvisioningStep.Name;
import dev.slipway.tenants.tenant.domain.ProvisioningStep.Status;
import dev.slipway.tenants.tenant.domain.Tenant;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** All SQL of provisioning steps and of the leases with which workers claim tenants. */
public final class ProvisioningStore {
    private static final String INSERT_STEP =
            "INSERT INTO provisioning_steps (tenant_id, position, name, status) VALUES ($1, $2, $3, 'pending')";
    private static final String LIST_STEPS = """
            SELECT name, status, started_at, completed_at, error, attempts FROM provisioning_steps WHERE tenant_id = $1 ORDER BY position
            """;
    private static final String START_STEP = """
            UPDATE provisioning_steps SET status = 'running', started_at = $3, completed_at = NULL, error = NULL, attempts = attempts + 1
            WHERE tenant_id = $1 AND name = $2
            """;
    private static final String END_STEP =
            "UPDATE provisioning_steps SET status = $3, completed_at = $4, error = $5 WHERE tenant_id = $1 AND name = $2";
    private static final String RESET_FAILED = """
            UPDATE provisioning_steps SET status = 'pending', error = NULL, attempts = 0, completed_at = NULL
            WHERE tenant_id = $1 AND status IN ('failed', 'running')
            """;
    /** A worker that was killed stops renewing its lease, and another one continues. */
    private static final String CLAIM = """
            UPDATE tenants t SET lease_id = $1, lease_until = $2::timestamptz + $3::bigint * interval '1 millisecond'
            WHERE tenant_id = (
                SELECT tenant_id FROM tenants
                WHERE (lease_until IS NULL OR lease_until <= $2)
                    AND (status = 'provisioning' OR (status = 'destroying' AND destroy_after <= $2) OR access_pending)
                ORDER BY updated_at LIMIT 1 FOR UPDATE SKIP LOCKED)
            RETURNING t.*
            """;

    private static final String IS_PENDING = """
            SELECT EXISTS (SELECT FROM tenants WHERE status IN ('provisioning', 'destroying') OR access_pending) AS pending
            """;
    private static final String RENEW = """
            UPDATE tenants SET lease_until = $3::timestamptz + $4::bigint * interval '1 millisecond'
            WHERE tenant_id = $1 AND lease_id = $2
            """;
    private static final String HOLDS_LEASE = "SELECT FROM tenants WHERE tenant_id = $1 AND lease_id = $2 FOR UPDATE";
    private static final String RELEASE =
            "UPDATE tenants SET lease_id = NULL, lease_until = $3 WHERE tenant_id = $1 AND lease_id = $2";

    private final SqlClient reads;

    public ProvisioningStore(SqlClient reads) {
        this.reads = reads;
    }

    void insertSteps(UnitOfWork unit, UUID tenantId) {
        var position = 0;
        for (var step : Name.values()) {
            unit.insert(INSERT_STEP, Tuple.of(tenantId, position++, step.text()));
        }
    }

    Future<List<ProvisioningStep>> listSteps(UUID tenantId) {
        return listSteps(QueryExecutor.of(reads), tenantId);
    }

    private static Future<List<ProvisioningStep>> listSteps(QueryExecutor executor, UUID tenantId) {
        return executor.query(LIST_STEPS, Tuple.of(tenantId)).map(rows -> {
            var steps = new ArrayList<ProvisioningStep>(rows.size());
            rows.forEach(row -> steps.add(new ProvisioningStep(
                    TextEnum.parse(Name.class, row.getString("name")),
                    TextEnum.parse(Status.class, row.getString("status")),
                    SqlTime.readNullable(row, "started_at"),
                    SqlTime.readNullable(row, "completed_at"),
                    row.getString("error"),
                    row.getInteger("attempts"))));
            return steps;
        });
    }

    void startStep(UnitOfWork unit, UUID tenantId, Name step) {
        unit.write(START_STEP, Tuple.of(tenantId, step.text(), SqlTime.of(unit.now())));
    }

    void endStep(UnitOfWork unit, UUID tenantId, Name step, Status status, @Nullable String error) {
        unit.write(END_STEP, Tuple.of(tenantId, step.text(), status.text(), SqlTime.of(unit.now()), error));
    }

    /** Makes failed steps pending again. */
    void resetFailedSteps(UnitOfWork unit, UUID tenantId) {
        unit.write(RESET_FAILED, Tuple.of(tenantId));
    }

    /** Returns whether a tenant has work to do, now or later, claimed or not. */
    Future<Boolean> isPending() {
        return reads.query(IS_PENDING)
                .execute()
                .map(rows -> rows.iterator().next().getBoolean("pending"));
    }

    /** Claims a tenant that has work to do; null if there is none. */
    Future<@Nullable Tenant> claim(UnitOfWork unit, UUID leaseId, Duration lease) {
        return unit.query(CLAIM, Tuple.of(leaseId, SqlTime.of(unit.now()), lease.toMillis()))
                .map(rows -> rows.size() == 0
                        ? null
                        : TenantStore.tenant(rows.iterator().next()));
    }

    void renew(UnitOfWork unit, UUID tenantId, UUID leaseId, Duration lease) {
        unit.write(RENEW, Tuple.of(tenantId, leaseId, SqlTime.of(unit.now()), lease.toMillis()));
    }

    /** Locks the tenant and returns whether the lease is still held: another worker may have taken over. */
    Future<Boolean> holdsLease(UnitOfWork unit, UUID tenantId, UUID leaseId) {
        return unit.query(HOLDS_LEASE, Tuple.of(tenantId, leaseId)).map(rows -> rows.size() > 0);
    }

    /** Releases the lease of the tenant. It is not claimed again before the delay has passed. */
    void release(UnitOfWork unit, UUID tenantId, UUID leaseId, Duration delay) {
        unit.write(RELEASE, Tuple.of(tenantId, leaseId, SqlTime.of(unit.now().plus(delay))));
    }
}
