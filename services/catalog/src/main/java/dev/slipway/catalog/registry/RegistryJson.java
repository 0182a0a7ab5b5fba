package dev.slipway.catalog.registry;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.catalog.registry.RegistryStore.EntryVersion;
import dev.slipway.catalog.registry.RegistryStore.StoredEntry;
import dev.slipway.contract.domain.RegistryKind;
import dev.slipway.contract.domain.RegistryLifecycle;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.List;

/** JSON records of registry entries: responses, events and snapshots. */
final class RegistryJson {
    private RegistryJson() {}

    record PutRequest(ObjectNode body) {}

    record TransitionRequest(String lifecycle) {}

    record EntryResponse(
            RegistryKind kind,
            String id,
            int version,
            RegistryLifecycle lifecycle,
            ObjectNode body,
            Instant createdAt,
            Instant updatedAt) {
        static EntryResponse of(StoredEntry stored) {
            var entry = stored.entry();
            return new EntryResponse(
                    entry.kind(),
                    entry.id(),
                    entry.version(),
                    entry.lifecycle(),
                    entry.body(),
                    stored.createdAt(),
                    stored.updatedAt());
        }
    }

    record EntryPage(List<EntryResponse> items, @Nullable String nextCursor) {}

    record VersionResponse(
            int version, RegistryLifecycle lifecycle, ObjectNode body, RegistryAuthor author, Instant createdAt) {
        static VersionResponse of(EntryVersion version) {
            var entry = version.entry();
            return new VersionResponse(
                    entry.version(), entry.lifecycle(), entry.body(), version.author(), version.createdAt());
        }
    }

    record VersionList(List<VersionResponse> items) {}

    record AuditMetadata(@Nullable EntryResponse before, EntryResponse after) {}

    record ChangedEvent(RegistryKind kind, String entryId, int entryVersion, RegistryLifecycle lifecycle) {
        static ChangedEvent of(RegistryEntry entry) {
            return new ChangedEvent(entry.kind(), entry.id(), entry.version(), entry.lifecycle());
        }
    }

    record Snapshot(
            RegistryKind kind,
            String entryId,
            int entryVersion,
            RegistryLifecycle lifecycle,
            int revision,
            ObjectNode body) {
        static Snapshot of(RegistryEntry entry) {
            return new Snapshot(
                    entry.kind(), entry.id(), entry.version(), entry.lifecycle(), entry.version(), entry.body());
        }
    }

    /** The fields of {@code authz.action} events that the catalog stores. */
    record ActionEvent(
            String action,
            @Nullable String product,
            @Nullable String riskClass,
            @Nullable String description,
            @Nullable Integer version,
            String lifecycle,
            long revision) {}

    record ScopeBody(
            String productId,
            String riskClass,
            String description,

            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
            Integer scopeVersion) {}
}
