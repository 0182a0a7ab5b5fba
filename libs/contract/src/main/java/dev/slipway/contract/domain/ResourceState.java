package dev.slipway.contract.domain;

/** The lifecycle state of a tenant resource or a principal. */
public enum ResourceState implements TextEnum {
    ACTIVE,
    /** A project in which only reads and removals are allowed until it is resumed. */
    SUSPENDED,
    /** A principal that cannot authenticate until it is enabled again. */
    DISABLED,
    /** Kept as history; its slug stays taken. */
    DELETED,
    /** A group membership that has ended. */
    REMOVED;

    public static ResourceState deletedIf(boolean deleted) {
        return deleted ? DELETED : ACTIVE;
    }
}
