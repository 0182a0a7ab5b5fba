package dev.slipway.instances.projection;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.util.UUID;

/** Reads manifests, by the version that an instance runs. A version's manifest does not change once it was launched. */
public final class ManifestStore {
    private static final String FIND =
            "SELECT manifest::text AS manifest, registry_versions::text AS registry_versions FROM app_versions WHERE id = $1";

    /** The manifest of a version, as it is kept, and the versions of the registry entries that it was published under, both as JSON text. */
    public record Kept(String text, @Nullable String registryVersions) {}

    public Future<ObjectNode> of(UnitOfWork unit, UUID versionId) {
        return find(unit, versionId).map(kept -> Json.trusted(kept.text()));
    }

    public Future<Kept> find(UnitOfWork unit, UUID versionId) {
        return unit.query(FIND, Tuple.of(versionId)).map(rows -> {
            var row = rows.iterator().next();
            return new Kept(row.getString("manifest"), row.getString("registry_versions"));
        });
    }
}
