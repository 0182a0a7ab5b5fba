package dev.slipway.adapter;

import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.util.List;

/** Reports the progress of a running command. Must be used on the event loop that called the adapter. */
public interface Progress {

    /** Progress in percent, with a message and the current blockers. A null percentage leaves the last one unchanged. */
    record ProgressUpdate(
            @Nullable Integer percent, @Nullable String message, List<Blocker> blockers) {
        public ProgressUpdate {
            blockers = List.copyOf(blockers);
        }
    }

    /**
     * Completes when the update is on disk. It is sent as soon as possible, unless a newer update replaces it. Nothing is sent for a
     * delete.
     */
    Future<Void> report(ProgressUpdate progressUpdate);

    default Future<Void> report(String message) {
        return report(new ProgressUpdate(null, message, List.of()));
    }

    default Future<Void> report(int percent, String message) {
        return report(new ProgressUpdate(percent, message, List.of()));
    }

    /** Reports what the command waits for and who has to act. */
    default Future<Void> reportBlocker(Blocker blocker) {
        return report(new ProgressUpdate(null, blocker.message(), List.of(blocker)));
    }

    /** Reports the state of members during this command. Completes when the report is on disk. */
    Future<Void> reportMembers(List<MemberState> members);

    /**
     * Completes when the command is canceled, its deadline passes or its instance is deleted. The adapter should then undo partial work and
     * return {@link Outcome.Canceled}. If it returns another outcome, that outcome is reported, except before a delete, when nothing is
     * reported.
     */
    Future<Void> cancellation();
}
