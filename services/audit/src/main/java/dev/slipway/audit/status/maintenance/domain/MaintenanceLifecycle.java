package dev.slipway.audit.status.maintenance.domain;

import dev.slipway.audit.status.maintenance.domain.Maintenance.Status;
import dev.slipway.audit.status.maintenance.domain.MaintenanceDecision.Accepted;
import dev.slipway.audit.status.maintenance.domain.MaintenanceDecision.Refused;

import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/** The lifecycle of a maintenance window: scheduled → in progress → completed, or canceled before its end. */
public final class MaintenanceLifecycle {
    private MaintenanceLifecycle() {}

    /** The fields of a window that is scheduled. */
    public record NewMaintenance(
            UUID id,
            String title,
            String description,
            boolean isPublic,
            List<String> components,
            List<UUID> orgIds,
            Instant startsAt,
            Instant endsAt) {}

    /** Schedules a window. Its end must be after its start and in the future. */
    public static MaintenanceDecision schedule(NewMaintenance created, Instant now) {
        if (!created.endsAt.isAfter(created.startsAt) || !created.endsAt.isAfter(now)) {
            return new Refused("validation_error", "must be after the start and in the future");
        }
        return new Accepted(
                new Maintenance(
                        created.id,
                        created.title,
                        created.description,
                        Status.SCHEDULED,
                        created.isPublic,
                        created.components,
                        created.orgIds,
                        1,
                        created.startsAt,
                        created.endsAt,
                        null,
                        null,
                        now,
                        now),
                "status.maintenance.scheduled");
    }

    public static MaintenanceDecision move(Maintenance current, Status next, Instant now) {
        var possible =
                switch (current.status()) {
                    case SCHEDULED -> Set.of(Status.IN_PROGRESS, Status.CANCELED);
                    case IN_PROGRESS -> Set.of(Status.COMPLETED, Status.CANCELED);
                    case COMPLETED, CANCELED -> Set.<Status>of();
                };
        if (!possible.contains(next)) {
            return new Refused(
                    "state_conflict",
                    "The maintenance window is " + current.status().text() + " and cannot become " + next.text() + ".");
        }
        return new Accepted(current.withStatus(next, now), eventType(next));
    }

    /** Returns the status that the time requires: the window starts and ends at its times. */
    public static Status dueStatus(Maintenance current, Instant now) {
        return switch (current.status()) {
            case SCHEDULED -> current.startsAt().isAfter(now) ? Status.SCHEDULED : Status.IN_PROGRESS;
            case IN_PROGRESS -> current.endsAt().isAfter(now) ? Status.IN_PROGRESS : Status.COMPLETED;
            case COMPLETED -> Status.COMPLETED;
            case CANCELED -> Status.CANCELED;
        };
    }

    private static String eventType(Status status) {
        return switch (status) {
            case SCHEDULED -> "status.maintenance.scheduled";
            case IN_PROGRESS -> "status.maintenance.started";
            case COMPLETED -> "status.maintenance.completed";
            case CANCELED -> "status.maintenance.canceled";
        };
    }
}
