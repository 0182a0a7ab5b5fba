package dev.slipway.tenants.deployment;

import dev.slipway.authz.Principal;
import dev.slipway.contract.Json;
import dev.slipway.messaging.Topics;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.AuditResult;
import dev.slipway.service.AuditTrail;
import dev.slipway.service.AuditTrail.AuditEntry;
import dev.slipway.tenants.deployment.domain.Deployment;
import dev.slipway.tenants.deployment.domain.DeploymentKind;
import dev.slipway.tenants.deployment.domain.DeploymentStatus;
import org.jspecify.annotations.Nullable;

import java.util.UUID;

/** Publishes the events and audit records of deployments. */
final class DeploymentEvents {
    private static final String COMPLETE_ACTION = "tenants.deployment.complete";

    private DeploymentEvents() {}

    /** The payload of every event of a deployment. */
    private record DeploymentPayload(
            UUID orgId,
            UUID tenantId,
            UUID deploymentId,
            @Nullable String appName,
            DeploymentKind kind,
            String version,
            String checksum,
            DeploymentStatus status,
            @Nullable String error) {
        static DeploymentPayload of(Deployment deployment, DeploymentStatus status, @Nullable String error) {
            return new DeploymentPayload(
                    deployment.orgId(),
                    deployment.tenantId(),
                    deployment.id(),
                    deployment.appName().isEmpty() ? null : deployment.appName(),
                    deployment.kind(),
                    deployment.version(),
                    deployment.checksum(),
                    status,
                    error);
        }
    }

    private record DeploymentMetadata(
            UUID tenantId, @Nullable String appName, DeploymentKind kind, String version, DeploymentStatus status) {}

    /** Records that a principal asked for a deployment or its rollback. */
    static void publishRequested(UnitOfWork unit, Principal principal, String action, Deployment deployment) {
        publish(unit, "tenants.deployment.requested", deployment, deployment.status(), null);
        AuditTrail.recordSuccess(unit, principal, entry(action, deployment, deployment.status()));
    }

    static void publishCompleted(
            UnitOfWork unit, Deployment deployment, DeploymentStatus status, @Nullable String error) {
        publish(unit, "tenants.deployment.completed", deployment, status, error);
        AuditTrail.recordSystemAction(
                unit,
                "system",
                "deployment worker",
                null,
                entry(COMPLETE_ACTION, deployment, status),
                status == DeploymentStatus.READY ? AuditResult.SUCCESS : AuditResult.FAILURE,
                error);
    }

    private static void publish(
            UnitOfWork unit, String type, Deployment deployment, DeploymentStatus status, @Nullable String error) {
        unit.publish(
                Topics.TENANTS_EVENTS,
                deployment.tenantId().toString(),
                type,
                Json.toObject(DeploymentPayload.of(deployment, status, error)));
    }

    private static AuditEntry entry(String action, Deployment deployment, DeploymentStatus status) {
        var metadata = new DeploymentMetadata(
                deployment.tenantId(),
                deployment.appName().isEmpty() ? null : deployment.appName(),
                deployment.kind(),
                deployment.version(),
                status);
        return new AuditEntry(
                action,
                "tenant_deployment",
                deployment.id().toString(),
                deployment.orgId(),
                null,
                Json.toObject(metadata));
    }
}
