package dev.slipway.operations;

import com.fasterxml.jackson.annotation.JsonIgnore;
import dev.slipway.contract.Cursor;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.UUID;

/**
 * A rejected report: of its content only the ids, since its sender may be unauthorized.
 *
 * @param adapterId the sender, if the token of the report identifies it
 * @param orgId the organization of the named instance, if that exists
 */
public record RejectedReport(
        UUID id,
        Instant rejectedAt,
        UUID reportEventId,
        String reportEventType,
        String code,
        String reason,
        String correlationId,
        @Nullable UUID adapterId,
        @Nullable UUID orgId,
        @Nullable UUID projectId,
        @JsonIgnore @Nullable String runtimeBackend,
        @Nullable UUID appInstanceId,
        @Nullable UUID commandId) {

    Cursor cursor() {
        return new Cursor(rejectedAt, id);
    }
}
