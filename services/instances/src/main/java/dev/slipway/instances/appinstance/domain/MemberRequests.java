package dev.slipway.instances.appinstance.domain;

import dev.slipway.instances.appinstance.domain.InstanceCommand.MemberCall;
import dev.slipway.instances.launch.domain.ManifestSpec;
import dev.slipway.instances.member.domain.Member;
import dev.slipway.instances.member.domain.MemberDecision;
import dev.slipway.instances.member.domain.MemberLifecycle;
import dev.slipway.instances.member.domain.MemberOperation;
import dev.slipway.instances.member.domain.MemberOperationInput;
import dev.slipway.operations.domain.NewOperation;
import dev.slipway.operations.domain.NewOperation.Requester;
import dev.slipway.operations.domain.Operation;
import dev.slipway.operations.domain.Operation.Kind;
import dev.slipway.operations.domain.Refusal;
import dev.slipway.operations.domain.SubjectState.Status;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;

/** Decides on requests to change the members of an instance. */
public final class MemberRequests {
    private static final String ACTION = "apps.instance.member.operate";

    private MemberRequests() {}

    /** A requested member operation: on a member or, to add one, on a component. */
    public record MemberRequest(
            MemberOperation operation, @Nullable UUID memberId, String component, Map<String, String> labels) {}

    /** Applies the result of a member operation to the members, however it ended. */
    static void settle(InstanceChange.Builder change, LoadedInstance loaded, Operation ended, DecisionContext context) {
        for (var member : loaded.members()) {
            change.updateMember(
                    member,
                    MemberLifecycle.applyResult(member, ended, loaded.memberInput(), context.now()),
                    ended.id());
        }
    }

    /**
     * Decides on a member operation.
     *
     * @param encodeInput encodes the input as JSON
     */
    public static ChangeDecision operate(
            LoadedInstance loaded,
            ManifestSpec manifest,
            MemberRequest request,
            Requester requester,
            Function<MemberOperationInput, String> encodeInput,
            DecisionContext context) {
        var instance = loaded.instance();
        if (instance.status() != Status.RUNNING) {
            return refused(InstanceRequests.notRunning(
                    instance, "Members can be operated on only while the instance is running."));
        }
        Member before = null;
        if (request.memberId() != null) {
            before = loaded.members().stream()
                    .filter(member -> member.id().equals(request.memberId()))
                    .findFirst()
                    .orElse(null);
            if (before == null) {
                return refused(notFound(request.memberId()));
            }
        }
        var key = before == null ? request.component() : before.component();
        var component = manifest.components().stream()
                .filter(each -> each.key().equals(key))
                .findFirst()
                .orElse(null);
        if (component == null) {
            return refused(Refusal.invalid("/component", "is not a component of the version that the instance runs"));
        }
        var decision = before == null
                ? MemberLifecycle.add(component, loaded.members(), newMember(instance, key, request.labels(), context))
                : MemberLifecycle.operate(request.operation(), component, loaded.members(), before, context.now());
        if (decision instanceof MemberDecision.Refused refused) {
            return refused(Refusal.of(refused.code(), refused.message()));
        }
        var other = loaded.mutatingOperation();
        if (other != null) {
            return refused(Refusal.operationInProgress(other));
        }
        var member = ((MemberDecision.Accepted) decision).next();
        var replacement = request.operation() == MemberOperation.REPLACE
                ? newMember(instance, key, member.labels(), context)
                : null;
        return open(
                InstanceChange.Builder.of(instance),
                new MemberCall(request.operation(), member, replacement, request.labels()),
                before,
                context.now().plus(manifest.deadlines().member()),
                requester,
                encodeInput,
                context);
    }

    private static ChangeDecision open(
            InstanceChange.Builder change,
            MemberCall call,
            @Nullable Member before,
            Instant deadline,
            Requester requester,
            Function<MemberOperationInput, String> encodeInput,
            DecisionContext context) {
        var operationId = context.newId();
        var commandId = context.newId();
        var replacement = call.replacement();
        var input = new MemberOperationInput(
                call.member().id(),
                call.member().component(),
                replacement == null ? null : replacement.id(),
                call.labels());
        change.send(InstanceCommand.member(commandId, change.current(), operationId, deadline, call));
        change.open(
                new NewOperation(
                        operationId,
                        Kind.MEMBER,
                        call.operation().text(),
                        ACTION,
                        requester,
                        deadline,
                        commandId,
                        encodeInput.apply(input),
                        call.member().id(),
                        null,
                        null),
                context);
        if (before == null) {
            change.addMember(call.member(), operationId);
        } else {
            change.updateMember(before, call.member(), operationId);
        }
        if (replacement != null) {
            change.addMember(replacement, operationId);
        }
        return change.accepted();
    }

    private static Member newMember(
            AppInstance instance, String component, Map<String, String> labels, DecisionContext context) {
        return Member.create(context.newId(), instance.ref(), component, labels, context.now());
    }

    private static ChangeDecision refused(Refusal refusal) {
        return new ChangeDecision.Refused(refusal);
    }

    static Refusal notFound(UUID id) {
        return Refusal.of("member_not_found", "This instance has no member " + id + ".");
    }
}
