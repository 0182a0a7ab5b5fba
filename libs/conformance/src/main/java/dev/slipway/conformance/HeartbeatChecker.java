package dev.slipway.conformance;

import dev.slipway.conformance.Clause.Finding;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** Checks that heartbeats are valid and regular, and that they name the start of the adapter process. */
final class HeartbeatChecker {
    /** Heartbeats are due every ten seconds; a single late one is tolerated. */
    static final Duration MAX_GAP = Duration.ofSeconds(20);

    /** The number of heartbeats of one process that shows whether they are regular. */
    static final int ENOUGH = 3;

    private static final Duration CLOCK_TOLERANCE = Duration.ofSeconds(2);

    private final UUID adapter;
    private final String backend;
    private final FakeTokenEndpoint tokens;
    private final List<AdapterProcess> processes = new ArrayList<>();

    /** One process of the adapter with its heartbeats. */
    private static final class AdapterProcess {
        private final Instant startedAt;
        private final List<Instant> beats = new ArrayList<>();
        private @Nullable String reportedStart;

        AdapterProcess(Instant startedAt) {
            this.startedAt = startedAt;
        }
    }

    HeartbeatChecker(UUID adapter, String backend, FakeTokenEndpoint tokens) {
        this.adapter = adapter;
        this.backend = backend;
        this.tokens = tokens;
    }

    /** Records that the kit started the adapter. */
    synchronized void recordStart(Instant at) {
        processes.add(new AdapterProcess(at));
    }

    synchronized List<Finding> record(ReceivedReport report) {
        var findings = new ArrayList<Finding>();
        var fault = tokens.validate(report, null);
        if (fault != null) {
            findings.add(fault);
        }
        if (!adapter.toString().equals(report.key())) {
            findings.add(new Finding(Clause.KEYS, "heartbeat with the key " + report.key()));
        }
        if (!report.text("adapter_id").equals(adapter.toString())
                || !report.text("runtime_backend").equals(backend)) {
            findings.add(new Finding(
                    Clause.HEARTBEAT,
                    "heartbeat of adapter " + report.text("adapter_id") + " for " + report.text("runtime_backend")));
        }
        var process = processAt(report.appendedAt());
        checkStart(process, report, findings);
        process.beats.add(report.appendedAt());
        return findings;
    }

    /** An adapter that the kit did not start is one process; its start is not known. */
    private AdapterProcess processAt(Instant time) {
        return processes.stream()
                .filter(process -> !process.startedAt.isAfter(time.plus(CLOCK_TOLERANCE)))
                .reduce((first, second) -> second)
                .orElseGet(() -> {
                    var attached = new AdapterProcess(Instant.EPOCH);
                    processes.add(0, attached);
                    return attached;
                });
    }

    private static void checkStart(AdapterProcess process, ReceivedReport report, List<Finding> findings) {
        var text = report.text("started_at");
        if (process.reportedStart != null) {
            if (!process.reportedStart.equals(text)) {
                findings.add(new Finding(
                        Clause.HEARTBEAT,
                        "one process reports the start times " + process.reportedStart + " and " + text));
            }
            return;
        }
        process.reportedStart = text;
        var started = parse(text);
        if (started == null
                || started.isBefore(process.startedAt.minus(CLOCK_TOLERANCE))
                || started.isAfter(report.appendedAt().plus(CLOCK_TOLERANCE))) {
            findings.add(new Finding(
                    Clause.HEARTBEAT,
                    "started_at is " + text + ", but the process was started at " + process.startedAt
                            + " and sent this heartbeat at " + report.appendedAt()));
        }
    }

    private static @Nullable Instant parse(String text) {
        try {
            return Instant.parse(text);
        } catch (DateTimeParseException e) {
            return null;
        }
    }

    /** Returns whether the current process has sent enough heartbeats, or none for too long. */
    synchronized boolean isConclusive(Instant begin, Instant now) {
        var beats = processes.isEmpty() ? List.<Instant>of() : last().beats;
        return beats.size() >= ENOUGH
                || Duration.between(latest(beats, begin), now).compareTo(MAX_GAP) > 0;
    }

    /** Returns the gaps between heartbeats of one adapter process, and since its last one. */
    synchronized List<Finding> findGaps(Instant begin, Instant now) {
        var findings = new ArrayList<Finding>();
        for (var process : processes) {
            for (var i = 1; i < process.beats.size(); i++) {
                addGap(process.beats.get(i - 1), process.beats.get(i), findings);
            }
        }
        addGap(latest(processes.isEmpty() ? List.of() : last().beats, begin), now, findings);
        return findings;
    }

    private AdapterProcess last() {
        return processes.get(processes.size() - 1);
    }

    private static Instant latest(List<Instant> beats, Instant begin) {
        return beats.isEmpty() ? begin : beats.get(beats.size() - 1);
    }

    private static void addGap(Instant from, Instant to, List<Finding> findings) {
        var gap = Duration.between(from, to);
        if (gap.compareTo(MAX_GAP) > 0) {
            findings.add(new Finding(Clause.HEARTBEAT, "no heartbeat for " + gap.toSeconds() + " s"));
        }
    }
}
