package dev.slipway.instances.appinstance.domain;

import dev.slipway.instances.appinstance.domain.InstanceRequests.AppOperationRequest;
import dev.slipway.instances.appinstance.domain.MemberRequests.MemberRequest;
import dev.slipway.instances.launch.domain.LaunchEligibility;
import dev.slipway.instances.launch.domain.Placement;
import dev.slipway.instances.launch.domain.ResolvedConfig;
import dev.slipway.instances.member.domain.Member;
import dev.slipway.instances.member.domain.MemberOperation;
import dev.slipway.operations.domain.Operation;
import dev.slipway.operations.domain.Operation.Kind;
import dev.slipway.operations.domain.OperationLifecycle;
import dev.slipway.operations.domain.RuntimeCommandType;
import dev.slipway.operations.domain.SubjectState.Status;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import static dev.slipway.instances.appinstance.domain.DecisionFixture.*;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

class InstanceRequestsTest {
    private static final LaunchEligibility ELIGIBLE = new LaunchEligibility(
            ID,
            ID,
            new LaunchEligibility.Version(NEXT_VERSION.versionId(), "bare_metal"),
            new LaunchEligibility.Policy("p1", Placement.UNSPECIFIED),
            ACCOUNT,
            null);

    @ParameterizedTest
    @EnumSource(
            value = Status.class,
            names = {"RUNNING"},
            mode = EnumSource.Mode.EXCLUDE)
    void checkChangeable_refuses_whenNotRunning(Status status) {
        assertThat(requireNonNull(InstanceRequests.checkChangeable(loaded(instance(status), null)))
                        .code())
                .isEqualTo("instance_state_conflict");
    }

    @Test
    void checkChangeable_refusesWithTheOpenOperation_whenOneChangesTheInstance() {
        var open = operation(Kind.MEMBER, "drain", null);

        var refusal = requireNonNull(InstanceRequests.checkChangeable(loaded(instance(Status.RUNNING), open)));

        assertThat(refusal.code()).isEqualTo("operation_in_progress");
        assertThat(refusal.details()).containsEntry("operation_id", open.id().toString());
    }

    @Test
    void checkChangeable_accepts_whenOnlyADeclaredOperationIsOpen() {
        assertThat(InstanceRequests.checkChangeable(
                        loaded(instance(Status.RUNNING), operation(Kind.DECLARED, "ping", null))))
                .isNull();
    }

    @Test
    void upgrade_incrementsTheGenerationAndSendsTheTarget() {
        var instance = instance(Status.RUNNING);
        var launch = instance.toLaunch("2.0.0", "{\"a\":1}", PERSON, ACCOUNT);

        var change = accepted(InstanceRequests.upgrade(
                loaded(instance, null, member(1)),
                launch,
                ELIGIBLE,
                MANIFEST,
                new ResolvedConfig("{\"a\":1}", List.of()),
                context()));

        var command = change.commands().get(0);
        assertThat(change.next().generation()).isEqualTo(instance.generation() + 1);
        assertThat(change.next().app()).isEqualTo(VERSION);
        assertThat(command.type()).isEqualTo(RuntimeCommandType.UPGRADE);
        assertThat(requireNonNull(command.deployment()).appVersion()).isEqualTo("2.0.0");
        assertThat(requireNonNull(command.deployment()).fromVersion()).isEqualTo("1.0.0");
        assertThat(requireNonNull(command.deployment()).members()).hasSize(1);
        assertThat(change.openedOperation().input()).isEqualTo("{\"config\":{\"a\":1}}");
        assertThat(change.openedOperation().deadlineAt()).isEqualTo(NOW.plusSeconds(120));
        assertThat(events(change)).containsExactly("upgrade accepted");
    }

    @Test
    void delete_cancelsOpenOperationsFirst() {
        var change = InstanceRequests.delete(
                loaded(instance(Status.RUNNING), operation(Kind.UPGRADE)), REQUESTER, context());

        assertThat(events(change)).containsExactly("upgrade canceled", "Deleting", "delete accepted");
        assertThat(change.operationUpdates()).allMatch(update -> update.endsOperation());
        assertThat(change.commands()).extracting(InstanceCommand::type).containsExactly(RuntimeCommandType.DELETE);
        assertThat(change.commands().get(0).instance().generation()).isEqualTo(4);
    }

    @Test
    void forceDelete_deletesTheCommands_andIsRefused_whenRunning() {
        var change = accepted(InstanceRequests.forceDelete(
                loaded(instance(Status.DELETING), operation(Kind.DELETE)), "gone", context()));

        assertThat(events(change)).containsExactly("ForceDeleted", "Deleted", "delete canceled");
        assertThat(change.deletesCommands()).isTrue();
        assertThat(refused(InstanceRequests.forceDelete(loaded(instance(Status.RUNNING), null), "gone", context())))
                .isEqualTo("instance_state_conflict");
    }

    @Test
    void cancel_sendsACommand_andChangesNothing_whenRepeated() {
        var running = operation(Kind.UPGRADE);

        var first = accepted(InstanceRequests.cancel(loaded(instance(Status.RUNNING), running), context()));
        var canceling = first.operationUpdates().get(0).next();
        var second = accepted(InstanceRequests.cancel(loaded(instance(Status.RUNNING), canceling), context()));

        assertThat(first.commands().get(0).canceledCommandId()).isEqualTo(COMMAND);
        assertThat(canceling.status()).isEqualTo(Operation.Status.RUNNING);
        assertThat(second.commands()).isEmpty();
        assertThat(second.events()).isEmpty();
    }

    @Test
    void cancel_isRefused_whenTheOperationHasEnded() {
        var ended = OperationLifecycle.reportFailed(operation(Kind.UPGRADE), "no", NOW)
                .next();

        assertThat(refused(InstanceRequests.cancel(loaded(instance(Status.RUNNING), ended), context())))
                .isEqualTo("operation_not_cancelable");
    }

    @Test
    void operateMember_addsTheReplacement() {
        var member = member(1);

        var change = accepted(operate(MemberOperation.REPLACE, member.id(), member, member(2)));

        assertThat(events(change)).containsExactly("replace accepted", "member ready", "member pending");
        assertThat(change.updatedMembers()).extracting(Member::desired).containsExactly(Member.DesiredState.REMOVED);
        assertThat(change.addedMembers()).hasSize(1);
        assertThat(change.openedOperation().memberId()).isEqualTo(member.id());
    }

    @Test
    void operateMember_isRefused_whenUnknownOrBelowTheMinimum() {
        assertThat(refused(operate(MemberOperation.DRAIN, new UUID(9, 9), member(1))))
                .isEqualTo("member_not_found");
        assertThat(refused(operate(MemberOperation.REMOVE, member(1).id(), member(1))))
                .isEqualTo("component_bounds");
        assertThat(refused(operate(MemberOperation.CORDON, member(1).id(), member(1))))
                .isEqualTo("member_operation_not_allowed");
    }

    @Test
    void runAppOperation_sendsTheInput() {
        var change = InstanceRequests.runAppOperation(
                instance(Status.RUNNING),
                new AppOperationRequest("queue.submit", "scheduler.queue.submit", Duration.ofSeconds(9), "{\"n\":1}"),
                REQUESTER,
                context());

        assertThat(requireNonNull(change.commands().get(0).appCall()).input()).isEqualTo("{\"n\":1}");
        assertThat(change.openedOperation().action()).isEqualTo("scheduler.queue.submit");
        assertThat(events(change)).containsExactly("queue.submit accepted");
    }

    private static ChangeDecision operate(MemberOperation operation, UUID memberId, Member... members) {
        return MemberRequests.operate(
                loaded(instance(Status.RUNNING), null, members),
                MANIFEST,
                new MemberRequest(operation, memberId, "", Map.of()),
                REQUESTER,
                input -> "{}",
                context());
    }
}
