package dev.slipway.instances.lifecycle;

import com.fasterxml.jackson.databind.JsonNode;

import java.time.Duration;

/** How long things may take: what the manifest says, and where it says nothing, as long as anybody would wait. */
public final class Deadlines {
    private Deadlines() {}

    public static Duration deploy(JsonNode manifest) {
        return of(manifest, "deploy_seconds", 1_800);
    }

    public static Duration upgrade(JsonNode manifest) {
        return of(manifest, "upgrade_seconds", 1_800);
    }

    public static Duration rollback(JsonNode manifest) {
        return of(manifest, "rollback_seconds", 1_800);
    }

    public static Duration delete(JsonNode manifest) {
        return of(manifest, "delete_seconds", 1_800);
    }

    public static Duration member(JsonNode manifest) {
        return of(manifest, "member_seconds", 1_800);
    }

    private static Duration of(JsonNode manifest, String name, int otherwise) {
        return Duration.ofSeconds(manifest.path("deadlines").path(name).asInt(otherwise));
    }
}
