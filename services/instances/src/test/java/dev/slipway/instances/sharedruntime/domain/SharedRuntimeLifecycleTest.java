package dev.slipway.instances.sharedruntime.domain;

import dev.slipway.instances.launch.domain.LaunchEligibility;
import dev.slipway.instances.launch.domain.LifecycleSettings;
import dev.slipway.instances.launch.domain.ManifestSpec;
import dev.slipway.instances.launch.domain.ManifestSpec.SharedRuntimeSupport;
import dev.slipway.instances.launch.domain.Placement;
import dev.slipway.instances.launch.domain.ResolvedConfig;
import dev.slipway.instances.launch.domain.VersionChange;
import dev.slipway.instances.sharedruntime.domain.RuntimeRequest.Eligibility;
import dev.slipway.instances.sharedruntime.domain.RuntimeRequest.ProjectEligibility;
import dev.slipway.operations.domain.Refusal;
import dev.slipway.operations.domain.SubjectState.Status;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;

import static dev.slipway.instances.sharedruntime.domain.RuntimeFixture.MANIFEST;
import static dev.slipway.instances.sharedruntime.domain.RuntimeFixture.NEXT_VERSION;
import static dev.slipway.instances.sharedruntime.domain.RuntimeFixture.NOW;
import static dev.slipway.instances.sharedruntime.domain.RuntimeFixture.ORG;
import static dev.slipway.instances.sharedruntime.domain.RuntimeFixture.PERSON;
import static dev.slipway.instances.sharedruntime.domain.RuntimeFixture.PROJECT;
import static dev.slipway.instances.sharedruntime.domain.RuntimeFixture.RUNTIME;
import static dev.slipway.instances.sharedruntime.domain.RuntimeFixture.TWO_JOBS;
import static dev.slipway.instances.sharedruntime.domain.RuntimeFixture.TWO_WORKERS;
import static dev.slipway.instances.sharedruntime.domain.RuntimeFixture.accepted;
import static dev.slipway.instances.sharedruntime.domain.RuntimeFixture.context;
import static dev.slipway.instances.sharedruntime.domain.RuntimeFixture.names;
import static dev.slipway.instances.sharedruntime.domain.RuntimeFixture.refusal;
import static dev.slipway.instances.sharedruntime.domain.RuntimeFixture.runtime;
import static org.assertj.core.api.Assertions.assertThat;

class SharedRuntimeLifecycleTest {
    /** The state after every transition from every status; {@code -} is unchanged, {@code x} refused. */
    private static final String TRANSITIONS = """
            transition  REQUESTED DEPLOYING RUNNING  FAILED   DELETING DELETED
            deploying   DEPLOYING -         -        -        -        x
            running     RUNNING   RUNNING   RUNNING  RUNNING  -        x
            failed      FAILED    FAILED    FAILED   -        FAILED   x
            deleted     x         x         x        DELETED  DELETED  -
            upgraded    x         x         RUNNING  RUNNING  -        x
            expired     FAILED    FAILED    -        -        -        -
            delete      DELETING  DELETING  DELETING DELETING -        -
            forced      x         x         x        DELETED  DELETED  -
            change      x         x         RUNNING  x        x        x
            """;

    private static final VersionChange UPGRADE = new VersionChange(NEXT_VERSION, "{}", LifecycleSettings.DEFAULT, null);

    @Test
    void transition_leadsToTheTablesState_fromEveryStatus() {
        var actual = new ArrayList<String>();
        actual.add(words(TRANSITIONS.lines().findFirst().orElseThrow()));
        transitions(3).forEach((name, transition) -> {
            var line = new StringBuilder(name);
            for (var status : Status.values()) {
                line.append(' ').append(describe(runtime(status), transition.apply(runtime(status))));
            }
            actual.add(line.toString());
        });

        assertThat(actual)
                .containsExactlyElementsOf(TRANSITIONS
                        .lines()
                        .map(SharedRuntimeLifecycleTest::words)
                        .toList());
    }

    @Test
    void report_changesNothing_whenItsGenerationIsOld() {
        for (var name : List.of("deploying", "running", "failed", "deleted", "upgraded")) {
            for (var status : Status.values()) {
                var transition = transitions(2).get(name);
                assertThat(describe(runtime(status), transition.apply(runtime(status))))
                        .as("%s while %s", name, status)
                        .isEqualTo("-");
            }
        }
    }

    private static Map<String, Function<SharedRuntime, RuntimeTransition>> transitions(int generation) {
        var all = new LinkedHashMap<String, Function<SharedRuntime, RuntimeTransition>>();
        all.put("deploying", r -> SharedRuntimeLifecycle.reportDeploying(r, generation, "{\"a\":1}", NOW));
        all.put("running", r -> SharedRuntimeLifecycle.reportRunning(r, generation, "{\"a\":1}", NOW));
        all.put("failed", r -> SharedRuntimeLifecycle.reportFailed(r, generation, "why", NOW));
        all.put("deleted", r -> SharedRuntimeLifecycle.reportDeleted(r, generation, NOW));
        all.put("upgraded", r -> SharedRuntimeLifecycle.reportUpgraded(r, generation, PERSON, UPGRADE, "{}", NOW));
        all.put("expired", r -> SharedRuntimeLifecycle.expireCreation(r, "late", NOW));
        all.put("delete", r -> SharedRuntimeLifecycle.delete(r, NOW));
        all.put("forced", r -> SharedRuntimeLifecycle.forceDelete(r, NOW));
        all.put("change", SharedRuntimeLifecycle::beginChange);
        return all;
    }

    private static String describe(SharedRuntime before, RuntimeTransition transition) {
        if (transition instanceof RuntimeTransition.Refused) {
            return "x";
        }
        var next = ((RuntimeTransition.Accepted) transition).next();
        return next.equals(before) ? "-" : next.status().name();
    }

    private static String words(String line) {
        return line.strip().replaceAll(" +", " ");
    }

    @Test
    void create_isRefused_byTheFirstReason() {
        assertThat(refusal(create(eligibility(null, null, Refusal.of("app_denied", "")), MANIFEST, List.of())))
                .isEqualTo("app_denied");
        assertThat(refusal(create(
                        eligibility(null, null, null), RuntimeFixture.manifest(SharedRuntimeSupport.NONE), List.of())))
                .isEqualTo("shared_runtime_unsupported");
        assertThat(refusal(create(eligibility(RUNTIME, null, null), MANIFEST, List.of())))
                .isEqualTo("shared_runtime_exists");
        assertThat(refusal(create(
                        eligibility(null, Refusal.of("operator_identity_invalid", ""), null), MANIFEST, List.of())))
                .isEqualTo("operator_identity_invalid");
        assertThat(refusal(create(
                        eligibility(null, null, null),
                        MANIFEST,
                        List.of(new ProjectEligibility(PROJECT, Refusal.of("app_not_entitled", ""))))))
                .isEqualTo("app_not_entitled");
    }

    @Test
    void create_deploysTheController_andAttachesTheProjects() {
        var change = accepted(
                create(eligibility(null, null, null), MANIFEST, List.of(new ProjectEligibility(PROJECT, null))));

        assertThat(names(change)).containsExactly("Requested", "attachment requested", "create accepted");
        assertThat(change.addedWorkers())
                .extracting(worker -> worker.member().component() + " " + worker.source())
                .containsExactly("head TENANT", "worker TENANT");
        var command = change.commands().get(0);
        assertThat(command.attachments()).extracting(Attachment::projectId).containsExactly(PROJECT);
        assertThat(command.runtime().ref().projectId()).isNull();
        assertThat(change.openedOperation().attribution().projectId()).isNull();
    }

    private static Eligibility eligibility(
            @Nullable UUID existing, @Nullable Refusal operator, @Nullable Refusal refusal) {
        return new Eligibility(
                ORG,
                new LaunchEligibility.Version(new UUID(0, 6), "bare_metal"),
                new LaunchEligibility.Policy("p1", Placement.UNSPECIFIED),
                existing,
                operator,
                refusal);
    }

    private static RuntimeDecision create(
            Eligibility eligibility, ManifestSpec manifest, List<ProjectEligibility> projects) {
        var request = new RuntimeRequest(
                ORG,
                "default",
                "grid",
                "1.0.0",
                "Grid",
                null,
                Placement.UNSPECIFIED,
                "{}",
                TWO_WORKERS,
                TWO_JOBS,
                projects.stream().map(ProjectEligibility::projectId).toList(),
                PERSON,
                PERSON,
                "user");
        return SharedRuntimeLifecycle.create(
                request,
                eligibility,
                manifest,
                new ResolvedConfig("{}", List.of()),
                projects,
                RUNTIME,
                "slipway:name",
                context());
    }
}
