package dev.slipway.metering.usage;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.slipway.metering.usage.domain.FactAttribution;
import dev.slipway.metering.usage.domain.FactKey;
import dev.slipway.metering.usage.domain.FactResult;
import dev.slipway.metering.usage.domain.ReportedFact;
import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import java.util.regex.Pattern;

/** The JSON of reported facts. All values are texts, so that one invalid fact is rejected alone and not with its batch. */
final class UsageFactJson {
    static final int MAX_FACTS = 1_000;
    private static final int MAX_TEXT = 256;
    private static final Pattern ID = Pattern.compile("[A-Za-z0-9._:/@+=-]{1,200}");
    private static final Pattern DECIMAL = Pattern.compile("-?[0-9]{1,30}(\\.[0-9]{1,18})?");

    private UsageFactJson() {}

    /** The body of a request, and the payload of {@code usage.facts.reported}. */
    record BatchBody(String source, List<FactBody> facts) {}

    /** A fact as it was sent. */
    record FactBody(
            @Nullable String id,
            @Nullable String unit,
            @Nullable Integer unitVersion,
            @Nullable String quantity,
            @Nullable String adjustment,
            @Nullable String windowStart,
            @Nullable String windowEnd,
            @Nullable String orgId,
            @Nullable String projectId,
            @Nullable String appInstanceId,
            @Nullable String sharedRuntimeId,
            @Nullable String attachmentId,
            @Nullable String sourceProjectId,
            @Nullable String appSlug,
            @Nullable String operatingMode,
            @Nullable String controlPlaneScope,
            @Nullable String runtimeBackend,
            @Nullable String resourceType,
            @Nullable String resourceId,
            @Nullable String actor,
            @Nullable String correlationId,
            @Nullable String corrects) {

        /** Parses the values. Throws an {@link InvalidFactException} that names the first invalid one. */
        ReportedFact toFact(String source, String defaultCorrelationId) {
            return new ReportedFact(
                    source,
                    identifier("id", id),
                    text("unit", unit),
                    unitVersion,
                    parse("quantity", quantity, UsageFactJson::decimal),
                    parse("adjustment", adjustment, UsageFactJson::decimal),
                    parse("window_start", windowStart, UsageFactJson::time),
                    parse("window_end", windowEnd, UsageFactJson::time),
                    parse("org_id", orgId, UUID::fromString),
                    attribution(),
                    correlationId == null ? defaultCorrelationId : text("correlation_id", correlationId),
                    corrects == null ? null : identifier("corrects", corrects));
        }

        private FactAttribution attribution() {
            return new FactAttribution(
                    parse("project_id", projectId, UUID::fromString),
                    parse("app_instance_id", appInstanceId, UUID::fromString),
                    parse("shared_runtime_id", sharedRuntimeId, UUID::fromString),
                    parse("attachment_id", attachmentId, UUID::fromString),
                    parse("source_project_id", sourceProjectId, UUID::fromString),
                    text("app_slug", appSlug),
                    text("operating_mode", operatingMode),
                    text("control_plane_scope", controlPlaneScope),
                    text("runtime_backend", runtimeBackend),
                    text("resource_type", resourceType),
                    text("resource_id", resourceId),
                    text("actor", actor));
        }

        /** Returns the id for a result, also if it is not valid; a database stores every text that this returns. */
        String shownId() {
            if (id == null) {
                return "";
            }
            var shown = new StringBuilder();
            id.codePoints()
                    .limit(MAX_TEXT)
                    .map(point -> Character.isISOControl(point) || isSurrogate(point) ? '?' : point)
                    .forEach(shown::appendCodePoint);
            return shown.toString();
        }

        /** A surrogate without its other half is not a character. */
        private static boolean isSurrogate(int point) {
            return Character.getType(point) == Character.SURROGATE;
        }
    }

    /** A value that cannot be parsed. */
    static final class InvalidFactException extends RuntimeException {
        private final String field;
        private final String problem;

        InvalidFactException(String field, String problem) {
            super(field + " " + problem, null, false, false);
            this.field = field;
            this.problem = problem;
        }

        FactResult toResult(FactKey key) {
            return FactResult.rejected(key, field, problem);
        }
    }

    /** The result of one fact in the response. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record ResultItem(
            String id,
            String outcome,
            @Nullable String period,
            @Nullable String field,
            @Nullable String problem,
            @Nullable String receivedHash,
            @Nullable String storedHash) {

        static ResultItem of(FactResult result) {
            var conflict = result.outcome() == FactResult.Outcome.CONFLICT;
            return new ResultItem(
                    result.factId(),
                    result.outcome().text(),
                    result.period() == null ? null : result.period().toString(),
                    result.field(),
                    result.problem(),
                    conflict ? result.receivedHash() : null,
                    conflict ? result.storedHash() : null);
        }
    }

    /** The numbers of facts by outcome. */
    record OutcomeCounts(long accepted, long duplicate, long conflict, long rejected) {
        static OutcomeCounts of(List<FactResult> results) {
            return new OutcomeCounts(
                    count(results, FactResult.Outcome.ACCEPTED),
                    count(results, FactResult.Outcome.DUPLICATE),
                    count(results, FactResult.Outcome.CONFLICT),
                    count(results, FactResult.Outcome.REJECTED));
        }

        private static long count(List<FactResult> results, FactResult.Outcome outcome) {
            return results.stream()
                    .filter(result -> result.outcome() == outcome)
                    .count();
        }
    }

    private static String identifier(String field, @Nullable String value) {
        if (value == null || !ID.matcher(value).matches()) {
            throw new InvalidFactException(
                    field,
                    value == null ? "is required" : "has more than 200 characters, or others than A-Za-z0-9._:/@+=-");
        }
        return value;
    }

    private static @Nullable String text(String field, @Nullable String value) {
        if (value != null
                && (value.isEmpty()
                        || value.length() > MAX_TEXT
                        || value.chars().anyMatch(Character::isISOControl))) {
            throw new InvalidFactException(
                    field, "is empty, has more than 256 characters, or contains control characters");
        }
        return value;
    }

    private static <T> @Nullable T parse(String field, @Nullable String value, Function<String, T> parser) {
        try {
            return value == null ? null : parser.apply(value);
        } catch (IllegalArgumentException | DateTimeException e) {
            throw new InvalidFactException(field, "is not valid");
        }
    }

    private static BigDecimal decimal(String value) {
        if (!DECIMAL.matcher(value).matches()) {
            throw new IllegalArgumentException(value);
        }
        return new BigDecimal(value);
    }

    /** Truncates to the microseconds that PostgreSQL stores. */
    private static Instant time(String value) {
        var utcSecond = UtcSeconds.parse(value);
        return utcSecond == null ? OffsetDateTime.parse(value).toInstant().truncatedTo(ChronoUnit.MICROS) : utcSecond;
    }
}
