package dev.slipway.instances.sharedruntime;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.slipway.authz.Authorizer;
import dev.slipway.authz.ResourceScope;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.instances.appinstance.domain.DecisionContext;
import dev.slipway.instances.sharedruntime.domain.Attachment;
import dev.slipway.instances.sharedruntime.domain.LoadedSharedRuntime;
import dev.slipway.instances.sharedruntime.domain.RuntimeDecision;
import dev.slipway.instances.sharedruntime.domain.SharedRuntime;
import dev.slipway.instances.sharedruntime.domain.SharedRuntimeChange;
import dev.slipway.instances.sharedruntime.domain.SharedRuntimeRequests.Caller;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.operations.OperationJson;
import dev.slipway.operations.Refusals;
import dev.slipway.operations.domain.NewOperation.Requester;
import dev.slipway.operations.domain.Operation;
import dev.slipway.operations.domain.SubjectState;
import dev.slipway.service.AuditTrail;
import dev.slipway.service.AuditTrail.AuditEntry;
import dev.slipway.service.DenialException;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import org.jspecify.annotations.Nullable;

import java.util.Objects;
import java.util.UUID;

/**
 * A request about a shared runtime, by its owner or by an attached project.
 *
 * @param projectId the attached project that acts; null for the owner
 */
record SharedRuntimeCall(
        Request request,
        UUID orgId,
        UUID runtimeId,
        @Nullable UUID projectId) {

    /** The metadata of an audit entry. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    private record Metadata(
            String appSlug,
            String appVersion,
            SubjectState.Status status,
            @Nullable UUID operationId,
            @Nullable String operation,
            @Nullable UUID attachmentId,
            @Nullable UUID attachedProjectId) {}

    private record DenialMetadata(String verdict, UUID sharedRuntimeId) {}

    /** Reads a request in the scope of the organization, or of a project, which is then the one that acts. */
    static SharedRuntimeCall of(Request request) {
        var projectId = request.projectIdOrNull();
        return new SharedRuntimeCall(
                request,
                projectId == null ? request.pathId("org_id") : Objects.requireNonNull(request.orgId()),
                request.pathId("shared_runtime_id"),
                projectId);
    }

    /** Returns the attachment of the project that acts; null for the owner. To a project that is not attached, the runtime does not exist. */
    @Nullable
    Attachment requireAttachment(LoadedSharedRuntime loaded) {
        if (projectId == null) {
            return null;
        }
        var attachment = loaded.attachmentOf(projectId);
        if (attachment == null) {
            throw SharedRuntimeStore.notFound(runtimeId);
        }
        return attachment;
    }

    Caller caller() {
        return callerOf(request);
    }

    static Caller callerOf(Request request) {
        var principal = request.principal();
        return new Caller(
                new Requester(principal.responsibleUserId(), principal.id()),
                principal.type().text());
    }

    static DecisionContext context(UnitOfWork unit) {
        return new DecisionContext(unit.now(), unit.context().correlationId(), Ids::next);
    }

    static SharedRuntimeChange requireAccepted(RuntimeDecision decision) {
        if (decision instanceof RuntimeDecision.Refused refused) {
            throw Refusals.toException(refused.refusal());
        }
        return ((RuntimeDecision.Accepted) decision).change();
    }

    /** Rejects a caller who is not allowed an action besides the one of the API operation; the denial is audited. */
    void requireAllowed(Authorizer authorizer, String action, java.time.Instant now) {
        var scope = request.effectiveScope(
                projectId == null ? ResourceScope.sharedRuntime(orgId, runtimeId) : ResourceScope.project(projectId));
        var decision = authorizer.decide(request.principal(), action, scope, now);
        if (decision.allowed()) {
            return;
        }
        var problem = decision.toProblem(action);
        if (problem.code() != ErrorCode.INSUFFICIENT_PERMISSIONS) {
            throw problem.asException();
        }
        var metadata = Json.toObject(new DenialMetadata(decision.verdict().text(), runtimeId));
        throw new DenialException(
                request.principal(),
                new AuditEntry(action, "shared_runtime", runtimeId.toString(), orgId, projectId, metadata),
                problem);
    }

    /** Records a change in its transaction. */
    void audit(UnitOfWork unit, SharedRuntime runtime, String action, @Nullable Operation operation) {
        audit(unit, runtime, action, operation, null);
    }

    void audit(
            UnitOfWork unit,
            SharedRuntime runtime,
            String action,
            @Nullable Operation operation,
            @Nullable Attachment attachment) {
        AuditTrail.recordSuccess(unit, request.principal(), entry(runtime, action, operation, attachment, projectId));
    }

    static AuditEntry entry(
            SharedRuntime runtime,
            String action,
            @Nullable Operation operation,
            @Nullable Attachment attachment,
            @Nullable UUID projectId) {
        var metadata = new Metadata(
                runtime.app().slug(),
                runtime.app().version(),
                runtime.status(),
                operation == null ? null : operation.id(),
                operation == null ? null : operation.name(),
                attachment == null ? null : attachment.id(),
                attachment == null ? null : attachment.projectId());
        return new AuditEntry(
                action, "shared_runtime", runtime.id().toString(), runtime.orgId(), projectId, Json.toObject(metadata));
    }

    /** Audits an accepted operation and returns it, under the path of the caller. */
    Reply operationReply(UnitOfWork unit, SharedRuntime runtime, Operation operation, String action, String segment) {
        audit(unit, runtime, action, operation);
        var base = projectId == null
                ? runtime.ref().path()
                : "/api/v1/projects/" + projectId + "/shared-app-runtimes/" + runtime.id();
        return Reply.of(OperationJson.view(operation), base + "/" + segment + "/" + operation.id());
    }
}
