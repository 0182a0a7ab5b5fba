package dev.slipway.instances.member.domain;

import dev.slipway.contract.domain.TextEnum;
import dev.slipway.instances.member.domain.Member.DesiredState;
import dev.slipway.instances.member.domain.Member.ObservedState;
import dev.slipway.instances.member.domain.MemberDecision.Accepted;
import dev.slipway.instances.member.domain.MemberDecision.Refused;
import dev.slipway.operations.domain.Operation;
import dev.slipway.operations.domain.Refusal;

import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Function;

/** The state machine of members: pending → joining → ready → draining → removed; failed from every state but removed. */
public final class MemberLifecycle {
    private static final String NOT_ALLOWED = "member_operation_not_allowed";
    private static final String BOUNDS = "component_bounds";

    private MemberLifecycle() {}

    /** Returns a member after an operation has ended, by a report, at its deadline or by cancellation. */
    public static Member applyResult(Member member, Operation ended, MemberOperationInput input, Instant now) {
        var operation = TextEnum.parse(MemberOperation.class, ended.name());
        var reason = Objects.requireNonNullElse(ended.reason(), "The operation did not succeed.");
        var succeeded = ended.status() == Operation.Status.SUCCEEDED;
        if (member.id().equals(ended.memberId())) {
            return succeeded
                    ? applySuccess(operation, member, input.labels(), now)
                    : applyFailure(operation, member, reason, now);
        }
        if (member.id().equals(input.replacementId())) {
            return succeeded ? markJoined(member, now) : markNotJoined(member, reason, now);
        }
        return member;
    }

    /** Adds a member if the component has room for it; {@code others} are all members of the instance. */
    public static MemberDecision add(Component component, Collection<Member> others, Member issued) {
        var count = others.stream()
                .filter(other -> other.component().equals(component.key()) && other.isCounted())
                .count();
        return count < component.max()
                ? new Accepted(issued)
                : new Refused(
                        BOUNDS,
                        "The component " + component.key() + " already has its maximum of " + component.max()
                                + " members. Remove one first.");
    }

    /** Decides on an operation on a member; {@code all} are the members of the instance. An operation that has not taken effect may be repeated. */
    public static MemberDecision operate(
            MemberOperation operation, Component component, Collection<Member> all, Member member, Instant now) {
        if (!component.allows(operation)) {
            return new Refused(
                    NOT_ALLOWED,
                    "The manifest does not allow " + operation.text() + " for the component " + component.key() + ".");
        }
        if (!isPossible(operation, member)) {
            return new Refused(
                    NOT_ALLOWED,
                    "The operation " + operation.text() + " is not possible for a member that is "
                            + member.observed().text() + " (desired: "
                            + member.desired().text() + ").");
        }
        if (operation == MemberOperation.REMOVE && leavesTooFew(component, all, member)) {
            return new Refused(
                    BOUNDS,
                    "The component " + component.key() + " needs at least " + component.min()
                            + " members. Add one first, or replace this one.");
        }
        return new Accepted(
                switch (operation) {
                    case DRAIN -> member.withDesired(DesiredState.DRAINED, member.generation() + 1, now);
                    case REMOVE, REPLACE -> member.withDesired(DesiredState.REMOVED, member.generation() + 1, now);
                    case ADD, CORDON, UNCORDON, LABEL -> member;
                });
    }

    private static boolean isPossible(MemberOperation operation, Member member) {
        if (member.desired() == DesiredState.REMOVED && operation != MemberOperation.REMOVE) {
            return false;
        }
        return switch (member.observed()) {
            case PENDING, JOINING, FAILED ->
                switch (operation) {
                    case REMOVE, REPLACE, LABEL -> true;
                    case ADD, DRAIN, CORDON, UNCORDON -> false;
                };
            case READY ->
                switch (operation) {
                    case DRAIN, REMOVE, REPLACE, CORDON, UNCORDON, LABEL -> true;
                    case ADD -> false;
                };
            case DRAINING ->
                switch (operation) {
                    case DRAIN, REMOVE, REPLACE, LABEL -> true;
                    case ADD, CORDON, UNCORDON -> false;
                };
            case REMOVED -> false;
        };
    }

    /** A failed member can always be removed. */
    private static boolean leavesTooFew(Component component, Collection<Member> all, Member member) {
        var usable = all.stream()
                .filter(other -> other.component().equals(component.key())
                        && other.isCounted()
                        && other.observed() != ObservedState.FAILED)
                .count();
        return member.observed() != ObservedState.FAILED && member.isCounted() && usable - 1 < component.min();
    }

    /**
     * Applies the states that an adapter reports; if one is refused, all are.
     *
     * @param notFound refuses a member that is not one of {@code members}
     */
    public static MembersDecision reportAll(
            Collection<Member> members, List<MemberReport> reports, Function<UUID, Refusal> notFound, Instant now) {
        var next = new HashMap<UUID, Member>();
        members.forEach(member -> next.put(member.id(), member));
        for (var reported : reports) {
            var current = next.get(reported.memberId());
            if (current == null) {
                return new MembersDecision.Refused(notFound.apply(reported.memberId()));
            }
            var decision = report(current, reported, now);
            if (decision instanceof Refused refused) {
                return new MembersDecision.Refused(Refusal.of(refused.code(), refused.message()));
            }
            next.put(current.id(), ((Accepted) decision).next());
        }
        return new MembersDecision.Accepted(next);
    }

    /** Applies the state that an adapter reports. A report on an older generation is late and changes nothing. */
    public static MemberDecision report(Member current, MemberReport report, Instant now) {
        if (report.generation() < current.generation()) {
            return new Accepted(current);
        }
        if (report.generation() > current.generation()) {
            return new Refused(
                    "validation_error", "Member " + current.id() + " has no generation " + report.generation() + ".");
        }
        if (!canBecome(current, report.state())) {
            return new Refused(
                    "state_conflict",
                    "Member " + current.id() + " is " + current.observed().text() + " (desired: "
                            + current.desired().text() + ") and cannot become "
                            + report.state().text() + ".");
        }
        var described = current.withDetail(report.componentKey(), report.detail());
        var same = described.equals(current)
                && current.observed() == report.state()
                && Objects.equals(current.reason(), report.reason());
        return new Accepted(same ? current : described.withObserved(report.state(), report.reason(), now));
    }

    private static boolean canBecome(Member member, ObservedState state) {
        if (member.observed() == state) {
            return true;
        }
        if (member.observed() == ObservedState.REMOVED) {
            return false;
        }
        return switch (state) {
            case PENDING -> false;
            case JOINING -> member.observed() == ObservedState.PENDING || member.observed() == ObservedState.FAILED;
            case READY -> member.observed() != ObservedState.DRAINING || member.desired() == DesiredState.READY;
            case DRAINING -> member.desired() != DesiredState.READY;
            case REMOVED -> member.desired() == DesiredState.REMOVED;
            case FAILED -> true;
        };
    }

    /** Returns the member after a successful operation. */
    public static Member applySuccess(
            MemberOperation operation, Member member, Map<String, String> labels, Instant now) {
        return switch (operation) {
            case ADD -> markJoined(member, now);
            case DRAIN ->
                member.observed() == ObservedState.READY
                        ? member.withObserved(ObservedState.DRAINING, null, now)
                        : member;
            case REMOVE, REPLACE ->
                member.observed() == ObservedState.REMOVED
                        ? member
                        : member.withObserved(ObservedState.REMOVED, null, now);
            case CORDON -> member.withLabels(member.labels(), true, now);
            case UNCORDON -> member.withLabels(member.labels(), false, now);
            case LABEL -> member.withLabels(labels, member.cordoned(), now);
        };
    }

    /** Returns an added or replacing member as ready. */
    public static Member markJoined(Member member, Instant now) {
        return switch (member.observed()) {
            case PENDING, JOINING -> member.withObserved(ObservedState.READY, null, now);
            case READY, DRAINING, REMOVED, FAILED -> member;
        };
    }

    /** Returns the member after a failed operation: unchanged, or failed if it did not join. */
    public static Member applyFailure(MemberOperation operation, Member member, String reason, Instant now) {
        return switch (operation) {
            case ADD -> markNotJoined(member, reason, now);
            case DRAIN ->
                member.desired() == DesiredState.DRAINED
                        ? member.withDesired(DesiredState.READY, member.generation(), now)
                        : member;
            case REMOVE, REPLACE ->
                member.observed() == ObservedState.REMOVED
                        ? member
                        : member.withDesired(
                                member.observed() == ObservedState.DRAINING ? DesiredState.DRAINED : DesiredState.READY,
                                member.generation(),
                                now);
            case CORDON, UNCORDON, LABEL -> member;
        };
    }

    public static Member markNotJoined(Member member, String reason, Instant now) {
        return switch (member.observed()) {
            case PENDING, JOINING -> member.withObserved(ObservedState.FAILED, reason, now);
            case READY, DRAINING, REMOVED, FAILED -> member;
        };
    }

    /** Returns the member after what it belongs to was deleted. */
    public static Member markRemoved(Member member, Instant now) {
        return member.withDesired(DesiredState.REMOVED, member.generation(), now)
                .withObserved(ObservedState.REMOVED, null, now);
    }
}
