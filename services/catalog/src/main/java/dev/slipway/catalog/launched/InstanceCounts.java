package dev.slipway.catalog.launched;

import io.vertx.core.Future;

import java.util.List;
import java.util.Map;
import java.util.UUID;

/** How many instances of a version there are that are not deleted, as far as their events have come here. */
public final class InstanceCounts {
    private final LaunchedStore store;

    public InstanceCounts(LaunchedStore store) {
        this.store = store;
    }

    /** By version; a version without instances has 0. */
    public Future<Map<UUID, Long>> of(List<UUID> versionIds) {
        return versionIds.isEmpty() ? Future.succeededFuture(Map.of()) : store.live(versionIds);
    }
}
