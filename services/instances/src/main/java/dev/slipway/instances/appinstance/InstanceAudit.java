package dev.slipway.instances.appinstance;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.slipway.contract.Json;
import dev.slipway.instances.appinstance.domain.AppInstance;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.operations.domain.Operation;
import dev.slipway.operations.domain.SubjectState;
import dev.slipway.service.AuditTrail;
import dev.slipway.service.AuditTrail.AuditEntry;
import dev.slipway.service.Request;
import org.jspecify.annotations.Nullable;

import java.util.UUID;

/** The metadata of the audit entry of a change; {@code reason} is the caller's. */
record InstanceAudit(
        String appSlug,
        String version,
        SubjectState.Status status,
        @Nullable String policyVersion,
        @Nullable UUID operationId,
        @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String reason) {

    /** Records a change in its transaction; {@code verb} is the last part of the action. */
    static void record(
            UnitOfWork unit,
            Request request,
            AppInstance instance,
            @Nullable UUID operationId,
            @Nullable String reason,
            String verb) {
        var metadata = new InstanceAudit(
                instance.app().slug(),
                instance.app().version(),
                instance.status(),
                instance.policyVersion(),
                operationId,
                reason);
        AuditTrail.recordSuccess(
                unit,
                request.principal(),
                new AuditEntry(
                        "apps.instance." + verb,
                        "app_instance",
                        instance.id().toString(),
                        instance.orgId(),
                        instance.projectId(),
                        Json.toObject(metadata)));
    }

    /** Records an operation that begins, in its transaction. */
    static void recordOperation(UnitOfWork unit, Request request, Operation operation, Object metadata) {
        var subject = operation.subject();
        AuditTrail.recordSuccess(
                unit,
                request.principal(),
                new AuditEntry(
                        operation.action(),
                        "app_instance",
                        subject.id().toString(),
                        subject.orgId(),
                        subject.projectId(),
                        Json.toObject(metadata)));
    }
}
