package dev.slipway.operations;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.slipway.contract.Cursor;
import dev.slipway.operations.domain.SubjectKind;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.UUID;

/**
 * A rejected report: of its content only the ids, since its sender may be unauthorized.
 *
 * @param adapterId the sender, if the token of the report identifies it
 * @param orgId the organization of the named instance or shared runtime, if that exists
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
        @JsonIgnore SubjectKind subjectKind,
        @JsonIgnore @Nullable UUID subjectId,
        @Nullable UUID commandId) {

    @JsonProperty
    @Nullable
    UUID appInstanceId() {
        return subjectKind == SubjectKind.APP_INSTANCE ? subjectId : null;
    }

    @JsonProperty
    @JsonInclude(JsonInclude.Include.NON_NULL)
    @Nullable
    UUID sharedRuntimeId() {
        return subjectKind == SubjectKind.SHARED_RUNTIME ? subjectId : null;
    }

    Cursor cursor() {
        return new Cursor(rejectedAt, id);
    }
}
