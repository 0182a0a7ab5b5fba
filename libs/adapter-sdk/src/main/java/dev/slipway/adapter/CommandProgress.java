package dev.slipway.adapter;

import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Map;

/** Reports on one command while it is carried out. Before a delete nobody listens any more. */
final class CommandProgress implements Progress {
    private final Ledger ledger;
    private final ReportQueue reports;
    private final Message command;
    private final Map<String, String> trace;
    private final Future<Void> cancel;
    private @Nullable Integer percent;

    CommandProgress(
            Ledger ledger, ReportQueue reports, Message command, Map<String, String> trace, Future<Void> cancel) {
        this.ledger = ledger;
        this.reports = reports;
        this.command = command;
        this.trace = trace;
        this.cancel = cancel;
    }

    @Override
    public Future<Void> say(Step step) {
        if (!isCurrent() || ledger.log().isSuperseded()) {
            return Future.succeededFuture();
        }
        percent = step.percent() == null ? percent : step.percent();
        if (command.task().operationId() != null) {
            var whole = new Step(percent, step.message(), step.blockers());
            return reports.add(ReportMessages.progress(command.task(), whole, trace));
        }
        // Of a platform that knows no operations: it has this one place for a word.
        return command.is(Kind.DEPLOY)
                ? reports.add(ReportMessages.deploying(command.task(), step.message(), trace))
                : Future.succeededFuture();
    }

    @Override
    public Future<Void> members(List<MemberState> members) {
        return isCurrent() ? Lane.reportMembers(reports, command, members, trace) : Future.succeededFuture();
    }

    @Override
    public Future<Void> cancelled() {
        return cancel;
    }

    /** After the end of a command nothing more is said of it, however late the adapter is. */
    private boolean isCurrent() {
        return ledger.log().commands().stream().anyMatch(c -> c.id().equals(command.id())) && !command.isOrphan();
    }
}
