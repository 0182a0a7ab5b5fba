package dev.slipway.operations.domain;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.UUID;

/** The changes that one decision makes to the operations and commands of a subject. */
public interface SubjectChange {
    List<Operation> openedOperations();

    List<OperationUpdate> operationUpdates();

    /** Returns a command to resend; null without one. */
    @Nullable
    UUID resendCommandId();

    /** Returns whether the stored commands are obsolete. */
    boolean deletesCommands();

    /** Returns the operation that the change opens last. */
    default Operation openedOperation() {
        return openedOperations().get(openedOperations().size() - 1);
    }
}
