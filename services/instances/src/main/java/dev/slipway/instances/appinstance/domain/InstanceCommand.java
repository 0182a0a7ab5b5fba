package dev.slipway.instances.appinstance.domain;

import dev.slipway.instances.member.domain.Member;
import dev.slipway.instances.member.domain.MemberOperation;
import dev.slipway.operations.domain.RuntimeCommandType;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * A command to the runtime adapter; which of the nullable parts it has depends on its type.
 *
 * @param instance as it is when the command is sent
 */
public record InstanceCommand(
        UUID id,
        RuntimeCommandType type,
        AppInstance instance,
        UUID operationId,
        Instant deadlineAt,
        @Nullable Deployment deployment,
        @Nullable MemberCall memberCall,
        @Nullable AppCall appCall,
        @Nullable UUID canceledCommandId) {

    /** The version to run; {@code fromVersion} is null for a launch. */
    public record Deployment(
            String manifest,
            String config,
            List<Member> members,
            String appVersion,
            @Nullable String fromVersion) {}

    /** The member operation to perform. */
    public record MemberCall(
            MemberOperation operation,
            Member member,
            @Nullable Member replacement,
            Map<String, String> labels) {}

    /** The declared operation to run; {@code input} is JSON text. */
    public record AppCall(String operation, String input) {}

    static InstanceCommand deploy(
            UUID id,
            RuntimeCommandType type,
            AppInstance instance,
            UUID operationId,
            Instant deadlineAt,
            Deployment deployment) {
        return new InstanceCommand(id, type, instance, operationId, deadlineAt, deployment, null, null, null);
    }

    static InstanceCommand delete(UUID id, AppInstance instance, UUID operationId, Instant deadlineAt) {
        return new InstanceCommand(
                id, RuntimeCommandType.DELETE, instance, operationId, deadlineAt, null, null, null, null);
    }

    static InstanceCommand cancel(
            UUID id, AppInstance instance, UUID operationId, Instant deadlineAt, UUID canceledCommandId) {
        return new InstanceCommand(
                id, RuntimeCommandType.CANCEL, instance, operationId, deadlineAt, null, null, null, canceledCommandId);
    }

    static InstanceCommand member(
            UUID id, AppInstance instance, UUID operationId, Instant deadlineAt, MemberCall call) {
        return new InstanceCommand(
                id, RuntimeCommandType.MEMBER, instance, operationId, deadlineAt, null, call, null, null);
    }

    static InstanceCommand operate(UUID id, AppInstance instance, UUID operationId, Instant deadlineAt, AppCall call) {
        return new InstanceCommand(
                id, RuntimeCommandType.OPERATE, instance, operationId, deadlineAt, null, null, call, null);
    }
}
