package dev.slipway.instances.launch;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.instances.launch.domain.Launch;
import dev.slipway.instances.launch.domain.Placement;
import dev.slipway.service.Request;
import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;

/** The body of a launch and of a plan; the contract has validated it. */
@JsonIgnoreProperties(ignoreUnknown = true)
public record LaunchBody(
        String appSlug,
        String version,
        String displayName,
        @Nullable String operatingMode,
        @Nullable String controlPlaneScope,
        @Nullable UUID operatorServiceAccountId,
        @Nullable JsonNode config,
        @Nullable PlacementJson placementIntent,
        @Nullable Map<String, Integer> components,
        @Nullable UUID sharedRuntimeId,
        @Nullable UUID planId) {
    private static final int MAX_CONFIG_BYTES = 32 * 1024;

    public static LaunchBody of(Request request) {
        return Json.toRecord(request.body(), LaunchBody.class);
    }

    public Launch toLaunch(Request request) {
        return new Launch(
                request.projectId(),
                appSlug,
                version,
                displayName,
                Objects.requireNonNullElse(operatingMode, "tenant_dedicated"),
                Objects.requireNonNullElse(controlPlaneScope, "project"),
                operatorServiceAccountId,
                config == null ? "{}" : configText(config),
                request.principal().responsibleUserId(),
                request.principal().id(),
                placementIntent == null ? Placement.UNSPECIFIED : placementIntent.toPlacement(),
                components == null ? Map.of() : components,
                sharedRuntimeId);
    }

    /** Returns the launch parameters as JSON text; rejects them if they are too large. */
    public static String configText(JsonNode config) {
        var text = Json.text(config);
        if (text.getBytes(StandardCharsets.UTF_8).length > MAX_CONFIG_BYTES) {
            throw Problem.validationOf(ErrorCode.VALIDATION_ERROR, "/config", "is larger than 32 KiB")
                    .asException();
        }
        return text;
    }
}
