package dev.slipway.instances.sharedruntime.domain;

import dev.slipway.instances.sharedruntime.domain.SharedRuntimeEligibility.AttachableProject;
import dev.slipway.instances.sharedruntime.domain.SharedRuntimeEligibility.OperatorIdentity;
import dev.slipway.instances.spending.domain.AccountLimit;
import dev.slipway.instances.spending.domain.BalanceState;
import dev.slipway.instances.spending.domain.BillingFreshness;
import dev.slipway.instances.spending.domain.CostEstimate;
import dev.slipway.instances.spending.domain.LimitPolicy;
import dev.slipway.instances.spending.domain.Spending;
import dev.slipway.operations.domain.Refusal;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import java.util.UUID;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

class SharedRuntimeEligibilityTest {
    private static final UUID ORG = new UUID(0, 1);
    private static final UUID PROJECT = new UUID(0, 2);
    private static final Refusal NOT_ENTITLED = Refusal.of("app_not_entitled", "This project is not entitled.");

    @Test
    void checkOperator_refuses_unlessItIsAFreeOperatorOfTheOrganization() {
        assertThat(checkOperator(new OperatorIdentity(false, ORG, false))).isEqualTo("operator_identity_invalid");
        assertThat(checkOperator(new OperatorIdentity(true, PROJECT, false))).isEqualTo("operator_identity_invalid");
        assertThat(checkOperator(new OperatorIdentity(true, null, false))).isEqualTo("operator_identity_invalid");
        assertThat(checkOperator(new OperatorIdentity(true, ORG, true))).isEqualTo("operator_identity_invalid");
    }

    @Test
    void checkOperator_accepts_freeOperatorAndNone() {
        assertThat(checkOperator(new OperatorIdentity(true, ORG, false))).isNull();
        assertThat(checkOperator(null)).isNull();
    }

    @Test
    void checkProject_refusesForTheFirstReason() {
        var depleted = new Spending(
                "EUR",
                new AccountLimit(BalanceState.DEPLETED, LimitPolicy.WARN, true),
                null,
                CostEstimate.NONE,
                BillingFreshness.NOT_BILLED);

        assertThat(code(AttachableProject.ofOtherOrganization(PROJECT))).isEqualTo("not_found");
        assertThat(code(new AttachableProject(PROJECT, true, true, NOT_ENTITLED, depleted)))
                .isEqualTo("project_suspended");
        assertThat(code(new AttachableProject(PROJECT, true, false, NOT_ENTITLED, depleted)))
                .isEqualTo("app_not_entitled");
        assertThat(code(new AttachableProject(PROJECT, true, false, null, depleted)))
                .isEqualTo(Spending.BALANCE_DEPLETED);
    }

    @Test
    void checkProject_namesTheProject_whenTheLaunchIsRefused() {
        var refusal = requireNonNull(SharedRuntimeEligibility.checkProject(
                new AttachableProject(PROJECT, true, false, NOT_ENTITLED, Spending.UNLIMITED)));

        assertThat(refusal.message()).isEqualTo("Project " + PROJECT + ": This project is not entitled.");
        assertThat(refusal.details()).containsEntry("project_id", PROJECT.toString());
    }

    @Test
    void checkProject_accepts_whenNothingRefusesTheLaunch() {
        assertThat(code(new AttachableProject(PROJECT, true, false, null, Spending.UNLIMITED)))
                .isNull();
    }

    private static @Nullable String checkOperator(@Nullable OperatorIdentity operator) {
        return code(SharedRuntimeEligibility.checkOperator(ORG, operator));
    }

    private static @Nullable String code(AttachableProject project) {
        return code(SharedRuntimeEligibility.checkProject(project));
    }

    private static @Nullable String code(@Nullable Refusal refusal) {
        return refusal == null ? null : refusal.code();
    }
}
