package dev.slipway.iam.token.domain;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/**
 * The change of the tasks of an instance or a shared runtime that follows from an event of one of its operations.
 *
 * @param opened the commands that an adapter may get tokens for from now on, unless they have ended before
 * @param endsEarlierGenerations whether the commands that started an earlier generation end
 * @param ended the commands that end
 */
public record TaskTransition(List<OpenedTask> opened, boolean endsEarlierGenerations, List<UUID> ended) {
    private static final Set<String> STARTS_GENERATION = Set.of("create", "upgrade", "rollback", "delete");
    private static final Set<String> ENDED = Set.of("succeeded", "failed", "canceled");

    public TaskTransition {
        opened = List.copyOf(opened);
        ended = List.copyOf(ended);
    }

    /** A command that an adapter executes. */
    public record OpenedTask(UUID commandId, boolean startsGeneration) {}

    /**
     * The operation after the event.
     *
     * @param commandId null if no adapter executes the operation
     * @param cancelCommandId null unless its cancellation is requested
     */
    public record OperationState(
            String kind,
            String status,
            @Nullable UUID commandId,
            @Nullable UUID cancelCommandId) {
        private boolean startsGeneration() {
            return STARTS_GENERATION.contains(kind);
        }

        private boolean isEnded() {
            return ENDED.contains(status);
        }

        /** A command that started a generation stays open for later reports, until the next generation or the end of a deletion. */
        private boolean endsCommand() {
            return startsGeneration() ? kind.equals("delete") && status.equals("succeeded") : isEnded();
        }
    }

    public static TaskTransition of(OperationState operation) {
        var opened = new ArrayList<OpenedTask>();
        var ended = new ArrayList<UUID>();
        var commandId = operation.commandId;
        var isAccepted = commandId != null && operation.status.equals("accepted");
        if (commandId != null && isAccepted) {
            opened.add(new OpenedTask(commandId, operation.startsGeneration()));
        }
        if (commandId != null && operation.endsCommand()) {
            ended.add(commandId);
        }
        var cancelCommandId = operation.cancelCommandId;
        if (cancelCommandId != null) {
            opened.add(new OpenedTask(cancelCommandId, false));
            if (operation.isEnded()) {
                ended.add(cancelCommandId);
            }
        }
        var isNextGeneration = isAccepted && operation.startsGeneration() && !operation.kind.equals("create");
        return new TaskTransition(opened, isNextGeneration, ended);
    }
}
