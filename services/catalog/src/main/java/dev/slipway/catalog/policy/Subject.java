package dev.slipway.catalog.policy;

import dev.slipway.policy.Level;
import dev.slipway.policy.PolicyDocument;
import org.jspecify.annotations.Nullable;

import java.util.UUID;

/** Whose policy it is: one of a level. */
public record Subject(
        Level level,
        String id,
        @Nullable String plan,
        @Nullable UUID orgId,
        @Nullable UUID departmentId,
        @Nullable UUID projectId) {

    static Subject global() {
        return new Subject(Level.GLOBAL, PolicyDocument.PLATFORM, null, null, null, null);
    }

    static Subject plan(String name) {
        return new Subject(Level.PLAN, name, name, null, null, null);
    }

    static Subject organization(UUID orgId) {
        return new Subject(Level.ORGANIZATION, orgId.toString(), null, orgId, null, null);
    }

    static Subject department(UUID orgId, UUID departmentId) {
        return new Subject(Level.DEPARTMENT, departmentId.toString(), null, orgId, departmentId, null);
    }

    static Subject project(UUID orgId, UUID projectId) {
        return new Subject(Level.PROJECT, projectId.toString(), null, orgId, null, projectId);
    }
}
