package dev.slipway.metering.usage;

import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.metering.usage.UsageFactJson.BatchBody;
import dev.slipway.metering.usage.UsageFactJson.OutcomeCounts;
import dev.slipway.metering.usage.UsageFactJson.ResultItem;
import dev.slipway.metering.usage.UsageReports.ParsedBatch;
import dev.slipway.metering.usage.UsageReports.Reporter;
import dev.slipway.metering.usage.domain.FactResult.Outcome;
import dev.slipway.metering.usage.domain.ReporterScope;
import dev.slipway.metering.usage.domain.ReporterScope.ProjectReporter;
import dev.slipway.metering.usage.domain.ReporterScope.RuntimeReporter;
import dev.slipway.service.Mutations;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.context.Context;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.DoubleSupplier;

/** Accepts usage facts by API. */
public final class UsageFactApi {
    private final UsageReports reports;
    private final Mutations mutations;
    private final Clock clock;
    private final DoubleSupplier lagSeconds;

    /** {@code lagSeconds} is how far ingest is behind the topics. */
    public UsageFactApi(UsageReports reports, Mutations mutations, Clock clock, DoubleSupplier lagSeconds) {
        this.reports = reports;
        this.mutations = mutations;
        this.clock = clock;
        this.lagSeconds = lagSeconds;
    }

    /** The response body: one result per fact, in the order of the request. */
    private record ReportResult(
            String source,
            UUID auditEntryId,
            Instant asOf,
            double lagSeconds,
            OutcomeCounts counts,
            List<ResultItem> items) {}

    public Future<Reply> report(Request request) {
        var receivedAt = clock.instant();
        var reporter = new Reporter(request.principal(), scopeOf(request));
        var body = Json.toRecord(request.body(), BatchBody.class);
        var change = request.changeContext();
        var batch = reports.parse(body, reporter, change.correlationId(), traceId(change.trace()), Ids.next());
        return reports.prepare(List.of(batch), receivedAt)
                .compose(ok -> mutations.run(request, unit -> {
                    reports.recordIngest(unit, List.of(receivedAt));
                    return report(unit, batch);
                }));
    }

    /** Rejected facts are not recorded: the response tells the caller. */
    private Future<Reply> report(UnitOfWork unit, ParsedBatch batch) {
        return reports.apply(unit, List.of(batch), Set.of(Outcome.CONFLICT)).map(applied -> {
            var results = applied.get(0);
            reports.audit(unit, batch.reporter(), batch.auditEntryId(), results);
            return Reply.ofRecord(new ReportResult(
                    batch.source(),
                    batch.auditEntryId(),
                    unit.now(),
                    lagSeconds.getAsDouble(),
                    OutcomeCounts.of(results),
                    results.stream().map(ResultItem::of).toList()));
        });
    }

    private static ReporterScope scopeOf(Request request) {
        var principal = request.principal();
        var projectId = request.projectIdOrNull() == null ? principal.projectId() : request.projectIdOrNull();
        var orgId = request.orgId() == null ? principal.orgId() : request.orgId();
        var runtimeId = principal.sharedRuntimeId();
        if (projectId != null && orgId != null) {
            return new ProjectReporter(orgId, projectId);
        }
        if (runtimeId != null && orgId != null) {
            return new RuntimeReporter(orgId, runtimeId);
        }
        throw Problem.validationOf(ErrorCode.VALIDATION_ERROR, "X-Project-ID", "is required")
                .asException();
    }

    /** Returns null if the request is not traced. */
    static @Nullable String traceId(Context trace) {
        var span = Span.fromContext(trace).getSpanContext();
        return span.isValid() ? span.getTraceId() : null;
    }
}
