package dev.slipway.instances.sharedruntime.domain;

import dev.slipway.instances.member.domain.Member;
import dev.slipway.instances.member.domain.MemberOperationInput;
import dev.slipway.operations.domain.Operation;
import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.UUID;

/**
 * A locked shared runtime with the inputs of a decision.
 *
 * @param operation the operation that a report, a cancellation or a deadline is about; null without one
 * @param memberInput the input of that operation, if it is a worker operation
 * @param open the operations that have not ended, the oldest first
 * @param workers all workers that are not removed, the oldest first
 * @param attachments all attachments that are not detached
 */
public record LoadedSharedRuntime(
        SharedRuntime runtime,
        @Nullable Operation operation,
        MemberOperationInput memberInput,
        List<Operation> open,
        List<Worker> workers,
        List<Attachment> attachments) {

    /** Returns the operation that changes the runtime as a whole; null if none does. */
    @Nullable
    Operation exclusiveOperation() {
        return open.stream()
                .filter(each -> each.kind().isMutating() && each.kind() != Operation.Kind.MEMBER)
                .findFirst()
                .orElse(null);
    }

    /** Returns the attachment of a project; null if it is not attached. */
    public @Nullable Attachment attachmentOf(UUID projectId) {
        return attachments.stream()
                .filter(each -> each.projectId().equals(projectId))
                .findFirst()
                .orElse(null);
    }

    public @Nullable Attachment attachment(UUID id) {
        return attachments.stream()
                .filter(each -> each.id().equals(id))
                .findFirst()
                .orElse(null);
    }

    List<Member> members() {
        return workers.stream().map(Worker::member).toList();
    }
}
