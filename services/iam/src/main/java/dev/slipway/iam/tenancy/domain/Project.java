package dev.slipway.iam.tenancy.domain;

import java.time.Instant;
import java.util.UUID;

/** A project of an organization. Its organization never changes. */
public record Project(
        UUID id,
        UUID orgId,
        UUID departmentId,
        String slug,
        String displayName,
        UUID operatorServiceAccountId,
        boolean deleted,
        Instant createdAt,
        Instant updatedAt) {

    public ResourceState state() {
        return ResourceState.deletedIf(deleted);
    }

    public Project withNameAndDepartment(String nextName, UUID nextDepartment, Instant at) {
        return new Project(id, orgId, nextDepartment, slug, nextName, operatorServiceAccountId, deleted, createdAt, at);
    }

    public Project withDeleted(Instant at) {
        return new Project(id, orgId, departmentId, slug, displayName, operatorServiceAccountId, true, createdAt, at);
    }
}
