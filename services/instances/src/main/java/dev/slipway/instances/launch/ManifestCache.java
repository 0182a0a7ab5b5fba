package dev.slipway.instances.launch;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.slipway.instances.launch.domain.ConfigSource;
import dev.slipway.instances.launch.domain.ResolvedConfig;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.UUID;

/** The compiled manifests, by the id of their version. A published manifest does not change. Slow work runs outside the event loop. */
public record ManifestCache(Vertx vertx, Cache<UUID, CompiledManifest> compiled) {
    private static final int MAX_SIZE = 256;

    public static ManifestCache create(Vertx vertx) {
        return new ManifestCache(
                vertx, Caffeine.newBuilder().maximumSize(MAX_SIZE).build());
    }

    /** Returns the manifest of a version; null if it is not cached, or was read before this revision of the version. */
    @Nullable
    CompiledManifest find(UUID versionId, long revision) {
        var cached = compiled.getIfPresent(versionId);
        return cached != null && cached.revision() >= revision ? cached : null;
    }

    Future<CompiledManifest> compile(UUID versionId, String manifest, String registryVersions, long revision) {
        return vertx.executeBlocking(() -> CompiledManifest.compile(manifest, registryVersions, revision))
                .onSuccess(next -> compiled.put(versionId, next));
    }

    /** Resolves launch parameters by a manifest. */
    Future<ResolvedConfig> resolve(CompiledManifest manifest, String config, ConfigSource source) {
        if (source == ConfigSource.PREVIOUS) {
            return Future.succeededFuture(new ResolvedConfig(config, List.of()));
        }
        var requested = source == ConfigSource.INSTANCE ? manifest.carryOver(config) : config;
        // The patterns and the text are untrusted: matching ends, but may take a second.
        return manifest.hasPatterns()
                ? vertx.executeBlocking(() -> manifest.resolve(requested))
                : Future.succeededFuture(manifest.resolve(requested));
    }
}
