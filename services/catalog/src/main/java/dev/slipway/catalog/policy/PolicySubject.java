package dev.slipway.catalog.policy;

import dev.slipway.policy.PolicyDocument;
import dev.slipway.policy.PolicyLevel;
import org.jspecify.annotations.Nullable;

import java.util.UUID;

/** The subject of a policy document: the platform, a plan, an organization, a department or a project. */
public record PolicySubject(
        PolicyLevel level,
        String id,
        @Nullable String plan,
        @Nullable UUID orgId,
        @Nullable UUID departmentId,
        @Nullable UUID projectId) {

    static PolicySubject global() {
        return new PolicySubject(PolicyLevel.GLOBAL, PolicyDocument.PLATFORM, null, null, null, null);
    }

    static PolicySubject plan(String name) {
        return new PolicySubject(PolicyLevel.PLAN, name, name, null, null, null);
    }

    static PolicySubject organization(UUID orgId) {
        return new PolicySubject(PolicyLevel.ORGANIZATION, orgId.toString(), null, orgId, null, null);
    }

    static PolicySubject department(UUID orgId, UUID departmentId) {
        return new PolicySubject(PolicyLevel.DEPARTMENT, departmentId.toString(), null, orgId, departmentId, null);
    }

    static PolicySubject project(UUID orgId, UUID projectId) {
        return new PolicySubject(PolicyLevel.PROJECT, projectId.toString(), null, orgId, null, projectId);
    }
}
