package dev.slipway.instances.member.domain;

import dev.slipway.contract.domain.TextEnum;
import dev.slipway.operations.domain.SubjectRef;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.Map;
import java.util.UUID;

/**
 * A part of an instance or of a shared runtime, such as a node. {@code componentKey} is the adapter's name for it, {@code adapterDetail} JSON text whose meaning is
 * the adapter's.
 *
 * @param generation incremented by each operation that changes the desired state; reports on an older generation change nothing
 */
public record Member(
        UUID id,
        SubjectRef subject,
        String component,
        int generation,
        DesiredState desired,
        ObservedState observed,
        @Nullable String componentKey,
        String adapterDetail,
        @Nullable String reason,
        Map<String, String> labels,
        boolean cordoned,
        Instant createdAt,
        Instant updatedAt) {

    /** The states that a member can be asked to reach. */
    public enum DesiredState implements TextEnum {
        READY,
        DRAINED,
        REMOVED
    }

    /** The states that an adapter reports. */
    public enum ObservedState implements TextEnum {
        PENDING,
        JOINING,
        READY,
        DRAINING,
        REMOVED,
        FAILED
    }

    /** Creates a member that has not joined yet. */
    public static Member create(
            UUID id, SubjectRef subject, String component, Map<String, String> labels, Instant now) {
        return new Member(
                id,
                subject,
                component,
                1,
                DesiredState.READY,
                ObservedState.PENDING,
                null,
                "{}",
                null,
                labels,
                false,
                now,
                now);
    }

    /** Returns whether it counts towards the limits of its component. */
    public boolean isCounted() {
        return desired != DesiredState.REMOVED && observed != ObservedState.REMOVED;
    }

    public Member withDesired(DesiredState next, int nextGeneration, Instant now) {
        return with(next, observed, nextGeneration, reason, labels, cordoned, now);
    }

    Member withObserved(ObservedState next, @Nullable String why, Instant now) {
        return with(desired, next, generation, why, labels, cordoned, now);
    }

    Member withDetail(@Nullable String key, @Nullable String detail) {
        return new Member(
                id,
                subject,
                component,
                generation,
                desired,
                observed,
                key == null ? componentKey : key,
                detail == null ? adapterDetail : detail,
                reason,
                labels,
                cordoned,
                createdAt,
                updatedAt);
    }

    Member withLabels(Map<String, String> nextLabels, boolean nextCordoned, Instant now) {
        return with(desired, observed, generation, reason, nextLabels, nextCordoned, now);
    }

    private Member with(
            DesiredState nextDesired,
            ObservedState nextObserved,
            int nextGeneration,
            @Nullable String why,
            Map<String, String> nextLabels,
            boolean nextCordoned,
            Instant now) {
        return new Member(
                id,
                subject,
                component,
                nextGeneration,
                nextDesired,
                nextObserved,
                componentKey,
                adapterDetail,
                why,
                nextLabels,
                nextCordoned,
                createdAt,
                now);
    }
}
