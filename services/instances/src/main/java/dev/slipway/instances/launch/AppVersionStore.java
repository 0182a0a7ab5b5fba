package dev.slipway.instances.launch;

import dev.slipway.contract.Json;
import dev.slipway.instances.launch.domain.AppVersionRef;
import dev.slipway.instances.launch.domain.LifecycleSettings;
import dev.slipway.instances.launch.domain.PreviousVersion;
import dev.slipway.instances.launch.domain.VersionChange;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.operations.domain.Operation;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.util.Objects;

/** The SQL of the version that an instance or a shared runtime runs, of the previous one, and of the one that a change leads to. */
public final class AppVersionStore {
    /** The columns of {@link #joins}, for a SELECT. */
    public static final String JOINED_COLUMNS = "a.slug, v.version, v.runtime_backend, b.version AS previous_version ";

    private static final String FIND_VERSION = """
            SELECT v.id, v.runtime_backend, v.revision, a.slug
            FROM app_versions v JOIN app_catalog a ON a.id = v.app_id WHERE v.app_id = $1 AND v.version = $2
            """;

    private final LaunchContextStore manifests;

    public AppVersionStore(LaunchContextStore manifests) {
        this.manifests = manifests;
    }

    /** Returns the joins of a table with the app and the versions that its rows refer to. */
    public static String joins(String alias) {
        return """
                 JOIN app_catalog a ON a.id = {i}.app_id JOIN app_versions v ON v.id = {i}.app_version_id
                LEFT JOIN app_versions b ON b.id = {i}.previous_version_id
                """.replace("{i}", alias);
    }

    public static AppVersionRef readApp(Row row) {
        return new AppVersionRef(
                row.getUUID("app_id"),
                row.getUUID("app_version_id"),
                row.getString("slug"),
                row.getString("version"),
                row.getString("runtime_backend"));
    }

    public static LifecycleSettings readSettings(Row row) {
        return new LifecycleSettings(
                row.getInteger("delete_seconds"), row.getBoolean("reap"), row.getString("registry_versions"));
    }

    public static @Nullable PreviousVersion readPrevious(Row row) {
        var id = row.getUUID("previous_version_id");
        return id == null
                ? null
                : new PreviousVersion(id, row.getString("previous_version"), row.getString("previous_config"));
    }

    /** Loads the version that an upgrade or a rollback leads to, regardless of its current state. */
    public Future<VersionChange> loadChange(
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
