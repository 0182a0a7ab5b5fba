package dev.slipway.audit.log.domain;

import org.jspecify.annotations.Nullable;

import java.util.UUID;

/** Identifies the log of an organization or of the platform. */
public record LogId(UUID value) {
    public static final LogId PLATFORM = new LogId(new UUID(0, 0));

    /** Returns the log of an organization, or of the platform if there is none. */
    public static LogId of(@Nullable UUID orgId) {
        return orgId == null ? PLATFORM : new LogId(orgId);
    }

    /** Returns {@code platform} or the id of the organization. */
    public String name() {
        return equals(PLATFORM) ? "platform" : value.toString();
    }
}
