package dev.slipway.instances.launch;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.slipway.contract.Json;
import dev.slipway.instances.launch.domain.Placement;
import org.jspecify.annotations.Nullable;

/** The JSON of a placement: open fields are left out. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record PlacementJson(
        @Nullable String region,
        @Nullable String sku,
        @Nullable Integer gpuCount) {
    private static final String EMPTY = "{}";

    public static PlacementJson of(Placement placement) {
        return new PlacementJson(placement.region(), placement.sku(), placement.gpuCount());
    }

    /** Parses a stored placement; most instances have none, and parsing nothing costs nothing. */
    public static Placement parse(String stored) {
        return stored.equals(EMPTY)
                ? Placement.UNSPECIFIED
                : Json.toRecord(Json.parseStoredObject(stored), PlacementJson.class)
                        .toPlacement();
    }

    public Placement toPlacement() {
        return new Placement(region, sku, gpuCount);
    }
}
