package dev.slipway.tenants.deployment.domain;

import org.jspecify.annotations.Nullable;

/**
 * One difference between what is deployed and a bundle.
 *
 * @param parentEntity the object of a field or index
 * @param breaking whether existing records or clients may stop working
 * @param reason why the change is breaking, for the person who decides
 */
public record MetadataChange(
        EntityType entityType,
        String entityName,
        @Nullable String parentEntity,
        ChangeType changeType,
        @Nullable Object oldValue,
        @Nullable Object newValue,
        boolean breaking,
        @Nullable String reason) {
    /** The parts of a bundle. */
    public enum EntityType {
        OBJECT,
        FIELD,
        INDEX,
        VIEW,
        FLOW,
        PERMISSION
    }

    /** The kind of difference of an entity. */
    public enum ChangeType {
        ADDED,
        MODIFIED,
        REMOVED
    }
}
