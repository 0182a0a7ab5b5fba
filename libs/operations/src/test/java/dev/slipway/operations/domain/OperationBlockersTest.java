package dev.slipway.operations.domain;

import dev.slipway.operations.domain.NewOperation.Requester;
import dev.slipway.operations.domain.Operation.Blocker;
import dev.slipway.operations.domain.Operation.Kind;
import dev.slipway.operations.domain.Operation.Progress;
import dev.slipway.operations.domain.OperationBlockers.AdapterAvailability;
import dev.slipway.operations.domain.OperationBlockers.RejectedReports;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;

import static org.assertj.core.api.Assertions.assertThat;

class OperationBlockersTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final UUID ID = new UUID(0, 1);
    private static final AdapterAvailability ALIVE = adapters(NOW.minusSeconds(5));
    private static final AdapterAvailability GONE = adapters(NOW.minusSeconds(500));
    private static final AdapterAvailability NEVER = adapters(null);
    private static final Operation ACCEPTED = OperationLifecycle.accept(
            NewOperation.ofKind(Kind.DELETE, ID, "apps.instance.delete", new Requester(ID, ID), NOW, ID),
            new SubjectRef(SubjectKind.APP_INSTANCE, ID, ID, ID),
            "c",
            NOW);
    private static final Operation RUNNING =
            OperationLifecycle.reportAccepted(ACCEPTED, NOW).next();
    private static final Blocker QUEUE = new Blocker("queue_full", "the queue is full", "project");
    private static final Operation QUEUED = OperationLifecycle.reportProgress(
                    RUNNING, new Progress(1, null, List.of(QUEUE)), NOW)
            .next();

    @Test
    void current_namesWhoHasToAct() {
        assertThat(codes(ACCEPTED, ALIVE)).containsExactly("adapter_pending");
        assertThat(codes(ACCEPTED, GONE)).containsExactly("adapter_unavailable");
        assertThat(codes(ACCEPTED, NEVER)).containsExactly("adapter_unavailable");
        assertThat(codes(RUNNING, ALIVE)).isEmpty();
        assertThat(codes(RUNNING, GONE)).containsExactly("adapter_unavailable");
        assertThat(codes(RUNNING, NEVER))
                .as("it has reported, though it sent no heartbeat")
                .isEmpty();
        assertThat(codes(QUEUED, ALIVE)).containsExactly("queue_full");
        assertThat(codes(QUEUED, GONE)).containsExactly("adapter_unavailable", "queue_full");
        assertThat(codes(OperationLifecycle.reportFailed(QUEUED, "no", NOW).next(), GONE))
                .isEmpty();
    }

    @Test
    void atDeadline_namesTheRejection_whenReportsWereRejected() {
        var blocker = OperationBlockers.atDeadline(
                ACCEPTED, ALIVE, new RejectedReports(2, "token_expired: The token has expired."), NOW);

        assertThat(blocker.code()).isEqualTo("reports_rejected");
        assertThat(blocker.message()).contains("rejected 2 reports", "token_expired: The token has expired.");
    }

    @Test
    void atDeadline_explainsTheDelay() {
        assertThat(OperationBlockers.atDeadline(ACCEPTED, ALIVE, null, NOW).code())
                .isEqualTo("adapter_unavailable");
        assertThat(OperationBlockers.atDeadline(RUNNING, GONE, null, NOW).message())
                .contains("2025-12-31T23:51:40Z");
        assertThat(OperationBlockers.atDeadline(QUEUED, ALIVE, null, NOW).code())
                .isEqualTo("runtime_silent");
        assertThat(OperationBlockers.atDeadline(QUEUED, ALIVE, null, NOW).message())
                .contains("the queue is full");

        var late = OperationLifecycle.expire(
                        RUNNING, OperationBlockers.atDeadline(RUNNING, GONE, null, NOW), Duration.ofMinutes(1), NOW)
                .next();
        assertThat(codes(late, GONE)).containsExactly("adapter_unavailable");
        assertThat(OperationBlockers.withoutAdapterBlockers(late.progress().blockers()))
                .isEmpty();
    }

    private static List<String> codes(Operation operation, AdapterAvailability adapterAvailability) {
        return OperationBlockers.current(operation, adapterAvailability, NOW).stream()
                .map(Blocker::code)
                .toList();
    }

    private static AdapterAvailability adapters(Instant lastSeenAt) {
        return new AdapterAvailability("bare_metal", lastSeenAt, Duration.ofSeconds(30));
    }
}
