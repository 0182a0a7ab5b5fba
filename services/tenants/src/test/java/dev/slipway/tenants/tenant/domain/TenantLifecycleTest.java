package dev.slipway.tenants.tenant.domain;

import dev.slipway.tenants.tenant.domain.TenantDecision.Accepted;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.UUID;
import java.util.function.Function;

import static org.assertj.core.api.Assertions.assertThat;

class TenantLifecycleTest {
    private static final Instant NOW = Instant.parse("2026-03-02T10:00:00Z");

    private static Tenant tenant(TenantStatus status) {
        var id = UUID.fromString("01900000-0000-7000-8000-00000000000a");
        return new Tenant(
                id,
                id,
                "Workspace",
                null,
                TenantPlan.FREE,
                null,
                IsolationLevel.ISOLATED_DB,
                DatabaseProvider.POSTGRES,
                status,
                DatabaseNames.of(id, IsolationLevel.ISOLATED_DB, "slipway_tenants"),
                3,
                5,
                null,
                null,
                false,
                NOW,
                NOW,
                null);
    }

    private static String outcome(TenantStatus from, Function<Tenant, TenantDecision> change) {
        return change.apply(tenant(from)) instanceof Accepted accepted
                ? accepted.next().status().text()
                : "-";
    }

    /** Every change in every state; a dash means that it is refused. */
    @ParameterizedTest
    @CsvSource({
        "activate, active, -, -, -, -",
        "fail,     failed, -, -, -, -",
        "retry,    -, -, -, provisioning, -",
        "suspend,  -, suspended, -, -, -",
        "resume,   -, -, active, -, -",
        "migrate,  -, active, suspended, -, -",
        "destroy,  destroying, destroying, destroying, destroying, destroying"
    })
    @Proves("4.27")
    void change_isDecided_inEveryState(
            String change, String provisioning, String active, String suspended, String failed, String destroying) {
        Function<Tenant, TenantDecision> decide =
                switch (change) {
                    case "activate" -> tenant -> TenantLifecycle.activate(tenant, NOW);
                    case "fail" -> tenant -> TenantLifecycle.fail(tenant, "no space", NOW);
                    case "retry" -> tenant -> TenantLifecycle.retry(tenant, NOW);
                    case "suspend" -> tenant -> TenantLifecycle.suspend(tenant, null, NOW);
                    case "resume" -> tenant -> TenantLifecycle.resume(tenant, NOW);
                    case "migrate" -> tenant -> TenantLifecycle.migratePlan(tenant, TenantPlan.PRO, NOW);
                    default -> tenant -> TenantLifecycle.destroy(tenant, Duration.ZERO, false, NOW);
                };
        var expected = new String[] {provisioning, active, suspended, failed, destroying};
        var order = new TenantStatus[] {
            TenantStatus.PROVISIONING,
            TenantStatus.ACTIVE,
            TenantStatus.SUSPENDED,
            TenantStatus.FAILED,
            TenantStatus.DESTROYING
        };
        assertThat(Arrays.stream(order).map(status -> outcome(status, decide))).containsExactly(expected);
    }

    @Test
    void accepted_incrementsSequenceAndGeneration() {
        var accepted = (Accepted) TenantLifecycle.migratePlan(tenant(TenantStatus.ACTIVE), TenantPlan.PRO, NOW);

        assertThat(accepted.next().sequence()).isEqualTo(4);
        assertThat(accepted.next().generation()).isEqualTo(6);
        assertThat(accepted.next().plan()).isEqualTo(TenantPlan.PRO);
        assertThat(accepted.event()).isEqualTo(new TenantEvent.PlanChanged(TenantPlan.FREE));
    }

    @Test
    void destroy_isDue_afterTheGracePeriod() {
        var accepted = (Accepted) TenantLifecycle.destroy(tenant(TenantStatus.ACTIVE), Duration.ofDays(3), true, NOW);

        assertThat(accepted.next().isDestructionDue(NOW.plus(Duration.ofHours(71))))
                .isFalse();
        assertThat(accepted.next().isDestructionDue(NOW.plus(Duration.ofDays(3))))
                .isTrue();
    }

    @Test
    void names_fitIntoIdentifiers_andDependOnTheIdOnly() {
        for (var level : IsolationLevel.values()) {
            var names =
                    DatabaseNames.of(UUID.fromString("ffffffff-ffff-7fff-bfff-ffffffffffff"), level, "slipway_tenants");
            assertThat(names.role() + "_12345678").hasSizeLessThanOrEqualTo(DatabaseNames.MAX_IDENTIFIER_LENGTH);
            assertThat(names.table("x".repeat(DatabaseNames.MAX_OBJECT_NAME_LENGTH)))
                    .hasSizeLessThanOrEqualTo(DatabaseNames.MAX_IDENTIFIER_LENGTH);
            assertThat(names.database() + names.schema() + names.owner() + names.tablePrefix())
                    .matches("[a-z0-9_]+");
        }
    }
}
