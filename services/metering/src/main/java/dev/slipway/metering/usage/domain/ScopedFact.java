package dev.slipway.metering.usage.domain;

import org.jspecify.annotations.Nullable;

import java.util.UUID;

/**
 * A reported fact with the rights of its reporter.
 *
 * @param reporter the actor of facts that name none
 * @param traceId the trace of the request or record
 * @param auditEntryId the audit entry that records the report
 */
public record ScopedFact(
        ReportedFact fact,
        ReporterScope scope,
        String reporter,
        @Nullable String traceId,
        @Nullable UUID auditEntryId) {}
