package dev.slipway.catalog.policy.domain;

import org.jspecify.annotations.Nullable;

/** The eligibility of a version for a project; the reason is the error code that a launch would return, null if it can. */
public record Eligibility(boolean launchable, @Nullable String reason) {}
