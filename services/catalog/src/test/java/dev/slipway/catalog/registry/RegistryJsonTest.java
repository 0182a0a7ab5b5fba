package dev.slipway.catalog.registry;

import dev.slipway.catalog.registry.RegistryJson.ChangedEvent;
import dev.slipway.catalog.registry.RegistryJson.EntryPage;
import dev.slipway.catalog.registry.RegistryJson.EntryResponse;
import dev.slipway.catalog.registry.RegistryJson.ScopeBody;
import dev.slipway.catalog.registry.RegistryJson.Snapshot;
import dev.slipway.catalog.registry.RegistryJson.VersionList;
import dev.slipway.catalog.registry.RegistryJson.VersionResponse;
import dev.slipway.catalog.registry.RegistryStore.EntryVersion;
import dev.slipway.catalog.registry.RegistryStore.StoredEntry;
import dev.slipway.contract.Json;
import dev.slipway.contract.domain.RegistryKind;
import dev.slipway.contract.domain.RegistryLifecycle;
import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.util.List;

import static dev.slipway.catalog.ContractAssertions.assertEvent;
import static dev.slipway.catalog.ContractAssertions.assertSchema;
import static org.assertj.core.api.Assertions.assertThat;

class RegistryJsonTest {
    private static final RegistryEntry ENTRY = new RegistryEntry(
            RegistryKind.USAGE_UNIT,
            "gpu_hour",
            2,
            RegistryLifecycle.ACTIVE,
            Json.object().put("unit", "h"));

    @Test
    void records_matchTheContract() {
        var stored = new StoredEntry(ENTRY, 1, Instant.EPOCH, Instant.EPOCH);
        var version = new EntryVersion(ENTRY, RegistryAuthor.SEED, Instant.EPOCH);

        assertSchema("RegistryEntryPage", new EntryPage(List.of(EntryResponse.of(stored)), null));
        assertSchema("RegistryVersionList", new VersionList(List.of(VersionResponse.of(version))));
        assertEvent("registries.entry.changed", ChangedEvent.of(ENTRY));
        var snapshot = assertEvent("catalog.registry.snapshot", Snapshot.of(ENTRY));

        assertThat(snapshot.path("kind").asText()).isEqualTo("usage_unit");
    }

    @Test
    void scopeBody_omitsVersion_whenIamHasNone() {
        assertSchema("RegistryScope", new ScopeBody("apps", "low", "Read", 3));
        assertThat(Json.toObject(new ScopeBody("apps", "low", "Read", null)).has("scope_version"))
                .isFalse();
    }
}
