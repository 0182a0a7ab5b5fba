package dev.slipway.instances.appinstance.domain;

import dev.slipway.contract.ErrorCode;
import dev.slipway.instances.appinstance.domain.InstanceDecision.Refused;
import dev.slipway.instances.launch.domain.AppVersionRef;
import dev.slipway.instances.launch.domain.Launch;
import dev.slipway.instances.launch.domain.LaunchEligibility;
import dev.slipway.instances.launch.domain.LifecycleSettings;
import dev.slipway.instances.launch.domain.ResolvedConfig;
import dev.slipway.instances.member.domain.Member;
import dev.slipway.instances.spending.domain.BillingFreshness;
import dev.slipway.instances.spending.domain.BudgetLimit;
import dev.slipway.instances.spending.domain.CostEstimate;
import dev.slipway.instances.spending.domain.CostEstimate.ExpectedUsage;
import dev.slipway.instances.spending.domain.LimitPolicy;
import dev.slipway.instances.spending.domain.Spending;
import dev.slipway.operations.domain.OperationEvent;
import dev.slipway.operations.domain.Refusal;
import dev.slipway.operations.domain.SubjectState;
import dev.slipway.operations.domain.SubjectState.Status;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

import static dev.slipway.instances.appinstance.domain.LaunchFixture.ACCOUNT;
import static dev.slipway.instances.appinstance.domain.LaunchFixture.ACTIVE;
import static dev.slipway.instances.appinstance.domain.LaunchFixture.ANYWHERE;
import static dev.slipway.instances.appinstance.domain.LaunchFixture.APP;
import static dev.slipway.instances.appinstance.domain.LaunchFixture.ID;
import static dev.slipway.instances.appinstance.domain.LaunchFixture.LAUNCH;
import static dev.slipway.instances.appinstance.domain.LaunchFixture.MANIFEST;
import static dev.slipway.instances.appinstance.domain.LaunchFixture.NOW;
import static dev.slipway.instances.appinstance.domain.LaunchFixture.ORG;
import static dev.slipway.instances.appinstance.domain.LaunchFixture.PERSON;
import static dev.slipway.instances.appinstance.domain.LaunchFixture.POLICY;
import static dev.slipway.instances.appinstance.domain.LaunchFixture.PROJECT;
import static dev.slipway.instances.appinstance.domain.LaunchFixture.accepted;
import static dev.slipway.instances.appinstance.domain.LaunchFixture.eligibility;
import static dev.slipway.instances.appinstance.domain.LaunchFixture.request;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

/** Tests which launches are accepted and what they create. */
class InstanceLaunchTest {
    @Test
    void request_refuses_whenIneligible_elseWhenOperatorAccountIsInvalid() {
        var denied = Refusal.of("app_denied", "no");

        assertThat(refusal(new LaunchEligibility(ORG, APP, ACTIVE, POLICY, null, denied)))
                .isEqualTo("app_denied");
        assertThat(refusal(new LaunchEligibility(ORG, APP, ACTIVE, POLICY, null, null)))
                .isEqualTo("operator_account_invalid");
    }

    @Test
    void request_isAccepted_whenEligible() {
        var accepted = accepted(request(LAUNCH, eligibility()));

        assertThat(accepted.events()).containsExactly(new InstanceEvent.Requested());
        assertThat(accepted.next())
                .isEqualTo(new AppInstance(
                        ID,
                        "slipway:name",
                        ORG,
                        PROJECT,
                        new AppVersionRef(APP, ACTIVE.id(), "echo", "1.0.0", "bare_metal"),
                        "Mine",
                        "tenant_dedicated",
                        "project",
                        PERSON,
                        ACCOUNT,
                        ACCOUNT,
                        "{\"a\":1}",
                        NOW,
                        ANYWHERE,
                        "p1",
                        LifecycleSettings.DEFAULT,
                        null,
                        null,
                        new SubjectState(Status.REQUESTED, "{}", null, 1, 0, NOW, null)));
    }

    @Test
    void launch_returnsInstanceMembersOperationCommandAndEvents() {
        var ids = new AtomicLong(100);
        var context = new DecisionContext(NOW, "c-1", () -> new UUID(1, ids.getAndIncrement()));

        var decision = InstanceLifecycle.launch(
                LAUNCH,
                eligibility(),
                MANIFEST,
                new ResolvedConfig("{\"a\":2}", List.of()),
                ID,
                "slipway:name",
                context);

        var change = ((ChangeDecision.Accepted) decision).change();
        var operation = change.openedOperation();
        var command = change.commands().get(0);
        assertThat(change.before()).isNull();
        assertThat(change.next().config()).isEqualTo("{\"a\":2}");
        assertThat(change.addedMembers()).extracting(Member::component).containsExactly("worker", "worker");
        assertThat(operation.deadlineAt()).isEqualTo(NOW.plusSeconds(60));
        assertThat(operation.commandId()).isEqualTo(command.id());
        assertThat(command.operationId()).isEqualTo(operation.id());
        assertThat(requireNonNull(command.deployment()).members()).isEqualTo(change.addedMembers());
        assertThat(change.events())
                .containsExactly(
                        new InstanceChange.OfInstance(change.next(), new InstanceEvent.Requested()),
                        new InstanceChange.OfOperation(change.next(), operation, OperationEvent.ACCEPTED));
    }

    @Test
    void launch_isRefused_whenItExceedsTheBudget_elseReservesItsCost() {
        var price = new CostEstimate.UnitPrice("app_uptime_hour", new UUID(0, 8), 1, BigDecimal.ONE);
        var estimate = CostEstimate.of(ExpectedUsage.ofRunning(Set.of(), null), List.of(price));
        var small = new BudgetLimit(BigDecimal.ONE, BigDecimal.ZERO, BigDecimal.ZERO, LimitPolicy.REFUSE_LAUNCHES, 24);
        var large = new BudgetLimit(
                BigDecimal.valueOf(100), BigDecimal.ZERO, BigDecimal.ZERO, LimitPolicy.REFUSE_LAUNCHES, 24);

        assertThat(refusal(eligibility()
                        .withSpending(new Spending("EUR", null, small, estimate, BillingFreshness.NOT_BILLED))))
                .isEqualTo("budget_exceeded");
        var decision = InstanceLifecycle.launch(
                LAUNCH,
                eligibility().withSpending(new Spending("EUR", null, large, estimate, BillingFreshness.NOT_BILLED)),
                MANIFEST,
                new ResolvedConfig("{}", List.of()),
                ID,
                "slipway:name",
                new DecisionContext(NOW, "c-1", UUID::randomUUID));
        var reservation =
                requireNonNull(((ChangeDecision.Accepted) decision).change().reservation());

        assertThat(reservation.appInstanceId()).isEqualTo(ID);
        assertThat(reservation.amount()).isEqualByComparingTo("24");
    }

    @ParameterizedTest
    @CsvSource({"worker, 0, component_bounds", "worker, 4, component_bounds", "other, 1, validation_error"})
    void launch_isRefused_whenCountsDoNotFit(String component, int count, String code) {
        var launch = new Launch(
                PROJECT,
                "echo",
                "1.0.0",
                "Mine",
                "tenant_dedicated",
                "project",
                null,
                "{}",
                PERSON,
                ACCOUNT,
                ANYWHERE,
                Map.of(component, count),
                null);

        assertThat(((Refused) request(launch, eligibility())).code()).isEqualTo(code);
    }

    @Test
    void launch_isRefused_whenParametersAreInvalid() {
        var invalid = new ResolvedConfig("{}", List.of(new Refusal.InvalidField("/config/a", "is required")));

        var decision = InstanceLifecycle.request(LAUNCH, eligibility(), MANIFEST, invalid, ID, "slipway:name", NOW);

        assertThat(((Refused) decision).code()).isEqualTo("launch_parameters_invalid");
        assertThat(((Refused) decision).refusal().fields()).isEqualTo(invalid.problems());
    }

    @ParameterizedTest
    @CsvSource({
        "tenant_dedicated, project,  tenant_isolated",
        "tenant_dedicated, tenant,   tenant_isolated",
        "tenant_dedicated, platform, shared_service",
        "platform_managed, project,  shared_service",
        "platform_managed, tenant,   shared_service",
        "platform_managed, platform, shared_service",
    })
    void tenantBoundaryMode_isDerivedFromModeAndScope(String mode, String scope, String expected) {
        var launch = new Launch(
                PROJECT,
                "echo",
                "1.0.0",
                "Mine",
                mode,
                scope,
                null,
                "{}",
                PERSON,
                ACCOUNT,
                ANYWHERE,
                Map.of(),
                scope.equals("tenant") ? ID : null);
        var launchEligibility =
                new LaunchEligibility(ORG, APP, ACTIVE, POLICY, ACCOUNT, null).withAttached(scope.equals("tenant"));

        assertThat(accepted(request(launch, launchEligibility)).next().tenantBoundaryMode())
                .isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({
        "tenant,  false, false, validation_error",
        "tenant,  true,  false, attachment_required",
        "tenant,  true,  true,  accepted",
        "project, false, false, accepted",
        "project, true,  true,  validation_error",
    })
    void sharedRuntime_isRequired_withTheControlPlaneOfTheTenant(
            String scope, boolean named, boolean attached, String expected) {
        var launch = new Launch(
                PROJECT,
                "echo",
                "1.0.0",
                "Mine",
                "tenant_dedicated",
                scope,
                null,
                "{}",
                PERSON,
                ACCOUNT,
                ANYWHERE,
                Map.of(),
                named ? ID : null);

        var decision = request(launch, eligibility().withAttached(attached));

        assertThat(decision instanceof Refused refused ? refused.code() : "accepted")
                .isEqualTo(expected);
    }

    private static String refusal(LaunchEligibility launchEligibility) {
        var instanceDecision = request(LAUNCH, launchEligibility);
        assertThat(instanceDecision).isInstanceOf(Refused.class);
        var code = ((Refused) instanceDecision).code();
        assertThat(ErrorCode.of(code).code()).isEqualTo(code);
        return code;
    }
}
