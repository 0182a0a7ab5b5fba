package dev.slipway.instances.member.domain;

import dev.slipway.instances.member.domain.Member.Desired;
import dev.slipway.instances.member.domain.Member.Observed;
import dev.slipway.instances.member.domain.MemberDecision.Accepted;
import dev.slipway.instances.member.domain.MemberDecision.Refused;
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
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final Instant LATER = NOW.plusSeconds(1);
    private static final Component WORKER = new Component("worker", 0, 3, 1, EnumSet.allOf(MemberOperation.class));

    /** Every state and every operation, for a member that is to be ready. */
    private static final Map<Observed, String> POSSIBLE = Map.of(
            Observed.PENDING, "remove replace label",
            Observed.JOINING, "remove replace label",
            Observed.READY, "drain remove replace cordon uncordon label",
            Observed.DRAINING, "drain remove replace label",
            Observed.FAILED, "remove replace label",
            Observed.REMOVED, "");

    /** Every state, as it is and as it is to be, and what it can be reported to be beside what it is. */
    private static final Map<Observed, Map<Desired, String>> REPORTABLE = Map.of(
            Observed.PENDING,
                    Map.of(
                            Desired.READY, "joining ready failed",
                            Desired.DRAINED, "joining ready draining failed",
                            Desired.REMOVED, "joining ready draining removed failed"),
            Observed.JOINING,
                    Map.of(
                            Desired.READY, "ready failed",
                            Desired.DRAINED, "ready draining failed",
                            Desired.REMOVED, "ready draining removed failed"),
            Observed.READY,
                    Map.of(
                            Desired.READY, "failed",
                            Desired.DRAINED, "draining failed",
                            Desired.REMOVED, "draining removed failed"),
            Observed.DRAINING,
                    Map.of(
                            Desired.READY, "ready failed",
                            Desired.DRAINED, "failed",
                            Desired.REMOVED, "removed failed"),
            Observed.FAILED,
                    Map.of(
                            Desired.READY, "joining ready",
                            Desired.DRAINED, "joining ready draining",
                            Desired.REMOVED, "joining ready draining removed"),
            Observed.REMOVED, Map.of(Desired.READY, "", Desired.DRAINED, "", Desired.REMOVED, ""));

    @ParameterizedTest
    @EnumSource
    void operate_isRefused_inEveryStateThatIsNotForIt(Observed observed) {
        for (var operation : MemberOperation.values()) {
            var member = member(observed, Desired.READY);

            var decision = MemberLifecycle.operate(operation, WORKER, List.of(member), member, LATER);

            if (words(POSSIBLE.get(observed)).contains(operation.text())) {
                assertThat(decision).as("%s %s", operation, observed).isInstanceOf(Accepted.class);
            } else {
                assertThat(code(decision)).as("%s %s", operation, observed).isEqualTo("member_operation_not_allowed");
            }
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "REMOVED")
    void operate_isRefused_butForRemovingAgain_whenItIsToBeRemoved(Observed observed) {
        var member = member(observed, Desired.REMOVED);

        for (var operation : MemberOperation.values()) {
            var decision = MemberLifecycle.operate(operation, WORKER, List.of(member), member, LATER);
            assertThat(decision instanceof Accepted)
                    .as("%s %s", operation, observed)
                    .isEqualTo(operation == MemberOperation.REMOVE);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"CORDON", "UNCORDON", "LABEL"})
    void operate_isRefused_whereTheManifestDoesNotAllowIt(MemberOperation operation) {
        var plain = new Component("worker", 0, 3, 1, Set.of());
        var member = member(Observed.READY, Desired.READY);

        assertThat(code(MemberLifecycle.operate(operation, plain, List.of(member), member, LATER)))
                .isEqualTo("member_operation_not_allowed");
    }

    @Test
    void operate_raisesTheGeneration_whereTheMemberIsToBeSomethingElse() {
        var member = member(Observed.READY, Desired.READY);

        assertThat(operated(MemberOperation.DRAIN, member).desired()).isEqualTo(Desired.DRAINED);
        assertThat(operated(MemberOperation.REMOVE, member).desired()).isEqualTo(Desired.REMOVED);
        assertThat(operated(MemberOperation.REPLACE, member).desired()).isEqualTo(Desired.REMOVED);
        for (var changes : List.of(MemberOperation.DRAIN, MemberOperation.REMOVE, MemberOperation.REPLACE)) {
            assertThat(operated(changes, member).generation()).isEqualTo(2);
        }
        for (var keeps : List.of(MemberOperation.CORDON, MemberOperation.UNCORDON, MemberOperation.LABEL)) {
            assertThat(operated(keeps, member)).isEqualTo(member);
        }
    }

    @Test
    void remove_isRefused_belowTheLeast_exceptOfOneThatFailed() {
        var two = new Component("worker", 2, 3, 2, Set.of());
        var one = member(Observed.READY, Desired.READY);
        var other = member(Observed.DRAINING, Desired.DRAINED);
        var failed = member(Observed.FAILED, Desired.READY);
        var gone = member(Observed.REMOVED, Desired.REMOVED);
        var all = List.of(one, other, failed, gone);

        assertThat(code(MemberLifecycle.operate(MemberOperation.REMOVE, two, all, one, LATER)))
                .isEqualTo("component_bounds");
        assertThat(MemberLifecycle.operate(MemberOperation.REMOVE, two, all, failed, LATER))
                .isInstanceOf(Accepted.class);
        assertThat(MemberLifecycle.operate(MemberOperation.REPLACE, two, all, one, LATER))
                .isInstanceOf(Accepted.class);
        var third = new ArrayList<>(all);
        third.add(member(Observed.PENDING, Desired.READY));
        assertThat(MemberLifecycle.operate(MemberOperation.REMOVE, two, third, one, LATER))
                .isInstanceOf(Accepted.class);
    }

    @Test
    void add_isRefused_beyondTheMost_ofItsOwnComponent() {
        var issued = member(Observed.PENDING, Desired.READY);
        var others = new ArrayList<Member>();
        for (var i = 0; i < 3; i++) {
            assertThat(MemberLifecycle.add(WORKER, others, issued)).isEqualTo(new Accepted(issued));
            others.add(member(Observed.FAILED, Desired.READY));
        }
        others.add(Member.issued(UUID.randomUUID(), UUID.randomUUID(), UUID.randomUUID(), "head", Map.of(), NOW));

        assertThat(code(MemberLifecycle.add(WORKER, others, issued))).isEqualTo("component_bounds");
        others.set(0, member(Observed.READY, Desired.REMOVED));
        assertThat(MemberLifecycle.add(WORKER, others, issued)).isInstanceOf(Accepted.class);
    }

    @ParameterizedTest
    @EnumSource
    void report_isRefused_ofEveryStateThatCannotFollow(Observed observed) {
        for (var desired : Desired.values()) {
            for (var state : Observed.values()) {
                var member = member(observed, desired);

                var decision = MemberLifecycle.report(member, 1, state, "key", null, null, LATER);

                var what = observed + ", to be " + desired + ", reported " + state;
                if (state == observed
                        || words(REPORTABLE.get(observed).get(desired)).contains(state.text())) {
                    assertThat(((Accepted) decision).next().observed()).as(what).isEqualTo(state);
                    assertThat(((Accepted) decision).next().componentKey()).isEqualTo("key");
                } else {
                    assertThat(code(decision)).as(what).isEqualTo("state_conflict");
                }
            }
        }
    }

    @Test
    void report_changesNothing_whenItIsOfAnOlderGeneration_andIsRefusedOfOneThatIsNotThere() {
        var drained = operated(MemberOperation.DRAIN, member(Observed.READY, Desired.READY));

        assertThat(MemberLifecycle.report(drained, 1, Observed.FAILED, "k", null, "late", LATER))
                .isEqualTo(new Accepted(drained));
        assertThat(code(MemberLifecycle.report(drained, 3, Observed.DRAINING, null, null, null, LATER)))
                .isEqualTo("validation_error");
    }

    @Test
    void report_changesNothing_whenItIsTheSameAgain_andKeepsWhatItDoesNotSay() {
        var ready = ((Accepted) MemberLifecycle.report(
                        member(Observed.PENDING, Desired.READY), 1, Observed.READY, "k", "{\"a\":1}", null, NOW))
                .next();

        assertThat(MemberLifecycle.report(ready, 1, Observed.READY, null, null, null, LATER))
                .isEqualTo(new Accepted(ready));
        var failed = ((Accepted) MemberLifecycle.report(ready, 1, Observed.FAILED, null, null, "broke", LATER)).next();
        assertThat(failed.componentKey()).isEqualTo("k");
        assertThat(failed.adapterDetail()).isEqualTo("{\"a\":1}");
        assertThat(failed.reason()).isEqualTo("broke");
    }

    @ParameterizedTest
    @EnumSource
    void succeeded_leavesTheMemberAsItWasAskedToBe(MemberOperation operation) {
        for (var observed : Observed.values()) {
            var labels = Map.of("zone", "a");
            var done = MemberLifecycle.succeeded(operation, member(observed, Desired.READY), labels, LATER);
            var expected =
                    switch (operation) {
                        case ADD ->
                            observed == Observed.PENDING || observed == Observed.JOINING ? Observed.READY : observed;
                        case DRAIN -> observed == Observed.READY ? Observed.DRAINING : observed;
                        case REMOVE, REPLACE -> Observed.REMOVED;
                        case CORDON, UNCORDON, LABEL -> observed;
                    };
            assertThat(done.observed()).as("%s %s", operation, observed).isEqualTo(expected);
            assertThat(done.cordoned()).isEqualTo(operation == MemberOperation.CORDON);
            assertThat(done.labels()).isEqualTo(operation == MemberOperation.LABEL ? labels : Map.of());
        }
    }

    @ParameterizedTest
    @EnumSource
    void failed_leavesTheMemberAsItIs_andOneThatDidNotJoinFailed(MemberOperation operation) {
        for (var observed : Observed.values()) {
            var before = member(observed, operation == MemberOperation.DRAIN ? Desired.DRAINED : Desired.REMOVED);
            var after = MemberLifecycle.failed(operation, before, "why", LATER);
            var joins = observed == Observed.PENDING || observed == Observed.JOINING;
            assertThat(after.observed())
                    .as("%s %s", operation, observed)
                    .isEqualTo(operation == MemberOperation.ADD && joins ? Observed.FAILED : observed);
            var desired =
                    switch (operation) {
                        case DRAIN -> Desired.READY;
                        case REMOVE, REPLACE ->
                            observed == Observed.REMOVED
                                    ? Desired.REMOVED
                                    : observed == Observed.DRAINING ? Desired.DRAINED : Desired.READY;
                        case ADD, CORDON, UNCORDON, LABEL -> Desired.REMOVED;
                    };
            assertThat(after.desired()).as("%s %s", operation, observed).isEqualTo(desired);
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

    private static Member member(Observed observed, Desired desired) {
        var issued = Member.issued(UUID.randomUUID(), UUID.randomUUID(), UUID.randomUUID(), "worker", Map.of(), NOW);
        return issued.wanted(desired, 1, NOW).seen(observed, null, NOW);
    }
}
