package dev.slipway.instances.history;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Cursor;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.instances.history.ConsistencyStore.Kept;
import dev.slipway.instances.history.domain.Difference;
import dev.slipway.instances.history.domain.InstanceHistory;
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
import java.util.HexFormat;
import java.util.List;
import java.util.Set;

/** Holds instances against their events. */
public final class ConsistencyApi {
    private static final int BATCH = 100;
    /** Less than callers wait for an answer. */
    private static final Duration BUDGET = Duration.ofSeconds(4);
    /** What is the tenant's own: that it differs is enough to know. */
    private static final Set<String> OWN = Set.of("config", "display_name", "failure_reason", "runtime_state");

    private final ConsistencyStore store;
    private final Clock clock;

    public ConsistencyApi(ConsistencyStore store, Clock clock) {
        this.store = store;
        this.clock = clock;
    }

    public Future<Reply> check(Request request) {
        var body = request.body();
        var from = Times.parse("/from", body.path("from").asText());
        var to = Times.parse("/to", body.path("to").asText());
        if (!from.isBefore(to)) {
            throw Problem.validationOf(ErrorCode.VALIDATION_ERROR, "/to", "is not after from")
                    .asException();
        }
        var run = new Run(from, to, request.limit(), clock.instant().plus(BUDGET));
        return run.on(request.cursor()).map(next -> Reply.of(run.report(next)));
    }

    /** One check, as far as it has come. */
    private final class Run {
        private final Instant from;
        private final Instant to;
        private final int limit;
        private final Instant end;
        private final ObjectNode report = Json.object();
        private int checked;
        private int inconsistent;

        Run(Instant from, Instant to, int limit, Instant end) {
            this.from = from;
            this.to = to;
            this.limit = limit;
            this.end = end;
            report.putArray("counter_examples");
        }

        /** Batch after batch; answers where to go on, if there is more. */
        Future<@Nullable Cursor> on(@Nullable Cursor after) {
            return store.batch(from, to, after, BATCH).compose(batch -> {
                batch.forEach(this::hold);
                if (batch.size() < BATCH) {
                    return Future.succeededFuture();
                }
                var last = batch.get(batch.size() - 1);
                var next = new Cursor(last.createdAt(), last.id());
                return clock.instant().isAfter(end) ? Future.succeededFuture(next) : on(next);
            });
        }

        private void hold(Kept kept) {
            checked++;
            var folded = InstanceHistory.fold(kept.facts());
            var differences = InstanceHistory.differences(kept.row(), folded);
            if (differences.isEmpty() && folded.missing().isEmpty()) {
                return;
            }
            inconsistent++;
            if (inconsistent <= limit) {
                var example = report.withArray("counter_examples").addObject();
                example.put("app_instance_id", kept.id().toString());
                describe(example, differences);
                var missing = example.putArray("missing_sequences");
                folded.missing().forEach(missing::add);
            }
        }

        ObjectNode report(@Nullable Cursor next) {
            return report.put("checked", checked)
                    .put("inconsistent", inconsistent)
                    .put("next_cursor", next == null ? null : next.encode());
        }
    }

    private static void describe(ObjectNode example, List<Difference> differences) {
        var array = example.putArray("differences");
        for (var difference : differences) {
            var own = OWN.contains(difference.field());
            array.addObject()
                    .put("field", difference.field())
                    .put("row", own ? digest(difference.row()) : difference.row())
                    .put("folded", own ? digest(difference.folded()) : difference.folded());
        }
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
