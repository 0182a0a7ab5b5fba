package dev.slipway.instances.appinstance;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.Json;
import dev.slipway.instances.appinstance.domain.AppInstance;
import dev.slipway.instances.launch.CompiledManifest;
import dev.slipway.instances.launch.LaunchPlan.Decision;
import dev.slipway.instances.launch.PlacementJson;
import org.jspecify.annotations.Nullable;

import java.util.UUID;

/** The outcome of an allowed launch in a plan. */
record PlannedInstance(
        Decision decision,
        UUID appVersionId,
        @Nullable String policyVersion,
        String runtimeBackend,
        UUID operatorServiceAccountId,
        PlacementJson placementIntent,
        JsonNode config,
        JsonNode artifacts) {
    static PlannedInstance of(AppInstance instance, CompiledManifest manifest) {
        return new PlannedInstance(
                Decision.ALLOWED,
                instance.app().versionId(),
                instance.policyVersion(),
                instance.app().runtimeBackend(),
                instance.operatorServiceAccountId(),
                PlacementJson.of(instance.placement()),
                Json.parseStoredObject(instance.config()),
                manifest.artifacts());
    }
}
