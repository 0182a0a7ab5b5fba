package dev.slipway.instances.appinstance.domain;

import dev.slipway.instances.member.domain.Member;
import dev.slipway.instances.member.domain.MemberOperationInput;
import dev.slipway.operations.domain.Operation;
import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * A locked instance with the inputs of a decision.
 *
 * @param operation the operation that a report, a cancellation or a deadline is about; null without one
 * @param memberInput the input of that operation, if it is a member operation
 * @param open the operations that have not ended, the oldest first
 * @param members all members that the instance has ever had
 */
public record LoadedInstance(
        AppInstance instance,
        @Nullable Operation operation,
        MemberOperationInput memberInput,
        List<Operation> open,
        List<Member> members) {

    /** Returns the operation that changes the instance; null if none does. */
    @Nullable
    Operation mutatingOperation() {
        return open.stream()
                .filter(each -> each.kind().isMutating())
                .findFirst()
                .orElse(null);
    }
}
