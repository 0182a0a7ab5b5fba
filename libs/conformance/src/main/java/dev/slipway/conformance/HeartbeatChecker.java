package dev.slipway.conformance;

import dev.slipway.conformance.Clause.Finding;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** Checks that heartbeats are valid and frequent enough. */
final class HeartbeatChecker {
    /** Heartbeats are due every ten seconds; a single late one is tolerated. */
    private static final Duration MAX_GAP = Duration.ofSeconds(30);

    private final UUID adapter;
    private final String backend;
    private final FakeTokenEndpoint tokens;
    private final List<HeartbeatTime> beats = new ArrayList<>();

    private record HeartbeatTime(Instant at, String startedAt) {}

    HeartbeatChecker(UUID adapter, String backend, FakeTokenEndpoint tokens) {
        this.adapter = adapter;
        this.backend = backend;
        this.tokens = tokens;
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
        beats.add(new HeartbeatTime(report.appendedAt(), report.text("started_at")));
        return findings;
    }

    synchronized int count() {
        return beats.size();
    }

    /** Returns the gaps between heartbeats of one adapter process. */
    synchronized List<Finding> findGaps() {
        var findings = new ArrayList<Finding>();
        for (var i = 1; i < beats.size(); i++) {
            var before = beats.get(i - 1);
            var gap = Duration.between(before.at, beats.get(i).at);
            if (before.startedAt.equals(beats.get(i).startedAt) && gap.compareTo(MAX_GAP) > 0) {
                findings.add(new Finding(Clause.HEARTBEAT, "no heartbeat for " + gap.toSeconds() + " s"));
            }
        }
        return findings;
    }
}
