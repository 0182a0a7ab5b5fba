package dev.slipway.instances.projection;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;
import io.vertx.sqlclient.Tuple;

import java.util.UUID;

/** Reads manifests, by the version that an instance runs. A version's manifest does not change once it was launched. */
public final class ManifestStore {
    private static final String FIND = "SELECT manifest::text AS manifest FROM app_versions WHERE id = $1";

    public Future<ObjectNode> of(UnitOfWork unit, UUID versionId) {
        return text(unit, versionId).map(Json::trusted);
    }

    public Future<String> text(UnitOfWork unit, UUID versionId) {
        return unit.query(FIND, Tuple.of(versionId))
                .map(rows -> rows.iterator().next().getString("manifest"));
    }
}
