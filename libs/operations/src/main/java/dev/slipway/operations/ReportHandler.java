package dev.slipway.operations;

import dev.slipway.messaging.UnitOfWork;
import dev.slipway.operations.domain.Operation;
import dev.slipway.operations.domain.SubjectRef;
import dev.slipway.operations.domain.SubjectState.Status;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

/** Applies the reports about one kind of subject. */
public interface ReportHandler {
    /** Locks the subject, decides and stores the result; fails with a problem if the report is refused. */
    Future<AppliedReport> apply(UnitOfWork unit, RuntimeReport report);

    /**
     * The subject after a report.
     *
     * @param operation as it was before the report; null if the command belongs to none
     */
    record AppliedReport(
            SubjectRef subject,
            String status,
            boolean deleted,
            @Nullable Operation operation) {
        public static AppliedReport of(SubjectRef subject, Status status, @Nullable Operation operation) {
            return new AppliedReport(subject, status.text(), status == Status.DELETED, operation);
        }
    }
}
