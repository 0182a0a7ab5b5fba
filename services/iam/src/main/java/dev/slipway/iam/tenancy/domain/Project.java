package dev.slipway.iam.tenancy.domain;

import dev.slipway.contract.domain.ResourceState;

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
        ResourceState state,
        Instant createdAt,
        Instant updatedAt) {

    public boolean isDeleted() {
        return state == ResourceState.DELETED;
    }

    public Project withNameAndDepartment(String nextName, UUID nextDepartment, Instant at) {
        return new Project(id, orgId, nextDepartment, slug, nextName, operatorServiceAccountId, state, createdAt, at);
    }

    public Project withState(ResourceState next, Instant at) {
        return new Project(id, orgId, departmentId, slug, displayName, operatorServiceAccountId, next, createdAt, at);
    }
}
