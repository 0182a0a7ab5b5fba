package dev.slipway.instances.appinstance.domain;

import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.ErrorCode.Kind;
import dev.slipway.instances.appinstance.domain.InstanceDecision.Accepted;
import dev.slipway.instances.appinstance.domain.InstanceDecision.Refused;
import dev.slipway.instances.launch.domain.AppVersionRef;
import dev.slipway.instances.launch.domain.LifecycleSettings;
import dev.slipway.instances.launch.domain.PreviousVersion;
import dev.slipway.instances.launch.domain.VersionChange;
import dev.slipway.operations.domain.SubjectState;
import dev.slipway.operations.domain.SubjectState.Status;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.List;
import java.util.UUID;

import static dev.slipway.instances.appinstance.domain.LaunchFixture.ACCOUNT;
import static dev.slipway.instances.appinstance.domain.LaunchFixture.ACTIVE;
import static dev.slipway.instances.appinstance.domain.LaunchFixture.ANYWHERE;
import static dev.slipway.instances.appinstance.domain.LaunchFixture.APP;
import static dev.slipway.instances.appinstance.domain.LaunchFixture.CREATED;
import static dev.slipway.instances.appinstance.domain.LaunchFixture.ID;
import static dev.slipway.instances.appinstance.domain.LaunchFixture.LAUNCH;
import static dev.slipway.instances.appinstance.domain.LaunchFixture.NOW;
import static dev.slipway.instances.appinstance.domain.LaunchFixture.ORG;
import static dev.slipway.instances.appinstance.domain.LaunchFixture.PERSON;
import static dev.slipway.instances.appinstance.domain.LaunchFixture.PROJECT;
import static dev.slipway.instances.appinstance.domain.LaunchFixture.accepted;
import static dev.slipway.instances.appinstance.domain.LaunchFixture.eligibility;
import static dev.slipway.instances.appinstance.domain.LaunchFixture.request;
import static org.assertj.core.api.Assertions.assertThat;

class InstanceLifecycleTest {
    private static final int GENERATION = 3;
    private static final String STATE = "{\"endpoints\":[]}";
    private static final String NEW_STATE = "{\"endpoints\":[{\"name\":\"http\",\"url\":\"http://h\"}]}";
    private static final AppVersionRef NEXT = new AppVersionRef(APP, new UUID(0, 8), "echo", "2.0.0", "bare_metal");

    /** Every transition from every status: the next status and the event, "same" if nothing changes, or the code of the refusal. */
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
    void reportsAndDeletion_matchTheTable_inEveryStatus(
            Status status, String delete, String deploying, String running, String failed, String deleted) {
        var current = instance(status);

        assertOutcome(current, InstanceLifecycle.delete(current, NOW), delete);
        assertOutcome(current, InstanceLifecycle.reportDeploying(current, GENERATION, NEW_STATE, NOW), deploying);
        assertOutcome(current, InstanceLifecycle.reportRunning(current, GENERATION, NEW_STATE, NOW), running);
        assertOutcome(current, InstanceLifecycle.reportFailed(current, GENERATION, "out of memory", NOW), failed);
        assertOutcome(current, InstanceLifecycle.reportDeleted(current, GENERATION, NOW), deleted);
    }

    /** As above, for changes of existing instances. */
    @ParameterizedTest
    @CsvSource({
        // status,  begin upgrade,           upgraded,                expired,       force delete
        "REQUESTED, instance_state_conflict, instance_state_conflict, FAILED Failed, instance_state_conflict",
        "DEPLOYING, instance_state_conflict, instance_state_conflict, FAILED Failed, instance_state_conflict",
        "RUNNING,   begins,                  RUNNING Upgraded,        same,          instance_state_conflict",
        "FAILED,    instance_state_conflict, RUNNING Upgraded,        same,          DELETED",
        "DELETING,  instance_state_conflict, same,                    same,          DELETED",
        "DELETED,   instance_state_conflict, instance_state_conflict, same,          same",
    })
    void changes_matchTheTable_inEveryStatus(
            Status status, String begins, String upgraded, String expired, String forced) {
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
            assertThat(accepted(given).next().state().deletedAt()).isEqualTo(NOW);
        } else {
            assertOutcome(current, given, forced);
        }
    }

    @Test
    void reportUpgraded_setsTheVersion_andKeepsThePreviousOne() {
        var after =
                accepted(reportUpgraded(instance(Status.RUNNING), GENERATION)).next();

        assertThat(after.app()).isEqualTo(NEXT);
        assertThat(after.config()).isEqualTo("{\"b\":2}");
        assertThat(after.lifecycleSettings()).isEqualTo(new LifecycleSettings(60, true, "{}"));
        assertThat(after.previous()).isEqualTo(new PreviousVersion(ACTIVE.id(), "1.0.0", "{}"));
        assertThat(after.state().runtimeState()).isEqualTo(NEW_STATE);
        assertOutcome(after, reportUpgraded(after, GENERATION), "same");
        assertOutcome(after, reportUpgraded(after, GENERATION - 1), "same");
    }

    private static InstanceDecision reportUpgraded(AppInstance current, int generation) {
        var versionChange = new VersionChange(
                NEXT,
                "{\"b\":2}",
                new LifecycleSettings(60, true, "{}"),
                new PreviousVersion(ACTIVE.id(), "1.0.0", "{}"));
        return InstanceLifecycle.reportUpgraded(current, generation, ID, versionChange, NEW_STATE, NOW);
    }

    @ParameterizedTest
    @EnumSource
    void report_changesNothing_whenGenerationIsOlder(Status status) {
        var current = instance(status);
        var older = GENERATION - 1;

        assertOutcome(current, InstanceLifecycle.reportDeploying(current, older, NEW_STATE, NOW), "same");
        assertOutcome(current, InstanceLifecycle.reportRunning(current, older, NEW_STATE, NOW), "same");
        assertOutcome(current, InstanceLifecycle.reportFailed(current, older, "late", NOW), "same");
        assertOutcome(current, InstanceLifecycle.reportDeleted(current, older, NOW), "same");
    }

    @Test
    void reportRunning_changesNothing_whenStateIsUnchanged() {
        var current = instance(Status.RUNNING);

        assertOutcome(current, InstanceLifecycle.reportRunning(current, GENERATION, STATE, NOW), "same");
    }

    @ParameterizedTest
    @EnumSource(names = {"REQUESTED", "DEPLOYING", "RUNNING", "FAILED"})
    void delete_incrementsTheGeneration(Status status) {
        var deleting = accepted(InstanceLifecycle.delete(instance(status), NOW)).next();

        assertThat(deleting.generation()).isEqualTo(GENERATION + 1);
        assertOutcome(deleting, InstanceLifecycle.reportFailed(deleting, GENERATION, "late", NOW), "same");
    }

    @Test
    void report_keepsTheGeneration() {
        var requested = instance(Status.REQUESTED);

        assertThat(accepted(InstanceLifecycle.reportRunning(requested, GENERATION, NEW_STATE, NOW))
                        .next()
                        .generation())
                .isEqualTo(GENERATION);
    }

    @Test
    void reportFailed_storesTheReason_untilRunning() {
        var failed =
                accepted(InstanceLifecycle.reportFailed(instance(Status.RUNNING), GENERATION, "out of memory", NOW));
        var running = accepted(InstanceLifecycle.reportRunning(failed.next(), GENERATION, NEW_STATE, NOW));

        assertThat(failed.next().state().failureReason()).isEqualTo("out of memory");
        assertThat(failed.events()).containsExactly(new InstanceEvent.Failed("out of memory"));
        assertThat(failed.next().state().runtimeState()).isEqualTo(STATE);
        assertThat(running.next().state().failureReason()).isNull();
        assertThat(running.next().state().runtimeState()).isEqualTo(NEW_STATE);
    }

    @Test
    void reportDeleted_setsDeletedAt() {
        var deleted = accepted(InstanceLifecycle.reportDeleted(instance(Status.DELETING), GENERATION, NOW))
                .next();

        assertThat(deleted.state().deletedAt()).isEqualTo(NOW);
        assertThat(deleted.state().runtimeState()).isEqualTo("{}");
    }

    @Test
    void transitions_haveOneEventEach_unlessUnchanged() {
        var requested = accepted(request(LAUNCH, eligibility()));
        var deploying = accepted(InstanceLifecycle.reportDeploying(requested.next(), 1, "{}", NOW));
        var running = accepted(InstanceLifecycle.reportRunning(deploying.next(), 1, NEW_STATE, NOW));
        var again = accepted(InstanceLifecycle.reportRunning(running.next(), 1, NEW_STATE, NOW));
        var failed = accepted(InstanceLifecycle.reportFailed(again.next(), 1, "crashed", NOW));
        var deleting = accepted(InstanceLifecycle.delete(failed.next(), NOW));
        var deleted = accepted(InstanceLifecycle.reportDeleted(deleting.next(), 2, NOW));

        assertThat(List.of(requested, deploying, running, again, failed, deleting, deleted))
                .extracting(step -> step.events().size())
                .containsExactly(1, 1, 1, 0, 1, 1, 1);
    }

    private static void assertOutcome(AppInstance current, InstanceDecision instanceDecision, String expected) {
        if (expected.equals("same")) {
            assertThat(instanceDecision).isEqualTo(new Accepted(current, List.of()));
        } else if (expected.startsWith("instance_")) {
            assertThat(instanceDecision).isInstanceOf(Refused.class);
            var code = ((Refused) instanceDecision).code();
            assertThat(code).isEqualTo(expected);
            assertThat(ErrorCode.of(code).kind()).isEqualTo(Kind.CONFLICT);
        } else {
            var accepted = accepted(instanceDecision);
            var next = accepted.next();
            assertThat(accepted.events()).hasSize(1);
            assertThat(next.status() + " " + accepted.events().get(0).getClass().getSimpleName())
                    .isEqualTo(expected);
            assertThat(next.state().updatedAt()).isEqualTo(NOW);
            assertThat(next.createdAt()).isEqualTo(CREATED);
            assertThat(next.state().deletedAt() != null).isEqualTo(next.status() == Status.DELETED);
        }
    }

    private static AppInstance instance(Status status) {
        return new AppInstance(
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
                "{}",
                CREATED,
                ANYWHERE,
                "p1",
                LifecycleSettings.DEFAULT,
                null,
                null,
                new SubjectState(
                        status,
                        STATE,
                        status == Status.FAILED ? "crashed" : null,
                        GENERATION,
                        9,
                        CREATED,
                        status == Status.DELETED ? CREATED : null));
    }
}
