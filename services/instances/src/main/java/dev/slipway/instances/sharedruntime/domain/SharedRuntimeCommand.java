package dev.slipway.instances.sharedruntime.domain;

import dev.slipway.instances.member.domain.MemberOperation;
import dev.slipway.operations.domain.Attribution;
import dev.slipway.operations.domain.RuntimeCommandType;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * A command to the runtime adapter; which of the nullable parts it has depends on its type.
 *
 * @param runtime as it is when the command is sent
 * @param attachments those that the command concerns: all for a deployment, at most one for others
 */
public record SharedRuntimeCommand(
        UUID id,
        RuntimeCommandType type,
        SharedRuntime runtime,
        UUID operationId,
        Instant deadlineAt,
        List<Attachment> attachments,
        @Nullable Deployment deployment,
        @Nullable WorkerCall workerCall,
        @Nullable AppCall appCall,
        @Nullable UUID canceledCommandId) {

    /** The version to run; {@code fromVersion} is null for a creation. */
    public record Deployment(
            String manifest,
            String config,
            List<Worker> workers,
            String appVersion,
            @Nullable String fromVersion) {}

    /** The worker operation to perform. */
    public record WorkerCall(
            MemberOperation operation,
            Worker worker,
            @Nullable Worker replacement,
            Map<String, String> labels) {}

    /** The declared operation to run; {@code input} is JSON text. */
    public record AppCall(String operation, String input, Attribution submitter, UUID principalId) {}

    /** The ids and the deadline that every command has. */
    record Header(UUID id, UUID operationId, Instant deadlineAt) {}

    static SharedRuntimeCommand deploy(
            Header header,
            RuntimeCommandType type,
            SharedRuntime runtime,
            List<Attachment> attachments,
            Deployment deployment) {
        return of(header, type, runtime, attachments, deployment, null, null, null);
    }

    static SharedRuntimeCommand delete(Header header, SharedRuntime runtime) {
        return of(header, RuntimeCommandType.DELETE, runtime, List.of(), null, null, null, null);
    }

    static SharedRuntimeCommand cancel(Header header, SharedRuntime runtime, UUID canceledCommandId) {
        return of(header, RuntimeCommandType.CANCEL, runtime, List.of(), null, null, null, canceledCommandId);
    }

    static SharedRuntimeCommand worker(
            Header header, SharedRuntime runtime, List<Attachment> attachments, WorkerCall call) {
        return of(header, RuntimeCommandType.MEMBER, runtime, attachments, null, call, null, null);
    }

    static SharedRuntimeCommand operate(
            Header header, SharedRuntime runtime, List<Attachment> attachments, AppCall call) {
        return of(header, RuntimeCommandType.OPERATE, runtime, attachments, null, null, call, null);
    }

    private static SharedRuntimeCommand of(
            Header header,
            RuntimeCommandType type,
            SharedRuntime runtime,
            List<Attachment> attachments,
            @Nullable Deployment deployment,
            @Nullable WorkerCall workerCall,
            @Nullable AppCall appCall,
            @Nullable UUID canceledCommandId) {
        return new SharedRuntimeCommand(
                header.id,
                type,
                runtime,
                header.operationId,
                header.deadlineAt,
                attachments,
                deployment,
                workerCall,
                appCall,
                canceledCommandId);
    }
}
