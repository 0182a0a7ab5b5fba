package dev.slipway.iam.tenancy.project;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
import dev.slipway.contract.domain.ResourceState;
import dev.slipway.iam.tenancy.domain.Project;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.UUID;

/** The JSON of projects. */
final class ProjectJson {
    private ProjectJson() {}

    record CreateProject(
            String slug, String displayName, @Nullable UUID departmentId) {}

    record UpdateProject(
            @Nullable String displayName, @Nullable UUID departmentId) {}

    private record ProjectView(
            UUID id,
            UUID orgId,
            UUID departmentId,
            String slug,
            String displayName,
            UUID operatorServiceAccountId,
            ResourceState state,
            Instant createdAt,
            Instant updatedAt) {}

    static ObjectNode of(Project project) {
        return Json.toObject(new ProjectView(
                project.id(),
                project.orgId(),
                project.departmentId(),
                project.slug(),
                project.displayName(),
                project.operatorServiceAccountId(),
                project.state(),
                project.createdAt(),
                project.updatedAt()));
    }
}
