package dev.slipway.instances.appinstance;

import dev.slipway.contract.Cursor;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.instances.appinstance.ConsistencyStore.StoredInstance;
import dev.slipway.instances.appinstance.domain.Difference;
import dev.slipway.instances.appinstance.domain.InstanceHistory;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/** Compares the rows of instances with their events. */
public final class ConsistencyApi {
    private static final int BATCH = 100;
    /** Shorter than the timeout of a call. */
    private static final Duration TIME_LIMIT = Duration.ofSeconds(4);
    /** Fields whose values belong to the tenant: the report contains digests of them. */
    private static final Set<String> PRIVATE_FIELDS =
            Set.of("config", "display_name", "failure_reason", "runtime_state");

    private final ConsistencyStore store;
    private final Clock clock;

    public ConsistencyApi(ConsistencyStore store, Clock clock) {
        this.store = store;
        this.clock = clock;
    }

    /** The body of a check: the range of creation times. */
    private record CheckBody(String from, String to) {}

    /** The result of a check. */
    private record CheckReport(
            List<CounterExample> counterExamples,
            int checked,
            int inconsistent,
            @Nullable String nextCursor) {}

    /** An inconsistent instance. */
    private record CounterExample(UUID appInstanceId, List<Difference> differences, List<Long> missingSequences) {}

    public Future<Reply> check(Request request) {
        var body = Json.toRecord(request.body(), CheckBody.class);
        var from = TimeParser.parse("/from", body.from());
        var to = TimeParser.parse("/to", body.to());
        if (!from.isBefore(to)) {
            throw Problem.validationOf(ErrorCode.VALIDATION_ERROR, "/to", "is not after from")
                    .asException();
        }
        var check =
                new ConsistencyCheck(from, to, request.limit(), clock.instant().plus(TIME_LIMIT));
        return check.checkFrom(request.cursor()).map(next -> Reply.ofRecord(check.report(next)));
    }

    /** A running check. */
    private final class ConsistencyCheck {
        private final Instant from;
        private final Instant to;
        private final int limit;
        private final Instant end;
        private final List<CounterExample> counterExamples = new ArrayList<>();
        private int checked;
        private int inconsistent;

        ConsistencyCheck(Instant from, Instant to, int limit, Instant end) {
            this.from = from;
            this.to = to;
            this.limit = limit;
            this.end = end;
        }

        /** Checks batch by batch until the end or the time limit; returns where to continue, null at the end. */
        Future<@Nullable Cursor> checkFrom(@Nullable Cursor after) {
            return store.list(from, to, after, BATCH).compose(batch -> {
                batch.forEach(this::compare);
                if (batch.size() < BATCH) {
                    return Future.succeededFuture();
                }
                var last = batch.get(batch.size() - 1);
                var next = new Cursor(last.createdAt(), last.id());
                return clock.instant().isAfter(end) ? Future.succeededFuture(next) : checkFrom(next);
            });
        }

        private void compare(StoredInstance stored) {
            checked++;
            var folded = InstanceHistory.fold(stored.events());
            var differences = InstanceHistory.differences(stored.row(), folded);
            if (differences.isEmpty() && folded.missing().isEmpty()) {
                return;
            }
            inconsistent++;
            if (inconsistent <= limit) {
                counterExamples.add(new CounterExample(
                        stored.id(),
                        differences.stream()
                                .map(ConsistencyApi::withoutPrivateValues)
                                .toList(),
                        folded.missing()));
            }
        }

        CheckReport report(@Nullable Cursor next) {
            return new CheckReport(counterExamples, checked, inconsistent, next == null ? null : next.encode());
        }
    }

    private static Difference withoutPrivateValues(Difference difference) {
        return PRIVATE_FIELDS.contains(difference.field())
                ? new Difference(difference.field(), digest(difference.row()), digest(difference.folded()))
                : difference;
    }

    private static @Nullable String digest(@Nullable String value) {
        if (value == null) {
            return null;
        }
        try {
            var digest = MessageDigest.getInstance("SHA-256").digest(value.getBytes(StandardCharsets.UTF_8));
            return "sha256:" + HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this JVM has no SHA-256", e);
        }
    }
}
