package dev.slipway.instances.operation.domain;

import dev.slipway.instances.operation.domain.Operation.Blocker;
import dev.slipway.instances.operation.domain.Operation.Kind;
import dev.slipway.instances.operation.domain.Operation.Progress;
import dev.slipway.instances.operation.domain.Waiting.Adapters;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;

import static org.assertj.core.api.Assertions.assertThat;

class WaitingTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final UUID ID = new UUID(0, 1);
    private static final Adapters ALIVE = adapters(NOW.minusSeconds(5));
    private static final Adapters GONE = adapters(NOW.minusSeconds(500));
    private static final Adapters NEVER = adapters(null);
    private static final Operation ACCEPTED = OperationLifecycle.accept(
            NewOperation.of(ID, Kind.DELETE, "apps.instance.delete", ID, ID, NOW, ID), ID, ID, ID, "c", NOW);
    private static final Operation RUNNING =
            OperationLifecycle.reportTaken(ACCEPTED, NOW).next();
    private static final Blocker QUEUE = new Blocker("queue_full", "the queue is full", "project");
    private static final Operation QUEUED = OperationLifecycle.reportProgress(
                    RUNNING, new Progress(1, null, List.of(QUEUE)), NOW)
            .next();

    @Test
    void on_saysWhoseTurnItIs() {
        assertThat(codes(ACCEPTED, ALIVE)).containsExactly("adapter_pending");
        assertThat(codes(ACCEPTED, GONE)).containsExactly("adapter_unavailable");
        assertThat(codes(ACCEPTED, NEVER)).containsExactly("adapter_unavailable");
        assertThat(codes(RUNNING, ALIVE)).isEmpty();
        assertThat(codes(RUNNING, GONE)).containsExactly("adapter_unavailable");
        assertThat(codes(RUNNING, NEVER)).as("it has spoken, if not of itself").isEmpty();
        assertThat(codes(QUEUED, ALIVE)).containsExactly("queue_full");
        assertThat(codes(QUEUED, GONE)).containsExactly("adapter_unavailable", "queue_full");
        assertThat(codes(OperationLifecycle.reportFailed(QUEUED, "no", NOW).next(), GONE))
                .isEmpty();
    }

    @Test
    void beyond_saysWhyItIsLate_andIsSaidOnce() {
        assertThat(Waiting.beyond(ACCEPTED, ALIVE, NOW).code()).isEqualTo("adapter_unavailable");
        assertThat(Waiting.beyond(RUNNING, GONE, NOW).message()).contains("2025-12-31T23:51:40Z");
        assertThat(Waiting.beyond(QUEUED, ALIVE, NOW).code()).isEqualTo("runtime_silent");
        assertThat(Waiting.beyond(QUEUED, ALIVE, NOW).message()).contains("the queue is full");

        var late = OperationLifecycle.expire(RUNNING, Waiting.beyond(RUNNING, GONE, NOW), Duration.ofMinutes(1), NOW)
                .next();
        assertThat(codes(late, GONE)).containsExactly("adapter_unavailable");
        assertThat(Waiting.withoutSilence(late.progress().blockers())).isEmpty();
    }

    private static List<String> codes(Operation operation, Adapters adapters) {
        return Waiting.on(operation, adapters, NOW).stream().map(Blocker::code).toList();
    }

    private static Adapters adapters(Instant lastSeenAt) {
        return new Adapters("bare_metal", lastSeenAt, Duration.ofSeconds(30));
    }
}
