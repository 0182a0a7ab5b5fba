package dev.slipway.adapter;

import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Map;

/** Reports the progress of one command. Nothing is reported once a delete is pending. */
final class CommandProgress implements Progress {
    private final InstanceLogWriter writer;
    private final ReportQueue reports;
    private final Message command;
    private final Map<String, String> trace;
    private final Future<Void> cancel;
    private @Nullable Integer percent;

    CommandProgress(
            InstanceLogWriter instanceLogWriter,
            ReportQueue reports,
            Message command,
            Map<String, String> trace,
            Future<Void> cancel) {
        this.writer = instanceLogWriter;
        this.reports = reports;
        this.command = command;
        this.trace = trace;
        this.cancel = cancel;
    }

    @Override
    public Future<Void> report(ProgressUpdate progressUpdate) {
        if (!isCurrent() || writer.log().isSuperseded()) {
            return Future.succeededFuture();
        }
        percent = progressUpdate.percent() == null ? percent : progressUpdate.percent();
        if (command.task().operationId() != null) {
            var whole = new ProgressUpdate(percent, progressUpdate.message(), progressUpdate.blockers());
            return reports.add(ReportMessages.progress(command.task(), whole, trace));
        }
        // A platform that does not know operations accepts a message in this report only.
        return command.is(CommandType.DEPLOY)
                ? reports.add(ReportMessages.deploying(command.task(), progressUpdate.message(), trace))
                : Future.succeededFuture();
    }

    @Override
    public Future<Void> reportMembers(List<MemberState> members) {
        return isCurrent() ? InstanceQueue.reportMembers(reports, command, members, trace) : Future.succeededFuture();
    }

    @Override
    public Future<Void> cancellation() {
        return cancel;
    }

    /** Nothing is reported on a command after its end, even if the adapter still calls. */
    private boolean isCurrent() {
        return writer.log().commands().stream().anyMatch(c -> c.id().equals(command.id())) && !command.isOrphan();
    }
}
