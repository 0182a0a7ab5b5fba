package dev.slipway.audit.status.maintenance.domain;

import dev.slipway.contract.domain.TextEnum;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.List;
import java.util.UUID;

/**
 * A maintenance window.
 *
 * @param isPublic whether everyone may see it; affected organizations always do
 * @param version the number of changes, which is the sequence of its events
 * @param endedAt when it was completed or canceled
 */
public record Maintenance(
        UUID id,
        String title,
        String description,
        Status status,
        boolean isPublic,
        List<String> components,
        List<UUID> orgIds,
        long version,
        Instant startsAt,
        Instant endsAt,
        @Nullable Instant startedAt,
        @Nullable Instant endedAt,
        Instant createdAt,
        Instant updatedAt) {

    /** The statuses of a maintenance window. */
    public enum Status implements TextEnum {
        SCHEDULED,
        IN_PROGRESS,
        COMPLETED,
        CANCELED
    }

    /** Returns a copy with the status, and with the time when it was reached. */
    Maintenance withStatus(Status next, Instant now) {
        return new Maintenance(
                id,
                title,
                description,
                next,
                isPublic,
                components,
                orgIds,
                version + 1,
                startsAt,
                endsAt,
                next == Status.IN_PROGRESS ? now : startedAt,
                next == Status.IN_PROGRESS ? null : now,
                createdAt,
                now);
    }
}
