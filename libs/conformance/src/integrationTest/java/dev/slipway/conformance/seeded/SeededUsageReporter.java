package dev.slipway.conformance.seeded;

import dev.slipway.contract.Envelope;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;

/** Reports the running time of instances in adjoining windows. The time in which the adapter was down is not counted. */
final class SeededUsageReporter {
    private static final int PRECISION = 6;
    private static final BigDecimal MS_PER_HOUR =
            BigDecimal.valueOf(Duration.ofHours(1).toMillis());

    private final SeededBug bug;
    private final SeededPlatformClient platform;
    private final SeededJournal journal;
    private final BiConsumer<String, Runnable> queue;
    private final Map<String, Metering> running = new ConcurrentHashMap<>();

    /** An instance that is metered: its deploy, its start and the end of its last window. */
    private record Metering(Envelope deploy, Instant startedAt, Instant reportedUntil) {}

    SeededUsageReporter(
            SeededBug bug, SeededPlatformClient platform, SeededJournal journal, BiConsumer<String, Runnable> queue) {
        this.bug = bug;
        this.platform = platform;
        this.journal = journal;
        this.queue = queue;
    }

    void start(Envelope deploy) {
        running.put(WorkloadLauncher.instance(deploy), new Metering(deploy, now(), now()));
    }

    /** Reports a window of each instance, in the order of its commands. */
    void reportAll() {
        running.keySet().forEach(instance -> queue.accept(instance, () -> reportWindow(instance)));
    }

    private void reportWindow(String instance) {
        var metering = running.get(instance);
        if (metering == null) {
            return;
        }
        try {
            var to = now();
            report(metering.deploy, metering, to, Ids.next().toString());
            running.put(instance, new Metering(metering.deploy, metering.startedAt, to));
        } catch (Exception e) {
            System.out.println("usage skipped: " + e);
        }
    }

    /** Reports the last window under an id that stays the same if the delete is executed again. */
    void end(Envelope delete) throws Exception {
        var instance = WorkloadLauncher.instance(delete);
        var metering = running.remove(instance);
        var to = now();
        var last = metering == null ? new Metering(delete, to.minusMillis(1), to.minusMillis(1)) : metering;
        if (!last.reportedUntil.isBefore(to)) {
            return;
        }
        var window = Json.parseStoredObject(journal.remember(
                "usage-" + instance,
                Json.text(Json.object()
                        .put("usage_id", Ids.next().toString())
                        .put("from", last.reportedUntil.toString())
                        .put("to", to.toString()))));
        var from = Instant.parse(window.path("from").asText());
        report(
                delete,
                new Metering(delete, last.startedAt, from),
                Instant.parse(window.path("to").asText()),
                window.path("usage_id").asText());
        if (bug == SeededBug.USAGE_COUNTED_TWICE) {
            report(
                    delete,
                    new Metering(delete, last.startedAt, from),
                    to,
                    Ids.next().toString());
        }
    }

    private void report(Envelope command, Metering metering, Instant to, String id) throws Exception {
        var from = bug == SeededBug.OVERLAPPING_USAGE_WINDOWS ? metering.startedAt : metering.reportedUntil;
        var countedFrom = bug == SeededBug.CUMULATIVE_USAGE ? metering.startedAt : from;
        var usage = Json.object()
                .put("usage_id", id)
                .put("unit", "app_runtime_hour")
                .put("quantity", hours(to).subtract(hours(countedFrom)).toPlainString())
                .put("window_start", from.toString())
                .put("window_end", to.toString());
        platform.report(command, "usage", false, usage);
    }

    private static BigDecimal hours(Instant time) {
        return BigDecimal.valueOf(time.toEpochMilli()).divide(MS_PER_HOUR, PRECISION, RoundingMode.DOWN);
    }

    private static Instant now() {
        return Instant.now().truncatedTo(ChronoUnit.MILLIS);
    }
}
