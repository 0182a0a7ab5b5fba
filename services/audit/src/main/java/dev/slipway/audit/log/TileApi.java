package dev.slipway.audit.log;

import dev.slipway.audit.log.domain.LogId;
import dev.slipway.audit.log.domain.Tile;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;

import java.nio.charset.StandardCharsets;
import java.util.List;

/** Serves a log in the layout of C2SP tlog-tiles: the newest checkpoint, the tiles of its tree and the bundles of its entries. */
public final class TileApi {
    private static final String BUNDLES = "entries/";

    private final AuditEntryStore store;
    private final TreeReader trees;
    private final CheckpointStore checkpoints;

    public TileApi(AuditEntryStore store, TreeReader trees, CheckpointStore checkpoints) {
        this.store = store;
        this.trees = trees;
        this.checkpoints = checkpoints;
    }

    public Future<Reply> checkpoint(Request request) {
        return checkpoints.findLatest(LogId.of(request.orgId())).map(latest -> {
            if (latest == null) {
                throw notFound("The log has no entries yet.");
            }
            return Reply.ofBytes(latest.note().getBytes(StandardCharsets.UTF_8));
        });
    }

    /** Returns a tile or a bundle. A checkpoint must cover it: what is not signed is not final. */
    public Future<Reply> tile(Request request) {
        var logId = LogId.of(request.orgId());
        var path = request.path("tile");
        var isBundle = path.startsWith(BUNDLES);
        var tile = parse(isBundle ? "0/" + path.substring(BUNDLES.length()) : path);
        return checkpoints.findLatest(logId).compose(latest -> {
            if (latest == null || !tile.isPartOf(latest.size())) {
                throw notFound("The newest checkpoint does not cover this tile.");
            }
            return isBundle ? bundle(logId, tile) : hashes(logId, tile);
        });
    }

    private Future<Reply> hashes(LogId logId, Tile tile) {
        return trees.findTiles(logId, List.of(tile)).map(tiles -> {
            if (tiles.isEmpty()) {
                throw new IllegalStateException("a hash of log " + logId.name() + " is missing");
            }
            return Reply.ofBytes(tiles.get(0).encode());
        });
    }

    private Future<Reply> bundle(LogId logId, Tile tile) {
        return store.export(logId, tile.range().from(), tile.range().to()).map(entries -> {
            var bundle = EntryBundle.encode(entries);
            if (bundle == null) {
                throw notFound("An entry of this bundle has expired, or is too large for a bundle. Use the export.");
            }
            return Reply.ofBytes(bundle);
        });
    }

    private static Tile parse(String path) {
        try {
            return Tile.parse("tile/" + path);
        } catch (IllegalArgumentException e) {
            throw notFound("There is no such tile.");
        }
    }

    private static RuntimeException notFound(String message) {
        return Problem.of(ErrorCode.NOT_FOUND, message).asException();
    }
}
