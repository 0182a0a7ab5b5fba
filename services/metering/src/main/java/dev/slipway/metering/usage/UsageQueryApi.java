package dev.slipway.metering.usage;

import dev.slipway.contract.Cursor;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
import dev.slipway.contract.domain.TextEnum;
import dev.slipway.metering.usage.UsageQueryJson.ComparisonBody;
import dev.slipway.metering.usage.UsageQueryJson.FactItem;
import dev.slipway.metering.usage.UsageQueryJson.FreshPage;
import dev.slipway.metering.usage.UsageQueryJson.Line;
import dev.slipway.metering.usage.UsageQueryStore.StoredFact;
import dev.slipway.metering.usage.domain.UsageQuery;
import dev.slipway.metering.usage.domain.UsageQuery.Bucket;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.function.DoubleSupplier;
import java.util.function.Function;

/** Serves usage: lines by time and attribution, their facts, the facts that were not counted, and the export. */
public final class UsageQueryApi {
    /** Distinguishes cursors of usage from others. */
    private static final String CURSOR_PREFIX = "u|";

    private static final List<String> FILTERS = List.of(
            "unit", "source", "project_id", "app_instance_id", "shared_runtime_id", "app_slug", "correlation_id");

    private final UsageQueryStore store;
    private final FocusRows focusRows;
    private final Clock clock;
    private final DoubleSupplier lagSeconds;

    /** {@code lagSeconds} is how far ingest is behind the topics. */
    public UsageQueryApi(UsageQueryStore store, FocusRows focusRows, Clock clock, DoubleSupplier lagSeconds) {
        this.store = store;
        this.focusRows = focusRows;
        this.clock = clock;
        this.lagSeconds = lagSeconds;
    }

    public Future<Reply> listLines(Request request) {
        var query = query(request, Bucket.MONTH);
        var limit = request.limit();
        return store.sum(query, decodeText(request), limit + 1)
                .map(sums -> page(sums, limit, sum -> encodeText(sum.key()), sum -> Line.of(query, sum)));
    }

    public Future<Reply> listFacts(Request request) {
        var line = request.query("line");
        var query = line == null ? query(request, Bucket.TOTAL) : query(request, UsageLineId.decode(line));
        var limit = request.limit();
        var after = decodeText(request);
        var position = after == null ? null : FactPosition.parse(after);
        return store.listFacts(
                        query,
                        position == null ? null : position.windowEnd,
                        position == null ? null : position.factKey,
                        limit + 1)
                .map(facts -> page(
                        facts,
                        limit,
                        fact -> encodeText(FactPosition.of(fact).text()),
                        fact -> FactItem.of(fact, query.projectId())));
    }

    public Future<Reply> listRefusals(Request request) {
        var cursor = request.cursor();
        var limit = request.limit();
        return store.listRefusals(
                        orgOf(request),
                        request.projectIdOrNull(),
                        cursor == null ? null : cursor.createdAt(),
                        cursor == null ? null : cursor.id(),
                        limit + 1)
                .map(found -> page(
                        found, limit, last -> new Cursor(last.receivedAt(), last.refusalId()).encode(), item -> item));
    }

    public Future<Reply> exportJson(Request request) {
        return export(request).map(export -> Reply.ofRecord(export.toBody()));
    }

    public Future<Reply> exportCsv(Request request) {
        return export(request).map(export -> Reply.ofBytes(export.toCsv().getBytes(StandardCharsets.UTF_8))
                .withHeaders(export.toHeaders()));
    }

    public Future<Reply> compare(Request request) {
        var period = LocalDate.parse(request.body().path("period").asText()).withDayOfMonth(1);
        return store.compare(period)
                .map(compared -> Reply.ofRecord(new ComparisonBody(
                        period.toString(),
                        clock.instant(),
                        compared.wrongHours() + compared.wrongMonths() + compared.wrongIds() == 0,
                        compared.facts(),
                        compared.wrongHours(),
                        compared.wrongMonths(),
                        compared.wrongIds(),
                        lagSeconds.getAsDouble())));
    }

    private Future<FocusExport> export(Request request) {
        var base = query(request, Bucket.DAY);
        var query = new UsageQuery(
                base.orgId(),
                base.projectId(),
                base.from(),
                base.to(),
                base.bucket(),
                FocusExport.GROUP_BY,
                base.filters());
        var limit = request.limit();
        return store.sum(query, decodeText(request), limit + 1).compose(sums -> {
            var shown = sums.size() > limit ? sums.subList(0, limit) : sums;
            var next = sums.size() > limit ? encodeText(sums.get(limit - 1).key()) : null;
            return focusRows
                    .find(query, shown)
                    .map(rows -> new FocusExport(clock.instant(), lagSeconds.getAsDouble(), rows, next));
        });
    }

    private <T> Reply page(List<T> found, int limit, Function<T, String> cursor, Function<T, ?> item) {
        var more = found.size() > limit;
        var shown = more ? found.subList(0, limit) : found;
        return Reply.ofRecord(new FreshPage(
                clock.instant(),
                lagSeconds.getAsDouble(),
                shown.stream().map(item).toList(),
                more ? cursor.apply(found.get(limit - 1)) : null));
    }

    private static UUID orgOf(Request request) {
        return Objects.requireNonNull(request.orgId(), "the scope has an organization");
    }

    private UsageQuery query(Request request, Bucket defaultBucket) {
        var given = request.query("bucket");
        var bucket = given == null ? defaultBucket : TextEnum.parse(Bucket.class, given);
        var now = clock.instant().atZone(ZoneOffset.UTC);
        var month = now.truncatedTo(ChronoUnit.DAYS).withDayOfMonth(1);
        var groupBy = request.query("group_by");
        var filters = new HashMap<String, String>();
        FILTERS.forEach(field -> {
            var value = request.query(field);
            if (value != null) {
                filters.put(field, value);
            }
        });
        return checked(new UsageQuery(
                orgOf(request),
                request.projectIdOrNull(),
                time(request, "from", month.toInstant()),
                time(request, "to", month.plusMonths(1).toInstant()),
                bucket,
                groupBy == null ? List.of() : List.of(groupBy.split(",", -1)),
                filters));
    }

    private static UsageQuery query(Request request, UsageLineId line) {
        return checked(new UsageQuery(
                orgOf(request),
                request.projectIdOrNull(),
                line.from(),
                line.to(),
                Bucket.TOTAL,
                List.of(),
                requireValues(line.values())));
    }

    /** A client may have changed the values: ids must still be ids. */
    private static Map<String, String> requireValues(Map<String, String> values) {
        values.forEach((field, value) -> {
            if (field.endsWith("_id")
                    && !field.equals("resource_id")
                    && !field.equals("correlation_id")
                    && !value.isEmpty()) {
                try {
                    UUID.fromString(value);
                } catch (IllegalArgumentException e) {
                    throw invalid("line", "is not the id of a usage line");
                }
            }
        });
        return values;
    }

    private static UsageQuery checked(UsageQuery query) {
        var problem = query.check();
        if (problem != null) {
            throw invalid(problem.field(), problem.problem());
        }
        return query;
    }

    private static Instant time(Request request, String name, Instant otherwise) {
        var given = request.query(name);
        return given == null ? otherwise : OffsetDateTime.parse(given).toInstant();
    }

    private static RuntimeException invalid(String field, String problem) {
        return Problem.validationOf(ErrorCode.VALIDATION_ERROR, field, problem).asException();
    }

    private static String encodeText(String text) {
        return Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString((CURSOR_PREFIX + text).getBytes(StandardCharsets.UTF_8));
    }

    private static @Nullable String decodeText(Request request) {
        var cursor = request.query("cursor");
        if (cursor == null) {
            return null;
        }
        try {
            var text = new String(Base64.getUrlDecoder().decode(cursor), StandardCharsets.UTF_8);
            if (text.startsWith(CURSOR_PREFIX) && text.indexOf('\0') < 0) {
                return text.substring(CURSOR_PREFIX.length());
            }
        } catch (IllegalArgumentException e) {
            // Falls through to the error below.
        }
        throw invalidCursor();
    }

    private static RuntimeException invalidCursor() {
        return Problem.validationOf(
                        ErrorCode.INVALID_CURSOR, "cursor", "is not a cursor of this API; start again without it")
                .asException();
    }

    /** The position of a fact in the list of facts. */
    private record FactPosition(Instant windowEnd, long factKey) {
        /** PostgreSQL cannot compare timestamps beyond its own range. */
        private static final Instant END_OF_CURSORS = Instant.parse("9999-01-01T00:00:00Z");

        static FactPosition of(StoredFact stored) {
            return new FactPosition(stored.fact().windowEnd(), stored.factKey());
        }

        String text() {
            return windowEnd + " " + factKey;
        }

        static FactPosition parse(String text) {
            try {
                var parts = text.split(" ", -1);
                var windowEnd = Instant.parse(parts[0]);
                if (parts.length == 2 && !windowEnd.isBefore(Instant.EPOCH) && windowEnd.isBefore(END_OF_CURSORS)) {
                    return new FactPosition(windowEnd, Long.parseLong(parts[1]));
                }
            } catch (DateTimeException | NumberFormatException e) {
                // Falls through to the error below.
            }
            throw invalidCursor();
        }
    }
}
