package dev.slipway.instances.member.domain;

import dev.slipway.instances.member.domain.Member.DesiredState;
import dev.slipway.instances.member.domain.Member.ObservedState;
import dev.slipway.instances.member.domain.MemberDecision.Accepted;
import dev.slipway.instances.member.domain.MemberDecision.Refused;
import dev.slipway.operations.domain.SubjectKind;
import dev.slipway.operations.domain.SubjectRef;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

class MemberLifecycleTest {
    private static final SubjectRef SUBJECT =
            new SubjectRef(SubjectKind.APP_INSTANCE, UUID.randomUUID(), UUID.randomUUID(), UUID.randomUUID());
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final Instant LATER = NOW.plusSeconds(1);
    private static final Component WORKER = new Component("worker", 0, 3, 1, EnumSet.allOf(MemberOperation.class));

    /** The possible operations per observed state, for a member whose desired state is ready. */
    private static final Map<ObservedState, String> POSSIBLE = Map.of(
            ObservedState.PENDING, "remove replace label",
            ObservedState.JOINING, "remove replace label",
            ObservedState.READY, "drain remove replace cordon uncordon label",
            ObservedState.DRAINING, "drain remove replace label",
            ObservedState.FAILED, "remove replace label",
            ObservedState.REMOVED, "");

    /** The states that can be reported next, per observed and desired state. */
    private static final Map<ObservedState, Map<DesiredState, String>> REPORTABLE = Map.of(
            ObservedState.PENDING,
                    Map.of(
                            DesiredState.READY, "joining ready failed",
                            DesiredState.DRAINED, "joining ready draining failed",
                            DesiredState.REMOVED, "joining ready draining removed failed"),
            ObservedState.JOINING,
                    Map.of(
                            DesiredState.READY, "ready failed",
                            DesiredState.DRAINED, "ready draining failed",
                            DesiredState.REMOVED, "ready draining removed failed"),
            ObservedState.READY,
                    Map.of(
                            DesiredState.READY, "failed",
                            DesiredState.DRAINED, "draining failed",
                            DesiredState.REMOVED, "draining removed failed"),
            ObservedState.DRAINING,
                    Map.of(
                            DesiredState.READY, "ready failed",
                            DesiredState.DRAINED, "failed",
                            DesiredState.REMOVED, "removed failed"),
            ObservedState.FAILED,
                    Map.of(
                            DesiredState.READY, "joining ready",
                            DesiredState.DRAINED, "joining ready draining",
                            DesiredState.REMOVED, "joining ready draining removed"),
            ObservedState.REMOVED, Map.of(DesiredState.READY, "", DesiredState.DRAINED, "", DesiredState.REMOVED, ""));

    @ParameterizedTest
    @EnumSource
    void operate_matchesTheTable_inEveryState(ObservedState observedState) {
        for (var operation : MemberOperation.values()) {
            var member = member(observedState, DesiredState.READY);

            var decision = MemberLifecycle.operate(operation, WORKER, List.of(member), member, LATER);

            if (words(POSSIBLE.get(observedState)).contains(operation.text())) {
                assertThat(decision).as("%s %s", operation, observedState).isInstanceOf(Accepted.class);
            } else {
                assertThat(code(decision))
                        .as("%s %s", operation, observedState)
                        .isEqualTo("member_operation_not_allowed");
            }
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "REMOVED")
    void operate_acceptsOnlyRemove_whenRemovalIsDesired(ObservedState observedState) {
        var member = member(observedState, DesiredState.REMOVED);

        for (var operation : MemberOperation.values()) {
            var decision = MemberLifecycle.operate(operation, WORKER, List.of(member), member, LATER);
            assertThat(decision instanceof Accepted)
                    .as("%s %s", operation, observedState)
                    .isEqualTo(operation == MemberOperation.REMOVE);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"CORDON", "UNCORDON", "LABEL"})
    void operate_isRefused_whenTheManifestDoesNotAllowIt(MemberOperation operation) {
        var plain = new Component("worker", 0, 3, 1, Set.of());
        var member = member(ObservedState.READY, DesiredState.READY);

        assertThat(code(MemberLifecycle.operate(operation, plain, List.of(member), member, LATER)))
                .isEqualTo("member_operation_not_allowed");
    }

    @Test
    void operate_incrementsTheGeneration_whenTheDesiredStateChanges() {
        var member = member(ObservedState.READY, DesiredState.READY);

        assertThat(operated(MemberOperation.DRAIN, member).desired()).isEqualTo(DesiredState.DRAINED);
        assertThat(operated(MemberOperation.REMOVE, member).desired()).isEqualTo(DesiredState.REMOVED);
        assertThat(operated(MemberOperation.REPLACE, member).desired()).isEqualTo(DesiredState.REMOVED);
        for (var changes : List.of(MemberOperation.DRAIN, MemberOperation.REMOVE, MemberOperation.REPLACE)) {
            assertThat(operated(changes, member).generation()).isEqualTo(2);
        }
        for (var keeps : List.of(MemberOperation.CORDON, MemberOperation.UNCORDON, MemberOperation.LABEL)) {
            assertThat(operated(keeps, member)).isEqualTo(member);
        }
    }

    @Test
    void remove_isRefused_belowTheMinimum_unlessFailed() {
        var two = new Component("worker", 2, 3, 2, Set.of());
        var one = member(ObservedState.READY, DesiredState.READY);
        var other = member(ObservedState.DRAINING, DesiredState.DRAINED);
        var failed = member(ObservedState.FAILED, DesiredState.READY);
        var gone = member(ObservedState.REMOVED, DesiredState.REMOVED);
        var all = List.of(one, other, failed, gone);

        assertThat(code(MemberLifecycle.operate(MemberOperation.REMOVE, two, all, one, LATER)))
                .isEqualTo("component_bounds");
        assertThat(MemberLifecycle.operate(MemberOperation.REMOVE, two, all, failed, LATER))
                .isInstanceOf(Accepted.class);
        assertThat(MemberLifecycle.operate(MemberOperation.REPLACE, two, all, one, LATER))
                .isInstanceOf(Accepted.class);
        var third = new ArrayList<>(all);
        third.add(member(ObservedState.PENDING, DesiredState.READY));
        assertThat(MemberLifecycle.operate(MemberOperation.REMOVE, two, third, one, LATER))
                .isInstanceOf(Accepted.class);
    }

    @Test
    void add_isRefused_aboveTheMaximumOfTheComponent() {
        var issued = member(ObservedState.PENDING, DesiredState.READY);
        var others = new ArrayList<Member>();
        for (var i = 0; i < 3; i++) {
            assertThat(MemberLifecycle.add(WORKER, others, issued)).isEqualTo(new Accepted(issued));
            others.add(member(ObservedState.FAILED, DesiredState.READY));
        }
        others.add(Member.create(UUID.randomUUID(), SUBJECT, "head", Map.of(), NOW));

        assertThat(code(MemberLifecycle.add(WORKER, others, issued))).isEqualTo("component_bounds");
        others.set(0, member(ObservedState.READY, DesiredState.REMOVED));
        assertThat(MemberLifecycle.add(WORKER, others, issued)).isInstanceOf(Accepted.class);
    }

    @ParameterizedTest
    @EnumSource
    void report_matchesTheTable_inEveryState(ObservedState observedState) {
        for (var desiredState : DesiredState.values()) {
            for (var state : ObservedState.values()) {
                var member = member(observedState, desiredState);

                var decision = MemberLifecycle.report(member, report(1, state, "key", null, null), LATER);

                var what = observedState + ", to be " + desiredState + ", reported " + state;
                if (state == observedState
                        || words(REPORTABLE.get(observedState).get(desiredState))
                                .contains(state.text())) {
                    assertThat(((Accepted) decision).next().observed()).as(what).isEqualTo(state);
                    assertThat(((Accepted) decision).next().componentKey()).isEqualTo("key");
                } else {
                    assertThat(code(decision)).as(what).isEqualTo("state_conflict");
                }
            }
        }
    }

    @Test
    void report_changesNothing_whenOlder_andIsRefused_whenNewer() {
        var drained = operated(MemberOperation.DRAIN, member(ObservedState.READY, DesiredState.READY));

        assertThat(MemberLifecycle.report(drained, report(1, ObservedState.FAILED, "k", null, "late"), LATER))
                .isEqualTo(new Accepted(drained));
        assertThat(code(MemberLifecycle.report(drained, report(3, ObservedState.DRAINING, null, null, null), LATER)))
                .isEqualTo("validation_error");
    }

    @Test
    void report_changesNothing_whenRepeated_andKeepsAbsentFields() {
        var ready = ((Accepted) MemberLifecycle.report(
                        member(ObservedState.PENDING, DesiredState.READY),
                        report(1, ObservedState.READY, "k", "{\"a\":1}", null),
                        NOW))
                .next();

        assertThat(MemberLifecycle.report(ready, report(1, ObservedState.READY, null, null, null), LATER))
                .isEqualTo(new Accepted(ready));
        var failed = ((Accepted)
                        MemberLifecycle.report(ready, report(1, ObservedState.FAILED, null, null, "broke"), LATER))
                .next();
        assertThat(failed.componentKey()).isEqualTo("k");
        assertThat(failed.adapterDetail()).isEqualTo("{\"a\":1}");
        assertThat(failed.reason()).isEqualTo("broke");
    }

    @ParameterizedTest
    @EnumSource
    void applySuccess_reachesTheDesiredState(MemberOperation operation) {
        for (var observedState : ObservedState.values()) {
            var labels = Map.of("zone", "a");
            var done =
                    MemberLifecycle.applySuccess(operation, member(observedState, DesiredState.READY), labels, LATER);
            var expected =
                    switch (operation) {
                        case ADD ->
                            observedState == ObservedState.PENDING || observedState == ObservedState.JOINING
                                    ? ObservedState.READY
                                    : observedState;
                        case DRAIN -> observedState == ObservedState.READY ? ObservedState.DRAINING : observedState;
                        case REMOVE, REPLACE -> ObservedState.REMOVED;
                        case CORDON, UNCORDON, LABEL -> observedState;
                    };
            assertThat(done.observed()).as("%s %s", operation, observedState).isEqualTo(expected);
            assertThat(done.cordoned()).isEqualTo(operation == MemberOperation.CORDON);
            assertThat(done.labels()).isEqualTo(operation == MemberOperation.LABEL ? labels : Map.of());
        }
    }

    @ParameterizedTest
    @EnumSource
    void applyFailure_keepsTheState_orFailsTheNewMember(MemberOperation operation) {
        for (var observedState : ObservedState.values()) {
            var before = member(
                    observedState, operation == MemberOperation.DRAIN ? DesiredState.DRAINED : DesiredState.REMOVED);
            var after = MemberLifecycle.applyFailure(operation, before, "why", LATER);
            var joins = observedState == ObservedState.PENDING || observedState == ObservedState.JOINING;
            assertThat(after.observed())
                    .as("%s %s", operation, observedState)
                    .isEqualTo(operation == MemberOperation.ADD && joins ? ObservedState.FAILED : observedState);
            var desiredState =
                    switch (operation) {
                        case DRAIN -> DesiredState.READY;
                        case REMOVE, REPLACE ->
                            observedState == ObservedState.REMOVED
                                    ? DesiredState.REMOVED
                                    : observedState == ObservedState.DRAINING
                                            ? DesiredState.DRAINED
                                            : DesiredState.READY;
                        case ADD, CORDON, UNCORDON, LABEL -> DesiredState.REMOVED;
                    };
            assertThat(after.desired()).as("%s %s", operation, observedState).isEqualTo(desiredState);
        }
    }

    private static Member operated(MemberOperation operation, Member member) {
        return ((Accepted) MemberLifecycle.operate(operation, WORKER, List.of(member), member, LATER)).next();
    }

    private static String code(MemberDecision decision) {
        assertThat(decision).isInstanceOf(Refused.class);
        return ((Refused) decision).code();
    }

    private static Set<String> words(String text) {
        return Set.copyOf(Stream.of(text.split(" ")).toList());
    }

    private static Member member(ObservedState observedState, DesiredState desiredState) {
        var issued = Member.create(UUID.randomUUID(), SUBJECT, "worker", Map.of(), NOW);
        return issued.withDesired(desiredState, 1, NOW).withObserved(observedState, null, NOW);
    }

    private static MemberReport report(
            int generation,
            ObservedState state,
            @Nullable String componentKey,
            @Nullable String detail,
            @Nullable String reason) {
        return new MemberReport(UUID.randomUUID(), generation, state, componentKey, detail, reason);
    }
}
