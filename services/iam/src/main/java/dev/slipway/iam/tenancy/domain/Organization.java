package dev.slipway.iam.tenancy.domain;

import java.time.Instant;
import java.util.UUID;

/** A tenant. */
public record Organization(
        UUID id, String slug, String displayName, String plan, boolean deleted, Instant createdAt, Instant updatedAt) {

    /** The plan of who has chosen none. */
    public static final String STANDARD_PLAN = "standard";

    public Organization renamed(String nextName, String nextPlan, Instant at) {
        return new Organization(id, slug, nextName, nextPlan, deleted, createdAt, at);
    }

    public Organization deleted(Instant at) {
        return new Organization(id, slug, displayName, plan, true, createdAt, at);
    }
}
