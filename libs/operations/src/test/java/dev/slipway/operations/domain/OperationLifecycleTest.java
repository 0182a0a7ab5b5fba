package dev.slipway.operations.domain;

import dev.slipway.contract.domain.TextEnum;
import dev.slipway.operations.domain.NewOperation.Requester;
import dev.slipway.operations.domain.Operation.Blocker;
import dev.slipway.operations.domain.Operation.Kind;
import dev.slipway.operations.domain.Operation.Progress;
import dev.slipway.operations.domain.Operation.Status;
import dev.slipway.operations.domain.OperationDecision.Accepted;
import dev.slipway.operations.domain.OperationDecision.Refused;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;

import static org.assertj.core.api.Assertions.assertThat;

class OperationLifecycleTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final Instant LATER = NOW.plusSeconds(60);
    private static final Instant DEADLINE = NOW.plusSeconds(600);
    private static final Instant TOO_LATE = DEADLINE.plusSeconds(1);
    private static final UUID CANCEL = UUID.fromString("01900000-0000-7000-8000-00000000000c");
    private static final Blocker SILENT = new Blocker("runtime_silent", "The adapter does not report.", "adapter");
    private static final Progress HALF = new Progress(50, "half", List.of());

    /** Every transition from every status, for a cancelable operation: the next status and the event. */
    private static final String TABLE = """
            command    accepted            running              succeeded  failed     canceled
            accepted   running:running     running:-            succeeded:- failed:-  canceled:-
            progress   running:running     running:progressed   succeeded:- failed:-  canceled:-
            succeeded  succeeded:succeeded succeeded:succeeded  succeeded:- failed:-  canceled:-
            failed     failed:failed       failed:failed        succeeded:- failed:-  canceled:-
            canceled   canceled:canceled   canceled:canceled    succeeded:- failed:-  canceled:-
            supersede  canceled:canceled   canceled:canceled    succeeded:- failed:-  canceled:-
            cancel     canceled:canceled   running:progressed   refused     refused   refused
            expire     failed:failed       failed:failed        succeeded:- failed:-  canceled:-
            early      accepted:-          running:-            succeeded:- failed:-  canceled:-
            """;

    private static final Map<String, Function<Operation, OperationDecision>> COMMANDS = new LinkedHashMap<>();

    static {
        COMMANDS.put("accepted", o -> OperationLifecycle.reportAccepted(o, LATER));
        COMMANDS.put("progress", o -> OperationLifecycle.reportProgress(o, HALF, LATER));
        COMMANDS.put("succeeded", o -> OperationLifecycle.reportSucceeded(o, "{}", LATER));
        COMMANDS.put("failed", o -> OperationLifecycle.reportFailed(o, "no", LATER));
        COMMANDS.put("canceled", o -> OperationLifecycle.reportCanceled(o, "no", LATER));
        COMMANDS.put("supersede", o -> OperationLifecycle.supersede(o, "deleted", LATER));
        COMMANDS.put("cancel", o -> OperationLifecycle.cancel(o, CANCEL, "unwanted", LATER));
        COMMANDS.put("expire", o -> OperationLifecycle.expire(o, SILENT, Duration.ofMinutes(1), TOO_LATE));
        COMMANDS.put("early", o -> OperationLifecycle.expire(o, SILENT, Duration.ofMinutes(1), LATER));
    }

    @Test
    void transition_matchesTheTable_forEveryStatus() {
        var rows = TABLE.lines().map(line -> line.split(" +")).toList();
        for (var row : rows.subList(1, rows.size())) {
            var command = COMMANDS.get(row[0]);
            for (var column = 1; column < row.length; column++) {
                var status = TextEnum.parse(Status.class, rows.get(0)[column]);
                assertThat(describe(command.apply(operation(status, Kind.UPGRADE))))
                        .as("%s when %s", row[0], status)
                        .isEqualTo(row[column]);
            }
        }
        assertThat(rows.stream().skip(1).map(row -> row[0])).containsExactlyElementsOf(COMMANDS.keySet());
    }

    @ParameterizedTest
    @EnumSource(
            value = Kind.class,
            names = {"CREATE", "DELETE"})
    void cancel_isRefused_whenLaunchOrDeletion(Kind kind) {
        for (var status : List.of(Status.ACCEPTED, Status.RUNNING)) {
            var refused = (Refused) OperationLifecycle.cancel(operation(status, kind), CANCEL, "", LATER);
            assertThat(refused.code()).isEqualTo("operation_not_cancelable");
            assertThat(refused.message()).contains("delet");
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Kind.class,
            names = {"UPGRADE", "ROLLBACK", "MEMBER", "DECLARED"})
    void cancel_isAccepted_whenAnyOtherKind(Kind kind) {
        var canceling = accepted(OperationLifecycle.cancel(operation(Status.RUNNING, kind), CANCEL, "", LATER));

        assertThat(canceling.next().cancelCommandId()).isEqualTo(CANCEL);
        var again = accepted(OperationLifecycle.cancel(canceling.next(), UUID.randomUUID(), "", LATER));
        assertThat(again.next()).isEqualTo(canceling.next());
        assertThat(again.event()).isNull();
    }

    @Test
    void expire_keepsTheOperationOpenWithItsBlocker_whenDeletion() {
        for (var status : List.of(Status.ACCEPTED, Status.RUNNING)) {
            var first =
                    OperationLifecycle.expire(operation(status, Kind.DELETE), SILENT, Duration.ofMinutes(1), TOO_LATE);

            assertThat(first.next().status()).isEqualTo(status);
            assertThat(first.next().progress().blockers()).containsExactly(SILENT);
            assertThat(first.next().dueAt()).isEqualTo(TOO_LATE.plusSeconds(60));
            assertThat(first.next().deadlineAt()).isEqualTo(DEADLINE);
            assertThat(first.event()).isEqualTo(OperationEvent.PROGRESSED);

            var second = OperationLifecycle.expire(
                    first.next(), SILENT, Duration.ofMinutes(1), first.next().dueAt());
            assertThat(second.event()).as("unchanged").isNull();
            assertThat(second.next().dueAt()).isAfter(first.next().dueAt());
        }
    }

    @Test
    void expire_cancels_whenCancellationWasRequested() {
        var canceling = accepted(OperationLifecycle.cancel(operation(Status.RUNNING, Kind.DECLARED), CANCEL, "", LATER))
                .next();

        var ended = OperationLifecycle.expire(canceling, SILENT, Duration.ofMinutes(1), TOO_LATE);

        assertThat(ended.next().status()).isEqualTo(Status.CANCELED);
        assertThat(ended.next().reason()).isNotBlank();
    }

    @Test
    void reportProgress_hasNoEvent_whenUnchanged() {
        var half = OperationLifecycle.reportProgress(operation(Status.RUNNING, Kind.CREATE), HALF, LATER);

        assertThat(OperationLifecycle.reportProgress(half.next(), HALF, LATER).event())
                .isNull();
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void report_setsStartAndEndTimes(Kind kind) {
        var started = OperationLifecycle.reportAccepted(operation(Status.ACCEPTED, kind), LATER);
        assertThat(started.next().startedAt()).isEqualTo(LATER);
        assertThat(started.next().endedAt()).isNull();

        var ended = OperationLifecycle.reportSucceeded(started.next(), "{\"n\":1}", DEADLINE);
        assertThat(ended.next().startedAt()).isEqualTo(LATER);
        assertThat(ended.next().endedAt()).isEqualTo(DEADLINE);
        assertThat(ended.next().progress().percent()).isEqualTo(100);
        assertThat(ended.next().output()).isEqualTo("{\"n\":1}");
        assertThat(kind.isMutating()).isEqualTo(kind != Kind.DECLARED && kind != Kind.DETACH);
    }

    private static Operation operation(Status status, Kind kind) {
        var id = UUID.fromString("01900000-0000-7000-8000-000000000001");
        var fresh = OperationLifecycle.accept(
                NewOperation.ofKind(kind, id, "apps.instance.update", new Requester(id, id), DEADLINE, id),
                new SubjectRef(SubjectKind.APP_INSTANCE, id, id, id),
                "c",
                NOW);
        return switch (status) {
            case ACCEPTED -> fresh;
            case RUNNING -> OperationLifecycle.reportAccepted(fresh, NOW).next();
            case SUCCEEDED ->
                OperationLifecycle.reportSucceeded(fresh, null, NOW).next();
            case FAILED -> OperationLifecycle.reportFailed(fresh, "before", NOW).next();
            case CANCELED ->
                OperationLifecycle.reportCanceled(fresh, "before", NOW).next();
        };
    }

    private static Accepted accepted(OperationDecision decision) {
        return (Accepted) decision;
    }

    private static String describe(OperationDecision decision) {
        if (decision instanceof Refused refused) {
            assertThat(refused.code()).isEqualTo("operation_not_cancelable");
            return "refused";
        }
        var accepted = (Accepted) decision;
        var event = accepted.event();
        return accepted.next().status().text() + ":" + (event == null ? "-" : event.text());
    }
}
