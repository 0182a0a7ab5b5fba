package dev.slipway.instances.lifecycle;

import com.fasterxml.jackson.databind.JsonNode;
import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.slipway.contract.ForeignSchema;
import dev.slipway.contract.Json;
import dev.slipway.instances.appinstance.AdmissionStore.ManifestKey;
import dev.slipway.instances.appinstance.domain.AppInstance.Terms;
import dev.slipway.instances.appinstance.domain.UpgradePath.Way;
import dev.slipway.instances.projection.ManifestStore;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Objects;

/**
 * The manifests that launches need, read and compiled once, away from the event loops, and known to all of them: what was published does
 * not change.
 */
public final class Manifests {
    private static final int MOST = 256;

    private final Vertx vertx;
    private final ManifestStore store;
    private final Cache<ManifestKey, Known> known =
            Caffeine.newBuilder().maximumSize(MOST).build();

    public Manifests(Vertx vertx, ManifestStore store) {
        this.vertx = vertx;
        this.store = store;
    }

    /**
     * A manifest.
     *
     * @param registryVersions that its version was published under, as JSON text; null where that is not known
     * @param launch the schema of the launch parameters; null where anything goes
     * @param slow whether checking may take long, since the schema has patterns of its own
     */
    public record Known(
            JsonNode manifest,
            String text,
            @Nullable String registryVersions,
            @Nullable ForeignSchema launch,
            boolean slow) {
        Terms terms() {
            return new Terms(
                    (int) Deadlines.delete(manifest).toSeconds(),
                    manifest.path("failure_policy").asText().equals("reap"),
                    registryVersions);
        }

        /** What it says of a way to or from its version: upgrade or rollback. */
        Way way(String name) {
            var said = manifest.path("lifecycle").path(name);
            var versions = new ArrayList<String>();
            said.path(name.equals("upgrade") ? "from" : "to").forEach(version -> versions.add(version.asText()));
            return new Way(said.path("strategy").asText("unsupported"), versions);
        }
    }

    public Future<Known> of(UnitOfWork unit, ManifestKey key) {
        var found = known.getIfPresent(key);
        if (found != null) {
            return Future.succeededFuture(found);
        }
        return store.kept(unit, Objects.requireNonNull(key.versionId(), "a version that is there"))
                .compose(kept -> vertx.executeBlocking(() -> read(kept)))
                .onSuccess(read -> known.put(key, read));
    }

    private static Known read(ManifestStore.Kept kept) {
        var manifest = Json.trusted(kept.text());
        var schema = manifest.path("launch").path("schema");
        return new Known(
                manifest,
                kept.text(),
                kept.registryVersions(),
                schema.isMissingNode() ? null : ForeignSchema.of(schema),
                schema.toString().contains("\"pattern"));
    }
}
