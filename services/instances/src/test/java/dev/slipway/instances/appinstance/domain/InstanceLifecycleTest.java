package dev.slipway.instances.appinstance.domain;

import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.ErrorCode.Kind;
import dev.slipway.instances.appinstance.domain.Admission.Policy;
import dev.slipway.instances.appinstance.domain.Admission.Version;
import dev.slipway.instances.appinstance.domain.AppInstance.App;
import dev.slipway.instances.appinstance.domain.AppInstance.Previous;
import dev.slipway.instances.appinstance.domain.AppInstance.Status;
import dev.slipway.instances.appinstance.domain.AppInstance.Terms;
import dev.slipway.instances.appinstance.domain.Decision.Accepted;
import dev.slipway.instances.appinstance.domain.Decision.Refused;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Instant;
import java.util.List;
import java.util.UUID;

import static org.assertj.core.api.Assertions.assertThat;

class InstanceLifecycleTest {
    private static final Instant CREATED = Instant.parse("2026-01-01T00:00:00Z");
    private static final Instant NOW = CREATED.plusSeconds(60);
    private static final int GENERATION = 3;
    private static final String STATE = "{\"endpoints\":[]}";
    private static final String NEW_STATE = "{\"endpoints\":[{\"name\":\"http\",\"url\":\"http://h\"}]}";
    private static final UUID ID = new UUID(0, 1);
    private static final UUID PROJECT = new UUID(0, 2);
    private static final UUID ORG = new UUID(0, 3);
    private static final UUID APP = new UUID(0, 4);
    private static final UUID ACCOUNT = new UUID(0, 5);
    private static final UUID PERSON = new UUID(0, 6);
    private static final Version ACTIVE = new Version(new UUID(0, 7), "bare_metal", "active", false);
    private static final App NEXT = new App(APP, new UUID(0, 8), "echo", "2.0.0", "bare_metal");
    private static final Placement ANYWHERE = Placement.ANYWHERE;
    private static final Policy POLICY = new Policy("p1", ANYWHERE, false, null);
    private static final Launch LAUNCH = new Launch(
            PROJECT,
            "echo",
            "1.0.0",
            "Mine",
            "tenant_dedicated",
            "project",
            null,
            "{\"a\":1}",
            PERSON,
            ACCOUNT,
            ANYWHERE);

    /** Every status with every command: the status after it and the event, "same" for nothing, or the refusal's code. */
    @ParameterizedTest
    @CsvSource({
        // status,  delete,           deploying,               running,                 failed,         deleted
        "REQUESTED, DELETING Deleting, DEPLOYING Deploying,     RUNNING Running,         FAILED Failed,  instance_state_conflict",
        "DEPLOYING, DELETING Deleting, same,                    RUNNING Running,         FAILED Failed,  instance_state_conflict",
        "RUNNING,   DELETING Deleting, same,                    RUNNING Running,         FAILED Failed,  instance_state_conflict",
        "FAILED,    DELETING Deleting, same,                    RUNNING Running,         same,           DELETED Deleted",
        "DELETING,  same,              same,                    same,                    FAILED Failed,  DELETED Deleted",
        "DELETED,   same,              instance_state_conflict, instance_state_conflict, instance_state_conflict, same",
    })
    @Proves("1.22")
    void everyCommand_inEveryStatus(
            Status status, String delete, String deploying, String running, String failed, String deleted) {
        var current = instance(status);

        assertOutcome(current, InstanceLifecycle.delete(current, NOW), delete);
        assertOutcome(current, InstanceLifecycle.reportDeploying(current, GENERATION, NEW_STATE, NOW), deploying);
        assertOutcome(current, InstanceLifecycle.reportRunning(current, GENERATION, NEW_STATE, NOW), running);
        assertOutcome(current, InstanceLifecycle.reportFailed(current, GENERATION, "out of memory", NOW), failed);
        assertOutcome(current, InstanceLifecycle.reportDeleted(current, GENERATION, NOW), deleted);
    }

    /** As above, for what is done to instances that are there. */
    @ParameterizedTest
    @CsvSource({
        // status,  upgrade begins,          upgraded,                time is over,  given up
        "REQUESTED, instance_state_conflict, instance_state_conflict, FAILED Failed, instance_state_conflict",
        "DEPLOYING, instance_state_conflict, instance_state_conflict, FAILED Failed, instance_state_conflict",
        "RUNNING,   begins,                  RUNNING Upgraded,        same,          instance_state_conflict",
        "FAILED,    instance_state_conflict, RUNNING Upgraded,        same,          DELETED",
        "DELETING,  instance_state_conflict, same,                    same,          DELETED",
        "DELETED,   instance_state_conflict, instance_state_conflict, same,          same",
    })
    void everyChange_inEveryStatus(Status status, String begins, String upgraded, String expired, String forced) {
        var current = instance(status);
        var begun = InstanceLifecycle.beginChange(current);
        if (begins.equals("begins")) {
            assertThat(accepted(begun).events()).isEmpty();
            assertThat(accepted(begun).next().generation()).isEqualTo(GENERATION + 1);
            assertThat(accepted(begun).next().status()).isEqualTo(Status.RUNNING);
        } else {
            assertOutcome(current, begun, begins);
        }
        assertOutcome(current, reportUpgraded(current, GENERATION), upgraded);
        assertOutcome(current, InstanceLifecycle.expireLaunch(current, "too late", NOW), expired);
        var given = InstanceLifecycle.forceDelete(current, "its host is gone", NOW);
        if (forced.equals("DELETED")) {
            assertThat(accepted(given).events())
                    .containsExactly(new InstanceEvent.ForceDeleted("its host is gone"), new InstanceEvent.Deleted());
            assertThat(accepted(given).next().sequence()).isEqualTo(current.sequence() + 2);
            assertThat(accepted(given).next().deletedAt()).isEqualTo(NOW);
        } else {
            assertOutcome(current, given, forced);
        }
    }

    @Test
    void reportUpgraded_changesWhatRuns_andKeepsWhatItCameFrom() {
        var after =
                accepted(reportUpgraded(instance(Status.RUNNING), GENERATION)).next();

        assertThat(after.app()).isEqualTo(NEXT);
        assertThat(after.config()).isEqualTo("{\"b\":2}");
        assertThat(after.terms()).isEqualTo(new Terms(60, true, "{}"));
        assertThat(after.previous()).isEqualTo(new Previous(ACTIVE.id(), "1.0.0", "{}"));
        assertThat(after.runtimeState()).isEqualTo(NEW_STATE);
        assertOutcome(after, reportUpgraded(after, GENERATION), "same");
        assertOutcome(after, reportUpgraded(after, GENERATION - 1), "same");
    }

    private static Decision reportUpgraded(AppInstance current, int generation) {
        var upgrade =
                new Upgrade(NEXT, "{\"b\":2}", new Terms(60, true, "{}"), new Previous(ACTIVE.id(), "1.0.0", "{}"));
        return InstanceLifecycle.reportUpgraded(current, generation, ID, upgrade, NEW_STATE, NOW);
    }

    @ParameterizedTest
    @EnumSource
    void report_changesNothing_whenItIsOfAnOlderGeneration(Status status) {
        var current = instance(status);
        var older = GENERATION - 1;

        assertOutcome(current, InstanceLifecycle.reportDeploying(current, older, NEW_STATE, NOW), "same");
        assertOutcome(current, InstanceLifecycle.reportRunning(current, older, NEW_STATE, NOW), "same");
        assertOutcome(current, InstanceLifecycle.reportFailed(current, older, "late", NOW), "same");
        assertOutcome(current, InstanceLifecycle.reportDeleted(current, older, NOW), "same");
    }

    @Test
    void reportRunning_changesNothing_whenItSaysTheSameAgain() {
        var current = instance(Status.RUNNING);

        assertOutcome(current, InstanceLifecycle.reportRunning(current, GENERATION, STATE, NOW), "same");
    }

    @ParameterizedTest
    @EnumSource(names = {"REQUESTED", "DEPLOYING", "RUNNING", "FAILED"})
    void delete_raisesTheGeneration_soThatReportsOnTheDeploymentComeTooLate(Status status) {
        var deleting = accepted(InstanceLifecycle.delete(instance(status), NOW)).next();

        assertThat(deleting.generation()).isEqualTo(GENERATION + 1);
        assertOutcome(deleting, InstanceLifecycle.reportFailed(deleting, GENERATION, "late", NOW), "same");
    }

    @Test
    void report_leavesTheGenerationAsItIs() {
        var requested = instance(Status.REQUESTED);

        assertThat(accepted(InstanceLifecycle.reportRunning(requested, GENERATION, NEW_STATE, NOW))
                        .next()
                        .generation())
                .isEqualTo(GENERATION);
    }

    @Test
    void reportFailed_keepsTheReason_untilItRuns() {
        var failed =
                accepted(InstanceLifecycle.reportFailed(instance(Status.RUNNING), GENERATION, "out of memory", NOW));
        var running = accepted(InstanceLifecycle.reportRunning(failed.next(), GENERATION, NEW_STATE, NOW));

        assertThat(failed.next().failureReason()).isEqualTo("out of memory");
        assertThat(failed.events()).containsExactly(new InstanceEvent.Failed("out of memory"));
        assertThat(failed.next().runtimeState()).isEqualTo(STATE);
        assertThat(running.next().failureReason()).isNull();
        assertThat(running.next().runtimeState()).isEqualTo(NEW_STATE);
    }

    @Test
    void reportDeleted_endsIt() {
        var deleted = accepted(InstanceLifecycle.reportDeleted(instance(Status.DELETING), GENERATION, NOW))
                .next();

        assertThat(deleted.deletedAt()).isEqualTo(NOW);
        assertThat(deleted.runtimeState()).isEqualTo("{}");
    }

    @Test
    void aWholeLife_hasASequenceWithoutGaps() {
        var requested = accepted(request(LAUNCH, admission()));
        var deploying = accepted(InstanceLifecycle.reportDeploying(requested.next(), 1, "{}", NOW));
        var running = accepted(InstanceLifecycle.reportRunning(deploying.next(), 1, NEW_STATE, NOW));
        var again = accepted(InstanceLifecycle.reportRunning(running.next(), 1, NEW_STATE, NOW));
        var failed = accepted(InstanceLifecycle.reportFailed(again.next(), 1, "crashed", NOW));
        var deleting = accepted(InstanceLifecycle.delete(failed.next(), NOW));
        var deleted = accepted(InstanceLifecycle.reportDeleted(deleting.next(), 2, NOW));

        assertThat(List.of(requested, deploying, running, again, failed, deleting, deleted))
                .extracting(step -> step.next().sequence())
                .containsExactly(1L, 2L, 3L, 3L, 4L, 5L, 6L);
        assertThat(again.events()).isEmpty();
    }

    /** Everything is wrong at first, and mended in the order in which it is found. */
    @Test
    void request_isRefused_forTheFirstOfItsFaults() {
        var denied = new Policy("p1", ANYWHERE, false, new Refused("app_denied", "no"));

        assertThat(List.of(
                        refusal(new Admission(ORG, null, null, false, denied, null)),
                        refusal(new Admission(ORG, APP, null, false, denied, null)),
                        refusal(new Admission(ORG, APP, null, true, denied, null)),
                        refusal(new Admission(ORG, APP, in("draft"), true, denied, null)),
                        refusal(new Admission(ORG, APP, in("disabled"), true, denied, null)),
                        refusal(new Admission(ORG, APP, in("retired"), true, denied, null)),
                        refusal(new Admission(ORG, APP, in("deprecated"), true, denied, null)),
                        refusal(new Admission(ORG, APP, ACTIVE, true, denied, null)),
                        refusal(new Admission(ORG, APP, ACTIVE, true, POLICY, null))))
                .containsExactly(
                        "app_not_found",
                        "app_not_entitled",
                        "app_version_not_found",
                        "app_version_not_found",
                        "app_version_not_launchable",
                        "app_version_not_launchable",
                        "app_version_deprecated",
                        "app_denied",
                        "operator_account_invalid");
    }

    @Test
    void request_isAccepted_forADeprecatedVersion_wherePolicyAllowsIt() {
        var policy = new Policy("p1", ANYWHERE, true, null);

        assertThat(request(LAUNCH, new Admission(ORG, APP, in("deprecated"), true, policy, ACCOUNT)))
                .isInstanceOf(Accepted.class);
        assertThat(refusal(new Admission(ORG, APP, in("disabled"), true, policy, ACCOUNT)))
                .isEqualTo("app_version_not_launchable");
    }

    @Test
    void request_isRefused_whenTheTrustInAnArtifactOfTheVersionWasWithdrawn() {
        var policy = new Policy("p1", ANYWHERE, true, null);

        for (var status : List.of("active", "deprecated")) {
            var revoked = new Version(ACTIVE.id(), "bare_metal", status, true);
            assertThat(refusal(new Admission(ORG, APP, revoked, true, policy, ACCOUNT)))
                    .isEqualTo("artifact_revoked");
        }
    }

    private static Version in(String status) {
        return new Version(ACTIVE.id(), "bare_metal", status, false);
    }

    @Test
    void request_isAccepted_whenNothingIsWrong() {
        var accepted = accepted(request(LAUNCH, admission()));

        assertThat(accepted.events()).containsExactly(new InstanceEvent.Requested());
        assertThat(accepted.next())
                .isEqualTo(new AppInstance(
                        ID,
                        "slipway:name",
                        ORG,
                        PROJECT,
                        new App(APP, ACTIVE.id(), "echo", "1.0.0", "bare_metal"),
                        "Mine",
                        "tenant_dedicated",
                        "project",
                        Status.REQUESTED,
                        PERSON,
                        ACCOUNT,
                        ACCOUNT,
                        "{\"a\":1}",
                        "{}",
                        null,
                        1,
                        1,
                        NOW,
                        NOW,
                        null,
                        ANYWHERE,
                        "p1",
                        Terms.USUAL,
                        null));
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
    void tenantBoundaryMode_followsFromModeAndScope(String mode, String scope, String expected) {
        var launch = new Launch(PROJECT, "echo", "1.0.0", "Mine", mode, scope, null, "{}", PERSON, ACCOUNT, ANYWHERE);
        var admission = new Admission(ORG, APP, ACTIVE, true, POLICY, ACCOUNT);

        assertThat(accepted(request(launch, admission)).next().tenantBoundaryMode())
                .isEqualTo(expected);
    }

    private static void assertOutcome(AppInstance current, Decision decision, String expected) {
        if (expected.equals("same")) {
            assertThat(decision).isEqualTo(new Accepted(current, List.of()));
        } else if (expected.startsWith("instance_")) {
            assertThat(decision).isInstanceOf(Refused.class);
            var code = ((Refused) decision).code();
            assertThat(code).isEqualTo(expected);
            assertThat(ErrorCode.of(code).kind()).isEqualTo(Kind.CONFLICT);
        } else {
            var accepted = accepted(decision);
            var next = accepted.next();
            assertThat(accepted.events()).hasSize(1);
            assertThat(next.status() + " " + accepted.events().get(0).getClass().getSimpleName())
                    .isEqualTo(expected);
            assertThat(next.sequence()).isEqualTo(current.sequence() + 1);
            assertThat(next.updatedAt()).isEqualTo(NOW);
            assertThat(next.createdAt()).isEqualTo(CREATED);
            assertThat(next.deletedAt() != null).isEqualTo(next.status() == Status.DELETED);
        }
    }

    private static String refusal(Admission admission) {
        var decision = request(LAUNCH, admission);
        assertThat(decision).isInstanceOf(Refused.class);
        var code = ((Refused) decision).code();
        assertThat(ErrorCode.of(code).code()).isEqualTo(code);
        return code;
    }

    private static Decision request(Launch launch, Admission admission) {
        return InstanceLifecycle.request(launch, admission, ID, "slipway:name", NOW);
    }

    private static Admission admission() {
        return new Admission(ORG, APP, ACTIVE, true, POLICY, ACCOUNT);
    }

    private static Accepted accepted(Decision decision) {
        assertThat(decision).isInstanceOf(Accepted.class);
        return (Accepted) decision;
    }

    private static AppInstance instance(Status status) {
        return new AppInstance(
                ID,
                "slipway:name",
                ORG,
                PROJECT,
                new App(APP, ACTIVE.id(), "echo", "1.0.0", "bare_metal"),
                "Mine",
                "tenant_dedicated",
                "project",
                status,
                PERSON,
                ACCOUNT,
                ACCOUNT,
                "{}",
                STATE,
                status == Status.FAILED ? "crashed" : null,
                GENERATION,
                9,
                CREATED,
                CREATED,
                status == Status.DELETED ? CREATED : null,
                ANYWHERE,
                "p1",
                Terms.USUAL,
                null);
    }
}
