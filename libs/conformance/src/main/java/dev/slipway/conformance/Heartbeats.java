package dev.slipway.conformance;

import dev.slipway.conformance.Clause.Finding;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** Whether the adapter says that it lives, and says so often enough. */
final class Heartbeats {
    /** They come every ten seconds; one that is late is not yet a fault. */
    private static final Duration TOO_LONG = Duration.ofSeconds(30);

    private final UUID adapter;
    private final String backend;
    private final TokenDesk tokens;
    private final List<Beat> beats = new ArrayList<>();

    private record Beat(Instant at, String startedAt) {}

    Heartbeats(UUID adapter, String backend, TokenDesk tokens) {
        this.adapter = adapter;
        this.backend = backend;
        this.tokens = tokens;
    }

    synchronized List<Finding> take(Report report) {
        var findings = new ArrayList<Finding>();
        var fault = tokens.faultOf(report, null);
        if (fault != null) {
            findings.add(fault);
        }
        if (!adapter.toString().equals(report.key())) {
            findings.add(new Finding(Clause.KEYS, "a heartbeat has the key " + report.key()));
        }
        if (!report.text("adapter_id").equals(adapter.toString())
                || !report.text("runtime_backend").equals(backend)) {
            findings.add(new Finding(
                    Clause.HEARTBEAT,
                    "a heartbeat is of adapter " + report.text("adapter_id") + " for "
                            + report.text("runtime_backend")));
        }
        beats.add(new Beat(report.appendedAt(), report.text("started_at")));
        return findings;
    }

    synchronized int count() {
        return beats.size();
    }

    /** Gaps between the heartbeats of one start. */
    synchronized List<Finding> gaps() {
        var findings = new ArrayList<Finding>();
        for (var i = 1; i < beats.size(); i++) {
            var before = beats.get(i - 1);
            var gap = Duration.between(before.at, beats.get(i).at);
            if (before.startedAt.equals(beats.get(i).startedAt) && gap.compareTo(TOO_LONG) > 0) {
                findings.add(new Finding(Clause.HEARTBEAT, "no heartbeat for " + gap.toSeconds() + " s"));
            }
        }
        return findings;
    }
}
