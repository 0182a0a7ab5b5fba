package dev.slipway.instances.member.domain;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;

/**
 * One of what an instance is made of. {@code componentKey} is the adapter's own name for it, and {@code adapterDetail} JSON text whose
 * meaning is the adapter's.
 *
 * @param generation raised by every operation that changes what the member is to be: a report of an older one changes nothing
 */
public record Member(
        UUID id,
        UUID appInstanceId,
        UUID projectId,
        String component,
        int generation,
        Desired desired,
        Observed observed,
        @Nullable String componentKey,
        String adapterDetail,
        @Nullable String reason,
        Map<String, String> labels,
        boolean cordoned,
        Instant createdAt,
        Instant updatedAt) {

    /** What it is to be. */
    public enum Desired {
        READY,
        DRAINED,
        REMOVED;

        public static Desired of(String text) {
            return valueOf(text.toUpperCase(Locale.ROOT));
        }

        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** What it is, as far as its adapter has said. */
    public enum Observed {
        PENDING,
        JOINING,
        READY,
        DRAINING,
        REMOVED,
        FAILED;

        public static Observed of(String text) {
            return valueOf(text.toUpperCase(Locale.ROOT));
        }

        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** One that is to join. */
    public static Member issued(
            UUID id, UUID appInstanceId, UUID projectId, String component, Map<String, String> labels, Instant now) {
        return new Member(
                id,
                appInstanceId,
                projectId,
                component,
                1,
                Desired.READY,
                Observed.PENDING,
                null,
                "{}",
                null,
                labels,
                false,
                now,
                now);
    }

    /** Whether it takes one of the places that its component has. */
    public boolean counts() {
        return desired != Desired.REMOVED && observed != Observed.REMOVED;
    }

    Member wanted(Desired next, int nextGeneration, Instant now) {
        return with(next, observed, nextGeneration, reason, labels, cordoned, now);
    }

    Member seen(Observed next, @Nullable String why, Instant now) {
        return with(desired, next, generation, why, labels, cordoned, now);
    }

    Member described(@Nullable String key, @Nullable String detail) {
        return new Member(
                id,
                appInstanceId,
                projectId,
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

    Member marked(Map<String, String> nextLabels, boolean nextCordoned, Instant now) {
        return with(desired, observed, generation, reason, nextLabels, nextCordoned, now);
    }

    private Member with(
            Desired nextDesired,
            Observed nextObserved,
            int nextGeneration,
            @Nullable String why,
            Map<String, String> nextLabels,
            boolean nextCordoned,
            Instant now) {
        return new Member(
                id,
                appInstanceId,
                projectId,
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
