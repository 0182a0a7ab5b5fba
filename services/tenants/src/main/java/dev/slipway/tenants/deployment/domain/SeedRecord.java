package dev.slipway.tenants.deployment.domain;

import java.util.Map;

/** A record that a deployment inserts or updates after the migration; {@code externalId} identifies it within its object. */
public record SeedRecord(String object, String externalId, Map<String, Object> values) {}
