package dev.slipway.audit.status.incident.domain;

import dev.slipway.contract.domain.TextEnum;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.List;
import java.util.UUID;

/**
 * An incident.
 *
 * @param isPublic whether everyone may see it; affected organizations always do
 * @param groupKey the alert group that opened it; null for an incident of an operator
 * @param version the number of changes, which is the sequence of its events
 */
public record Incident(
        UUID id,
        String title,
        @Nullable String summary,
        Severity severity,
        Status status,
        boolean isPublic,
        List<String> components,
        List<UUID> orgIds,
        Source source,
        @Nullable String groupKey,
        @Nullable String postmortemUrl,
        long version,
        Instant openedAt,
        @Nullable Instant acknowledgedAt,
        @Nullable Instant mitigatedAt,
        @Nullable Instant resolvedAt,
        Instant updatedAt) {

    /** The statuses in the order in which an incident passes them. */
    public enum Status implements TextEnum {
        OPEN,
        ACKNOWLEDGED,
        MITIGATED,
        RESOLVED
    }

    /** The extent of an incident. */
    public enum Severity implements TextEnum {
        CRITICAL,
        MAJOR,
        MINOR;

        /** Returns whether releases wait for the end of such an incident. */
        public boolean blocksReleases() {
            return switch (this) {
                case CRITICAL, MAJOR -> true;
                case MINOR -> false;
            };
        }
    }

    /** The originator of the incident. */
    public enum Source implements TextEnum {
        OPERATOR,
        ALERTMANAGER
    }

    /** The changes of an operator. Null stays as it is. */
    public record Changes(
            @Nullable String title,
            @Nullable String summary,
            @Nullable Severity severity,
            @Nullable Boolean isPublic,
            @Nullable List<String> components,
            @Nullable List<UUID> orgIds,
            @Nullable String postmortemUrl) {
        boolean isPostmortemOnly() {
            return title == null
                    && summary == null
                    && severity == null
                    && isPublic == null
                    && components == null
                    && orgIds == null;
        }
    }

    /** Returns a copy with the status, and with the time when it was reached. */
    Incident withStatus(Status next, Instant now) {
        return new Incident(
                id,
                title,
                summary,
                severity,
                next,
                isPublic,
                components,
                orgIds,
                source,
                groupKey,
                postmortemUrl,
                version + 1,
                openedAt,
                next == Status.ACKNOWLEDGED ? now : acknowledgedAt,
                next == Status.MITIGATED ? now : mitigatedAt,
                next == Status.RESOLVED ? now : resolvedAt,
                now);
    }

    /** Returns a copy with the changes. */
    Incident withChanges(Changes changes, Instant now) {
        return new Incident(
                id,
                changes.title == null ? title : changes.title,
                changes.summary == null ? summary : changes.summary,
                changes.severity == null ? severity : changes.severity,
                status,
                changes.isPublic == null ? isPublic : changes.isPublic,
                changes.components == null ? components : changes.components,
                changes.orgIds == null ? orgIds : changes.orgIds,
                source,
                groupKey,
                changes.postmortemUrl == null ? postmortemUrl : changes.postmortemUrl,
                version + 1,
                openedAt,
                acknowledgedAt,
                mitigatedAt,
                resolvedAt,
                now);
    }
}
