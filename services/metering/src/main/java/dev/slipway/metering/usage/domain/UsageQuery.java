package dev.slipway.metering.usage.domain;

import dev.slipway.contract.domain.TextEnum;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * A query of usage in an organization.
 *
 * @param projectId the only project whose usage is visible; null for the whole organization
 * @param filters the values that attribution fields must have
 * @param groupBy the attribution fields by which usage is summed
 */
public record UsageQuery(
        UUID orgId,
        @Nullable UUID projectId,
        Instant from,
        Instant to,
        Bucket bucket,
        List<String> groupBy,
        Map<String, String> filters) {
    /** The attribution fields that usage can be grouped and filtered by. */
    public static final Set<String> FIELDS = Set.of(
            "source",
            "unit",
            "org_id",
            "project_id",
            "app_instance_id",
            "shared_runtime_id",
            "attachment_id",
            "source_project_id",
            "app_slug",
            "operating_mode",
            "control_plane_scope",
            "runtime_backend",
            "resource_type",
            "resource_id",
            "actor",
            "correlation_id",
            "period");

    private static final Duration MAX_RANGE = Duration.ofDays(3 * 366L);
    /** A correlation is not part of the sums, so the facts of the whole range are read. */
    private static final Duration MAX_RANGE_OF_FACTS = Duration.ofDays(31);
    /** Within the range of the database, and far from any usage. */
    private static final Instant EARLIEST = Instant.parse("1970-01-01T00:00:00Z");

    private static final Instant LATEST = Instant.parse("9999-01-01T00:00:00Z");

    /** The length of the time buckets of a query. */
    public enum Bucket implements TextEnum {
        HOUR,
        DAY,
        MONTH,
        /** One bucket for the whole range. */
        TOTAL
    }

    /** Returns the field that has a problem and the problem, or null. */
    public FactDecision.@Nullable Rejected check() {
        if (from.isBefore(EARLIEST) || from.isAfter(LATEST)) {
            return new FactDecision.Rejected("from", "is not a time of usage");
        }
        if (!from.isBefore(to) || Duration.between(from, to).compareTo(MAX_RANGE) > 0) {
            return new FactDecision.Rejected("to", "is not after from, or more than 3 years after it");
        }
        if (usesFacts() && Duration.between(from, to).compareTo(MAX_RANGE_OF_FACTS) > 0) {
            return new FactDecision.Rejected("to", "is more than 31 days after from, the most for a correlation_id");
        }
        if (!isAligned(from)) {
            return new FactDecision.Rejected("from", "is not the start of a bucket in UTC");
        }
        if (!isAligned(to)) {
            return new FactDecision.Rejected("to", "is not the start of a bucket in UTC");
        }
        for (var field : groupBy) {
            if (!FIELDS.contains(field)) {
                return new FactDecision.Rejected(
                        "group_by", "contains " + field + ", which is not an attribution field");
            }
        }
        // A project is not told which other project provided capacity to it.
        return projectId != null && (groupBy.contains("source_project_id") || filters.containsKey("source_project_id"))
                ? new FactDecision.Rejected("group_by", "source_project_id is only possible for an organization")
                : null;
    }

    /** Returns the query of a part of its range. */
    public UsageQuery withRange(Instant newFrom, Instant newTo) {
        return new UsageQuery(orgId, projectId, newFrom, newTo, bucket, groupBy, filters);
    }

    /** Returns whether the sums by month answer the query. */
    public boolean usesMonths() {
        return bucket == Bucket.MONTH && !usesFacts();
    }

    /** Returns whether only the facts themselves answer the query. */
    public boolean usesFacts() {
        return groupBy.contains("correlation_id") || filters.containsKey("correlation_id");
    }

    /** Returns the end of the bucket that starts at a time. */
    public Instant endOf(Instant start) {
        return switch (bucket) {
            case HOUR -> start.plus(1, ChronoUnit.HOURS);
            case DAY -> start.plus(1, ChronoUnit.DAYS);
            case MONTH -> start.atZone(ZoneOffset.UTC).plusMonths(1).toInstant();
            case TOTAL -> to;
        };
    }

    private boolean isAligned(Instant time) {
        var utc = time.atZone(ZoneOffset.UTC);
        return switch (bucket) {
            case HOUR, TOTAL -> time.equals(time.truncatedTo(ChronoUnit.HOURS));
            case DAY -> time.equals(time.truncatedTo(ChronoUnit.DAYS));
            case MONTH -> utc.equals(utc.truncatedTo(ChronoUnit.DAYS).withDayOfMonth(1));
        };
    }

    /** Returns the first month whose bookings can contain usage of the range: usage is never booked before its own month. */
    public LocalDate firstPeriod() {
        return BookingPeriods.monthOf(from.plusNanos(1_000));
    }
}
