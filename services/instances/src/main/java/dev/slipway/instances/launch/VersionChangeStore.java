package dev.slipway.instances.launch;

import dev.slipway.contract.Json;
import dev.slipway.instances.launch.domain.AppVersionRef;
import dev.slipway.instances.launch.domain.VersionChange;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.operations.domain.Operation;
import io.vertx.core.Future;
import io.vertx.sqlclient.Tuple;

import java.util.Objects;

/** Loads the version that an upgrade or a rollback leads to, whatever its state is by now. */
public final class VersionChangeStore {
    private static final String FIND_VERSION = """
            SELECT v.id, v.runtime_backend, v.revision, a.slug
            FROM app_versions v JOIN app_catalog a ON a.id = v.app_id WHERE v.app_id = $1 AND v.version = $2
            """;

    private final LaunchContextStore manifests;

    public VersionChangeStore(LaunchContextStore manifests) {
        this.manifests = manifests;
    }

    public Future<VersionChange> load(
            UnitOfWork unit, AppVersionRef current, String currentConfig, Operation operation) {
        var version = Objects.requireNonNull(operation.toVersion());
        var input = Json.parseStoredObject(Objects.requireNonNull(operation.input()));
        var appId = current.appId();
        return unit.query(FIND_VERSION, Tuple.of(appId, version)).compose(rows -> {
            var row = rows.iterator().next();
            var target = new AppVersionRef(
                    appId, row.getUUID("id"), row.getString("slug"), version, row.getString("runtime_backend"));
            return manifests
                    .loadManifest(unit, target.versionId(), row.getLong("revision"))
                    .map(manifest -> VersionChange.of(
                            current,
                            currentConfig,
                            operation,
                            target,
                            Json.text(input.path("config")),
                            manifest.spec()));
        });
    }
}
