package dev.slipway.tenants.deployment;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonRawValue;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.tenants.deployment.domain.DeployDiff;
import dev.slipway.tenants.deployment.domain.Deployment;
import dev.slipway.tenants.deployment.domain.DeploymentStatus;
import dev.slipway.tenants.deployment.domain.MigrationPlan;
import dev.slipway.tenants.deployment.domain.ValidationResult;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;

/** The request and response bodies of deployments. */
final class DeploymentJson {
    private DeploymentJson() {}

    record DeploymentBody(ObjectNode bundle, @Nullable String planHash, boolean allowBreaking) {}

    record PlanResponse(
            ValidationResult validation, DeployDiff diff, MigrationPlan plan, String planHash, String checksum) {}

    /** The JSON columns of a deployment, as they are stored. */
    record StoredDocuments(
            String metadata,
            @Nullable String diff,
            @Nullable String plan) {}

    record DeploymentResponse(
            UUID deploymentId,
            UUID tenantId,
            UUID orgId,
            @Nullable String appName,
            String version,
            String checksum,
            @JsonRawValue String metadata,
            DeploymentStatus status,
            boolean allowBreaking,

            @JsonRawValue @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
            String diff,

            @JsonRawValue @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
            String plan,

            @Nullable String planHash,
            int statementsExecuted,
            int seededRecords,
            List<String> unrestorable,
            @Nullable String error,
            @Nullable Long durationMs,
            Instant createdAt,
            @Nullable Instant completedAt,
            @Nullable Instant rolledBackAt) {
        static DeploymentResponse of(Deployment deployment, StoredDocuments documents) {
            return new DeploymentResponse(
                    deployment.id(),
                    deployment.tenantId(),
                    deployment.orgId(),
                    deployment.appName().isEmpty() ? null : deployment.appName(),
                    deployment.version(),
                    deployment.checksum(),
                    documents.metadata(),
                    deployment.status(),
                    deployment.allowBreaking(),
                    documents.diff(),
                    documents.plan(),
                    deployment.planHash(),
                    deployment.statementsExecuted(),
                    deployment.seededRecords(),
                    deployment.unrestorable(),
                    deployment.error(),
                    durationMs(deployment.startedAt(), deployment.completedAt()),
                    deployment.createdAt(),
                    deployment.completedAt(),
                    deployment.rolledBackAt());
        }

        private static @Nullable Long durationMs(@Nullable Instant start, @Nullable Instant end) {
            return start == null || end == null
                    ? null
                    : Duration.between(start, end).toMillis();
        }
    }
}
