package dev.slipway.instances.sharedruntime.domain;

import dev.slipway.instances.member.domain.MemberOperation;
import dev.slipway.instances.member.domain.MemberOperationInput;
import dev.slipway.instances.report.domain.AdapterReport;
import dev.slipway.instances.sharedruntime.domain.Attachment.Policies;
import dev.slipway.instances.sharedruntime.domain.SharedRuntimeRequests.RemovalMode;
import dev.slipway.instances.sharedruntime.domain.SharedRuntimeRequests.SubmissionRequest;
import dev.slipway.instances.sharedruntime.domain.WorkerRequests.WorkerRequest;
import dev.slipway.operations.domain.Operation;
import dev.slipway.operations.domain.Operation.Kind;
import dev.slipway.operations.domain.Refusal;
import dev.slipway.operations.domain.ReportType;
import dev.slipway.operations.domain.SubjectState.Status;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import static dev.slipway.instances.sharedruntime.domain.RuntimeFixture.CALLER;
import static dev.slipway.instances.sharedruntime.domain.RuntimeFixture.LATER;
import static dev.slipway.instances.sharedruntime.domain.RuntimeFixture.MANIFEST;
import static dev.slipway.instances.sharedruntime.domain.RuntimeFixture.OTHER_PROJECT;
import static dev.slipway.instances.sharedruntime.domain.RuntimeFixture.PROJECT;
import static dev.slipway.instances.sharedruntime.domain.RuntimeFixture.about;
import static dev.slipway.instances.sharedruntime.domain.RuntimeFixture.accepted;
import static dev.slipway.instances.sharedruntime.domain.RuntimeFixture.attachment;
import static dev.slipway.instances.sharedruntime.domain.RuntimeFixture.context;
import static dev.slipway.instances.sharedruntime.domain.RuntimeFixture.loaded;
import static dev.slipway.instances.sharedruntime.domain.RuntimeFixture.names;
import static dev.slipway.instances.sharedruntime.domain.RuntimeFixture.operation;
import static dev.slipway.instances.sharedruntime.domain.RuntimeFixture.refusal;
import static dev.slipway.instances.sharedruntime.domain.RuntimeFixture.worker;
import static org.assertj.core.api.Assertions.assertThat;

class AttachmentRequestsTest {
    private static final Attachment OWN = attachment(PROJECT, Attachment.Status.ATTACHED);
    private static final Attachment OTHER = attachment(OTHER_PROJECT, Attachment.Status.ATTACHED);

    @ParameterizedTest
    @EnumSource(Status.class)
    void attach_isPossible_untilTheRuntimeIsDeleted(Status status) {
        var decision = attach(loaded(status), null);

        if (status == Status.DELETING || status == Status.DELETED) {
            assertThat(refusal(decision)).isEqualTo("shared_runtime_state_conflict");
        } else {
            assertThat(accepted(decision).addedAttachments().get(0).status())
                    .isEqualTo(status == Status.RUNNING ? Attachment.Status.ATTACHED : Attachment.Status.REQUESTED);
        }
    }

    @Test
    void attach_isRefused_whenAttachedOrNotEligible() {
        assertThat(refusal(attach(loaded(Status.RUNNING, OWN), null))).isEqualTo("attachment_exists");
        assertThat(refusal(attach(loaded(Status.RUNNING), Refusal.of("app_not_entitled", ""))))
                .isEqualTo("app_not_entitled");
        assertThat(refusal(attach(loaded(Status.RUNNING, operation(1, Kind.DELETE, "delete", null)), null)))
                .isEqualTo("shared_runtime_state_conflict");
    }

    private static RuntimeDecision attach(LoadedSharedRuntime loaded, @Nullable Refusal eligibility) {
        return AttachmentRequests.attach(loaded, MANIFEST, PROJECT, Policies.DEFAULT, eligibility, context());
    }

    @ParameterizedTest
    @EnumSource(Attachment.Status.class)
    void submit_requiresAnAttachedProject(Attachment.Status status) {
        var attachment = attachment(PROJECT, status);

        assertThat(refusal(submit(loaded(Status.RUNNING, attachment), attachment, "submit")))
                .isEqualTo(status == Attachment.Status.ATTACHED ? "accepted" : "state_conflict");
    }

    @ParameterizedTest
    @EnumSource(Status.class)
    void submitAndOperate_requireARunningRuntime(Status status) {
        var expected = status == Status.RUNNING ? "accepted" : "shared_runtime_state_conflict";

        assertThat(refusal(submit(loaded(status, OWN), OWN, "submit"))).isEqualTo(expected);
        assertThat(refusal(submit(loaded(status, OWN), null, "purge"))).isEqualTo(expected);
        assertThat(refusal(add(loaded(status, OWN), OWN))).isEqualTo(expected);
        assertThat(refusal(add(loaded(status, OWN), null))).isEqualTo(expected);
    }

    @Test
    void submit_isRefused_byManifestAndPolicy() {
        assertThat(refusal(submit(loaded(Status.RUNNING, OWN), OWN, "purge"))).isEqualTo("submission_not_allowed");
        var busy = loaded(
                Status.RUNNING,
                OWN,
                OTHER,
                operation(1, Kind.DECLARED, "submit", OWN),
                operation(2, Kind.DECLARED, "submit", OWN));
        assertThat(refusal(submit(busy, OWN, "submit"))).isEqualTo("submission_limit_reached");
        assertThat(refusal(submit(busy, OTHER, "submit"))).isEqualTo("accepted");
    }

    @Test
    void submit_carriesTheProject_intoCommandAndOperation() {
        var change = accepted(submit(loaded(Status.RUNNING, OWN, OTHER), OWN, "submit"));

        var command = change.commands().get(0);
        assertThat(command.attachments()).containsExactly(OWN);
        assertThat(command.appCall().submitter().projectId()).isEqualTo(PROJECT);
        assertThat(change.openedOperation().attribution().attachmentId()).isEqualTo(OWN.id());
    }

    private static RuntimeDecision submit(LoadedSharedRuntime loaded, @Nullable Attachment attachment, String name) {
        return SharedRuntimeRequests.submit(
                loaded,
                MANIFEST,
                attachment,
                new SubmissionRequest(name, "scheduler.queue.submit", Duration.ofMinutes(1), "{}"),
                CALLER,
                context());
    }

    @Test
    void contribute_isRefused_atTheLimitOfTheProject_andOfTheComponent() {
        var full = loaded(Status.RUNNING, OWN, OTHER, worker(1, OWN), worker(2, OWN));
        assertThat(refusal(add(full, OWN))).isEqualTo("contribution_limit_reached");
        assertThat(refusal(add(full, OTHER))).isEqualTo("accepted");
        var crowded = loaded(Status.RUNNING, OWN, OTHER, worker(1, OWN), worker(2, null), worker(3, null));
        assertThat(refusal(add(crowded, OTHER))).isEqualTo("component_bounds");
    }

    @Test
    void operate_doesNotFindAnotherProjectsWorker() {
        var theirs = worker(1, OTHER);
        var loaded = loaded(Status.RUNNING, OWN, OTHER, theirs);

        assertThat(refusal(operate(loaded, OWN, MemberOperation.REMOVE, theirs.id())))
                .isEqualTo("worker_not_found");
        assertThat(refusal(operate(loaded, OTHER, MemberOperation.REMOVE, theirs.id())))
                .isEqualTo("accepted");
        assertThat(refusal(operate(loaded, null, MemberOperation.REMOVE, theirs.id())))
                .isEqualTo("accepted");
    }

    @Test
    void operate_isRefused_whileTheSameWorkerOrTheRuntimeChanges() {
        var own = worker(1, OWN);
        var another = worker(2, OWN);
        var busy = loaded(Status.RUNNING, OWN, own, another, operation(1, Kind.MEMBER, "drain", OWN, own.id()));
        assertThat(refusal(operate(busy, OWN, MemberOperation.REMOVE, own.id())))
                .isEqualTo("operation_in_progress");
        assertThat(refusal(operate(busy, OWN, MemberOperation.REMOVE, another.id())))
                .isEqualTo("accepted");
        var upgraded = loaded(Status.RUNNING, OWN, own, operation(1, Kind.UPGRADE, "upgrade", null));
        assertThat(operate(upgraded, OWN, MemberOperation.REMOVE, own.id()))
                .isInstanceOfSatisfying(RuntimeDecision.Refused.class, refused -> assertThat(
                                refused.refusal().details())
                        .as("a project is not told about the owner's operation")
                        .isEmpty());
    }

    private static RuntimeDecision add(LoadedSharedRuntime loaded, @Nullable Attachment attachment) {
        return operate(loaded, attachment, MemberOperation.ADD, null);
    }

    private static RuntimeDecision operate(
            LoadedSharedRuntime loaded,
            @Nullable Attachment attachment,
            MemberOperation operation,
            @Nullable UUID workerId) {
        return WorkerRequests.operate(
                loaded,
                MANIFEST,
                attachment,
                new WorkerRequest(operation, workerId, "worker", Worker.Capacity.UNSPECIFIED, Map.of()),
                CALLER,
                MemberOperationInput::toString,
                context());
    }

    @ParameterizedTest
    @EnumSource(Attachment.Status.class)
    void detach_endsAtOnce_whenNothingDependsOnIt(Attachment.Status status) {
        var attachment = attachment(PROJECT, status);
        var change = accepted(detach(loaded(Status.RUNNING, attachment), attachment, RemovalMode.REFUSE));

        assertThat(names(change))
                .isEqualTo(status == Attachment.Status.DETACHING ? List.of() : List.of("attachment detached"));
    }

    @Test
    void detach_listsTheBlockers_withoutMode() {
        var loaded = loaded(Status.RUNNING, OWN, worker(1, OWN), operation(1, Kind.DECLARED, "submit", OWN));

        assertThat(detach(loaded, OWN, RemovalMode.REFUSE))
                .isInstanceOfSatisfying(RuntimeDecision.Refused.class, refused -> {
                    assertThat(refused.refusal().code()).isEqualTo("attachment_in_use");
                    assertThat(refused.refusal().blockers())
                            .extracting(Operation.Blocker::code)
                            .containsExactly("worker", "operation");
                });
    }

    @Test
    void drain_removesTheWorkers_andDetachesWhenAllIsGone() {
        var work = operation(1, Kind.DECLARED, "submit", OWN);
        var loaded = loaded(Status.RUNNING, OWN, OTHER, worker(1, OTHER), work);
        var draining = accepted(detach(loaded, OWN, RemovalMode.DRAIN));
        assertThat(names(draining)).containsExactly("attachment detaching", "detach accepted");

        var detaching = draining.updatedAttachments().get(0);
        var detach = draining.openedOperation();
        var ending = about(loaded(Status.RUNNING, detaching, OTHER, worker(1, OTHER), work, detach), work);
        var ended = accepted(SharedRuntimeReports.apply(ending, succeeded(), context()));

        assertThat(names(ended)).containsExactly("submit succeeded", "attachment detached", "detach succeeded");
    }

    @Test
    void drain_sendsOneRemovalPerWorker() {
        var change =
                accepted(detach(loaded(Status.RUNNING, OWN, worker(1, OWN), worker(2, OWN)), OWN, RemovalMode.DRAIN));

        assertThat(names(change))
                .containsExactly(
                        "attachment detaching",
                        "detach accepted",
                        "remove accepted",
                        "worker removed",
                        "remove accepted",
                        "worker removed");
        assertThat(change.commands()).hasSize(2);
    }

    @Test
    void drain_fails_atItsDeadline() {
        var detaching = attachment(PROJECT, Attachment.Status.DETACHING);
        var detach = operation(1, Kind.DETACH, "detach", detaching);
        var loaded = about(loaded(Status.RUNNING, detaching, worker(1, detaching), detach), detach);
        var late = new dev.slipway.instances.appinstance.domain.DecisionContext(
                LATER, "c", context().ids());

        var change =
                SharedRuntimeReports.expire(loaded, new Operation.Blocker("runtime_silent", "silent", "adapter"), late);

        assertThat(names(change)).containsExactly("detach failed", "attachment failed");
    }

    @Test
    void force_cancelsTheWork_andDetachesAtOnce() {
        var work = operation(1, Kind.DECLARED, "submit", OWN);
        var theirs = operation(2, Kind.DECLARED, "submit", OTHER);
        var change = accepted(
                detach(loaded(Status.RUNNING, OWN, OTHER, worker(1, OWN), work, theirs), OWN, RemovalMode.FORCE));

        assertThat(names(change))
                .containsExactly("submit canceled", "attachment detached", "remove accepted", "worker removed");
    }

    private static RuntimeDecision detach(LoadedSharedRuntime loaded, Attachment attachment, RemovalMode mode) {
        return AttachmentRequests.detach(loaded, attachment, List.of(), mode, CALLER, LATER, context());
    }

    @Test
    void delete_waitsForTheDetachments_whenItDrains() {
        var loaded = loaded(Status.RUNNING, OWN, worker(1, OWN));
        assertThat(refusal(SharedRuntimeRequests.delete(
                        loaded, RemovalMode.REFUSE, CALLER, Duration.ofMinutes(1), context())))
                .isEqualTo("shared_runtime_in_use");

        var change = accepted(
                SharedRuntimeRequests.delete(loaded, RemovalMode.DRAIN, CALLER, Duration.ofMinutes(1), context()));

        assertThat(change.next().status()).isEqualTo(Status.RUNNING);
        assertThat(names(change))
                .containsExactly(
                        "attachment detaching",
                        "detach accepted",
                        "remove accepted",
                        "worker removed",
                        "delete accepted");
    }

    @Test
    void delete_isRefused_whileAnUpgradeRuns_ifItHasToDrain() {
        var loaded = loaded(Status.RUNNING, OWN, operation(1, Kind.UPGRADE, "upgrade", null));

        assertThat(refusal(SharedRuntimeRequests.delete(
                        loaded, RemovalMode.DRAIN, CALLER, Duration.ofMinutes(1), context())))
                .isEqualTo("operation_in_progress");
        assertThat(names(accepted(SharedRuntimeRequests.delete(
                        loaded, RemovalMode.FORCE, CALLER, Duration.ofMinutes(1), context()))))
                .containsExactly("attachment detached", "delete accepted", "upgrade canceled", "Deleting");
    }

    @Test
    void forcedDelete_continuesTheDeletionThatDrains() {
        var detaching = attachment(PROJECT, Attachment.Status.DETACHING);
        var loaded = loaded(
                Status.RUNNING,
                detaching,
                operation(1, Kind.DETACH, "detach", detaching),
                operation(2, Kind.DELETE, "delete", null));

        var change = accepted(
                SharedRuntimeRequests.delete(loaded, RemovalMode.FORCE, CALLER, Duration.ofMinutes(1), context()));

        assertThat(change.openedOperations()).isEmpty();
        assertThat(names(change)).containsExactly("attachment detached", "detach succeeded", "Deleting");
        assertThat(change.commands()).hasSize(1);
    }

    @Test
    void deletedReport_removesTheWorkersThatAreLeft() {
        var loaded = loaded(Status.DELETING, OWN, worker(1, OWN));
        var change = SharedRuntimeChange.Builder.of(loaded);

        SharedRuntimeReports.endDeleted(
                change,
                SharedRuntimeLifecycle.reportDeleted(
                        loaded.runtime(), loaded.runtime().generation(), LATER),
                context());

        assertThat(names(change.build())).containsExactly("Deleted", "worker removed", "attachment detached");
        assertThat(change.workers()).noneMatch(Worker::isPresent);
    }

    @ParameterizedTest
    @EnumSource(Status.class)
    void delete_leadsToDeletion_withoutAttachments(Status status) {
        var change = accepted(SharedRuntimeRequests.delete(
                loaded(status), RemovalMode.REFUSE, CALLER, Duration.ofMinutes(1), context()));

        assertThat(change.next().status()).isEqualTo(status == Status.DELETED ? Status.DELETED : Status.DELETING);
    }

    @Test
    void update_returnsWhatExceedsTheNewPolicies() {
        var loaded = loaded(
                Status.RUNNING,
                OWN,
                worker(1, OWN),
                worker(2, OWN),
                operation(1, Kind.DECLARED, "submit", OWN),
                operation(2, Kind.DECLARED, "submit", OWN));
        var next = accepted(AttachmentRequests.update(
                        loaded,
                        OWN,
                        new Policies(
                                new ContributionPolicy(true, 1, null, null),
                                new SubmissionPolicy(true, null, 1),
                                "{}",
                                null),
                        MANIFEST,
                        context()))
                .updatedAttachments()
                .get(0);

        var exceeding = AttachmentRequests.findExceeding(loaded, next);
        assertThat(exceeding.workerIds()).containsExactly(new UUID(3, 2));
        assertThat(exceeding.operationIds()).containsExactly(new UUID(4, 2));
        assertThat(next.revision()).isEqualTo(2);
    }

    private static AdapterReport succeeded() {
        return new AdapterReport(
                ReportType.OPERATION,
                3,
                "{}",
                null,
                null,
                null,
                null,
                Operation.Status.SUCCEEDED,
                null,
                null,
                List.of(),
                null);
    }
}
