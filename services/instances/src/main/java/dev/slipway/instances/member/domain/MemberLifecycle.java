package dev.slipway.instances.member.domain;

import dev.slipway.instances.member.domain.Member.Desired;
import dev.slipway.instances.member.domain.Member.Observed;
import dev.slipway.instances.member.domain.MemberDecision.Accepted;
import dev.slipway.instances.member.domain.MemberDecision.Refused;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.Collection;
import java.util.Map;

/** The life of a member: pending → joining → ready → draining → removed, and failed from any but removed. */
public final class MemberLifecycle {
    private static final String NOT_ALLOWED = "member_operation_not_allowed";
    private static final String BOUNDS = "component_bounds";

    private MemberLifecycle() {}

    /** One more joins, if there is a place for it; {@code others} are all of the instance. */
    public static MemberDecision add(Component component, Collection<Member> others, Member issued) {
        var there = others.stream()
                .filter(other -> other.component().equals(component.key()) && other.counts())
                .count();
        return there < component.max()
                ? new Accepted(issued)
                : new Refused(
                        BOUNDS,
                        "The component " + component.key() + " has " + there + " members, and may have "
                                + component.max() + ": remove one first.");
    }

    /** Something else is asked of a member; {@code all} are those of the instance. What is not done yet may be asked for again. */
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
                    "A member that is " + member.observed().text() + ", and is to be "
                            + member.desired().text() + ", cannot be asked to " + operation.text() + ".");
        }
        if (operation == MemberOperation.REMOVE && leavesTooFew(component, all, member)) {
            return new Refused(
                    BOUNDS,
                    "The component " + component.key() + " keeps " + component.min()
                            + " members: add one first, or replace this one.");
        }
        return new Accepted(
                switch (operation) {
                    case DRAIN -> member.wanted(Desired.DRAINED, member.generation() + 1, now);
                    case REMOVE, REPLACE -> member.wanted(Desired.REMOVED, member.generation() + 1, now);
                    case ADD, CORDON, UNCORDON, LABEL -> member;
                });
    }

    private static boolean isPossible(MemberOperation operation, Member member) {
        if (member.desired() == Desired.REMOVED && operation != MemberOperation.REMOVE) {
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

    /** One that has failed is no use: it may always go. */
    private static boolean leavesTooFew(Component component, Collection<Member> all, Member member) {
        var useful = all.stream()
                .filter(other -> other.component().equals(component.key())
                        && other.counts()
                        && other.observed() != Observed.FAILED)
                .count();
        return member.observed() != Observed.FAILED && member.counts() && useful - 1 < component.min();
    }

    /** Its adapter says what it is. What is of an older generation is late, and changes nothing. */
    public static MemberDecision report(
            Member current,
            int generation,
            Observed state,
            @Nullable String componentKey,
            @Nullable String detail,
            @Nullable String reason,
            Instant now) {
        if (generation < current.generation()) {
            return new Accepted(current);
        }
        if (generation > current.generation()) {
            return new Refused(
                    "validation_error",
                    "The member " + current.id() + " has no generation " + generation + ": the platform issues them.");
        }
        if (!canBecome(current, state)) {
            return new Refused(
                    "state_conflict",
                    "The member " + current.id() + " is " + current.observed().text() + ", and is to be "
                            + current.desired().text() + ": it cannot be " + state.text() + ".");
        }
        var described = current.described(componentKey, detail);
        var same = described.equals(current) && current.observed() == state && equal(current.reason(), reason);
        return new Accepted(same ? current : described.seen(state, reason, now));
    }

    private static boolean canBecome(Member member, Observed state) {
        if (member.observed() == state) {
            return true;
        }
        if (member.observed() == Observed.REMOVED) {
            return false;
        }
        return switch (state) {
            case PENDING -> false;
            case JOINING -> member.observed() == Observed.PENDING || member.observed() == Observed.FAILED;
            case READY -> member.observed() != Observed.DRAINING || member.desired() == Desired.READY;
            case DRAINING -> member.desired() != Desired.READY;
            case REMOVED -> member.desired() == Desired.REMOVED;
            case FAILED -> true;
        };
    }

    /** The operation is done: the member is what it was asked to be. */
    public static Member succeeded(MemberOperation operation, Member member, Map<String, String> labels, Instant now) {
        return switch (operation) {
            case ADD -> joined(member, now);
            case DRAIN -> member.observed() == Observed.READY ? member.seen(Observed.DRAINING, null, now) : member;
            case REMOVE, REPLACE ->
                member.observed() == Observed.REMOVED ? member : member.seen(Observed.REMOVED, null, now);
            case CORDON -> member.marked(member.labels(), true, now);
            case UNCORDON -> member.marked(member.labels(), false, now);
            case LABEL -> member.marked(labels, member.cordoned(), now);
        };
    }

    /** The one that takes another's place, or was added, is there. */
    public static Member joined(Member member, Instant now) {
        return switch (member.observed()) {
            case PENDING, JOINING -> member.seen(Observed.READY, null, now);
            case READY, DRAINING, REMOVED, FAILED -> member;
        };
    }

    /** The operation came to nothing: the member stays what it is. One that did not join has failed, and can be removed. */
    public static Member failed(MemberOperation operation, Member member, String reason, Instant now) {
        return switch (operation) {
            case ADD -> notJoined(member, reason, now);
            case DRAIN ->
                member.desired() == Desired.DRAINED ? member.wanted(Desired.READY, member.generation(), now) : member;
            case REMOVE, REPLACE ->
                member.observed() == Observed.REMOVED
                        ? member
                        : member.wanted(
                                member.observed() == Observed.DRAINING ? Desired.DRAINED : Desired.READY,
                                member.generation(),
                                now);
            case CORDON, UNCORDON, LABEL -> member;
        };
    }

    public static Member notJoined(Member member, String reason, Instant now) {
        return switch (member.observed()) {
            case PENDING, JOINING -> member.seen(Observed.FAILED, reason, now);
            case READY, DRAINING, REMOVED, FAILED -> member;
        };
    }

    private static boolean equal(@Nullable String one, @Nullable String other) {
        return one == null ? other == null : one.equals(other);
    }
}
