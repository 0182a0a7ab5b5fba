package dev.slipway.operations.domain;

import org.jspecify.annotations.Nullable;

import java.util.UUID;

/**
 * Identifies a subject and its owner.
 *
 * @param projectId null for a subject that belongs to the organization
 */
public record SubjectRef(
        SubjectKind kind, UUID id, UUID orgId, @Nullable UUID projectId) {

    /** Returns the project, or else the organization, that owns the subject. */
    public UUID ownerId() {
        return projectId == null ? orgId : projectId;
    }

    /** Returns the path of the subject in the REST API. */
    public String path() {
        var owner = projectId == null ? "/api/v1/orgs/" + orgId : "/api/v1/projects/" + projectId;
        return owner + "/" + kind.pathSegment() + "/" + id;
    }
}
