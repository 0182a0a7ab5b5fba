package dev.slipway.audit.log;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.audit.log.AuditEntryStore.EntryFilter;
import dev.slipway.audit.log.AuditEntryStore.StoredEntry;
import dev.slipway.audit.log.AuditLogJson.CheckpointResponse;
import dev.slipway.audit.log.AuditLogJson.ConsistencyProof;
import dev.slipway.audit.log.AuditLogJson.EntryBody;
import dev.slipway.audit.log.AuditLogJson.EntryResponse;
import dev.slipway.audit.log.AuditLogJson.InclusionProof;
import dev.slipway.audit.log.AuditLogJson.ReceiptResponse;
import dev.slipway.audit.log.AuditLogJson.RedactionBody;
import dev.slipway.audit.log.AuditLogJson.RedactionMetadata;
import dev.slipway.audit.log.AuditLogJson.RedactionResponse;
import dev.slipway.audit.log.CheckpointStore.StoredCheckpoint;
import dev.slipway.audit.log.domain.LogId;
import dev.slipway.audit.log.domain.NoteKey;
import dev.slipway.audit.log.domain.ProofPlan;
import dev.slipway.audit.log.domain.Subtree;
import dev.slipway.audit.log.domain.Tile;
import dev.slipway.contract.Cursor;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.AuditActionRegistry;
import dev.slipway.service.AuditTrail;
import dev.slipway.service.AuditTrail.AuditEntry;
import dev.slipway.service.Mutations;
import dev.slipway.service.Page;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;

/** Serves the audit log of the organization or project in the path, or of the platform if there is none. */
public final class AuditLogApi {
    private static final String REDACT_ACTION = "audit.log.redact";

    private final AuditEntryStore store;
    private final TreeReader trees;
    private final CheckpointStore checkpoints;
    private final LogKeyRing keys;
    private final AuditActionRegistry actions;
    private final Mutations mutations;

    public AuditLogApi(
            AuditEntryStore store,
            TreeReader trees,
            CheckpointStore checkpoints,
            LogKeyRing keys,
            AuditActionRegistry actions,
            Mutations mutations) {
        this.store = store;
        this.trees = trees;
        this.checkpoints = checkpoints;
        this.keys = keys;
        this.actions = actions;
        this.mutations = mutations;
    }

    public Future<Reply> list(Request request) {
        var limit = request.limit();
        return store.list(logId(request), filter(request), request.cursor(), limit + 1)
                .map(found -> Page.of(found, limit, AuditLogApi::cursor).toReply(EntryResponse::of));
    }

    public Future<Reply> get(Request request) {
        return store.find(logId(request), request.pathId("audit_entry_id"), request.projectIdOrNull())
                .map(found -> found.isEmpty() ? notFound() : Reply.ofRecord(EntryResponse.of(found.get(0))));
    }

    public Future<Reply> export(Request request) {
        var logId = logId(request);
        var from = number(request, "from_sequence", 0);
        return requireLatest(logId).compose(latest -> {
            var to = Math.min(latest.size(), from + request.limit());
            var entries = store.export(logId, from, to);
            var signed = store.listCheckpoints(logId, from, to);
            var tiles = trees.findTiles(logId, tilesOf(from, to, latest.size()));
            return Future.all(entries, signed, tiles).map(ok -> ExportPage.of(
                            logId,
                            keys.origin(logId),
                            keys.publicKeys(logId),
                            from,
                            entries.result(),
                            signed.result(),
                            tiles.result(),
                            latest.size())
                    .toReply());
        });
    }

    /** Returns the checkpoint of the requested size, or the newest one. */
    public Future<Reply> checkpoint(Request request) {
        var logId = logId(request);
        var size = request.query("tree_size");
        var found = size == null ? checkpoints.findLatest(logId) : checkpoints.find(logId, Long.parseLong(size));
        return found.map(checkpoint -> checkpoint == null
                ? notFound()
                : Reply.ofRecord(new CheckpointResponse(
                        keys.origin(logId),
                        checkpoint.size(),
                        checkpoint.root().hex(),
                        checkpoint.note(),
                        checkpoint.signedAt(),
                        keys.publicKeys(logId).stream().map(NoteKey::encode).toList())));
    }

    public Future<Reply> proveInclusion(Request request) {
        var logId = logId(request);
        var sequence = number(request, "sequence", 0);
        return requireSize(request, logId).compose(size -> {
            if (sequence >= size) {
                return Future.succeededFuture(notFound());
            }
            return trees.resolve(
                            logId, List.of(leaf(sequence), ProofPlan.inclusion(sequence, size), ProofPlan.root(size)))
                    .map(hashes -> Reply.ofRecord(new InclusionProof(
                            sequence,
                            size,
                            hashes.get(0).get(0).hex(),
                            hashes.get(2).get(0).hex(),
                            AuditLogJson.hex(hashes.get(1)))));
        });
    }

    public Future<Reply> proveConsistency(Request request) {
        var logId = logId(request);
        var from = number(request, "from_size", 1);
        return requireSize(request, logId).compose(size -> {
            if (from > size) {
                return Future.succeededFuture(notFound());
            }
            return trees.resolve(
                            logId,
                            List.of(ProofPlan.root(from), ProofPlan.consistency(from, size), ProofPlan.root(size)))
                    .map(hashes -> Reply.ofRecord(new ConsistencyProof(
                            from,
                            hashes.get(0).get(0).hex(),
                            size,
                            hashes.get(2).get(0).hex(),
                            AuditLogJson.hex(hashes.get(1)))));
        });
    }

    /** Deletes personal values. The redaction is recorded in the log itself, with the sequences of the entries and the reason. */
    public Future<Reply> redact(Request request) {
        var logId = logId(request);
        var body = Json.toRecord(request.body(), RedactionBody.class);
        return mutations.run(request, unit -> store.findSequences(unit, logId, body.entryIds())
                .map(sequences -> {
                    if (sequences.size() < body.entryIds().size()) {
                        throw Problem.of(ErrorCode.NOT_FOUND, "Not all of the entries are in this log.")
                                .asException();
                    }
                    store.redact(unit, logId, sequences, body.entryIds());
                    audit(unit, request, new RedactionMetadata(sequences, body.reason()));
                    return Reply.ofRecord(new RedactionResponse(sequences));
                }));
    }

    /** Records an action of a product. It becomes an entry of the log like every other audit record. */
    public Future<Reply> write(Request request) {
        var body = Json.toRecord(request.body(), EntryBody.class);
        if (actions.isPlatformAction(body.action())) {
            throw Problem.validationOf(
                            ErrorCode.VALIDATION_ERROR,
                            "/action",
                            "is an action of the platform, which records it itself")
                    .asException();
        }
        var metadata = body.metadata() == null ? Json.object() : body.metadata();
        requireAllowedMetadata(body.action(), metadata);
        var entry = new AuditEntry(
                body.action(), body.targetType(), body.targetId(), request.orgId(), request.projectId(), metadata);
        return mutations.run(
                request,
                unit -> Future.succeededFuture(Reply.ofRecord(new ReceiptResponse(AuditTrail.recordReportedAction(
                        unit, request.principal(), entry, body.result(), body.reason())))));
    }

    private void requireAllowedMetadata(String action, ObjectNode metadata) {
        var others = actions.findOtherMetadata(action, metadata);
        if (!others.isEmpty()) {
            throw Problem.validationOf(
                            ErrorCode.VALIDATION_ERROR,
                            "/metadata/" + others.get(0),
                            "is not an allowed key; add it to metadata_keys of the action in the registry")
                    .asException();
        }
    }

    private static void audit(UnitOfWork unit, Request request, RedactionMetadata metadata) {
        var logId = logId(request);
        AuditTrail.recordSuccess(
                unit,
                request.principal(),
                new AuditEntry(
                        REDACT_ACTION, "audit_log", logId.name(), request.orgId(), null, Json.toObject(metadata)));
    }

    /** Returns the tiles that the entries of a page complete, and on the last page those that remain partial. */
    private static List<Tile> tilesOf(long from, long to, long signedSize) {
        var tiles = new ArrayList<>(Tile.completedBetween(from, to));
        if (to == signedSize && from < to) {
            tiles.addAll(Tile.partial(to));
            tiles.sort(Comparator.comparingLong(Tile::leaves));
        }
        return tiles;
    }

    private static ProofPlan leaf(long sequence) {
        return new ProofPlan(List.of(List.of(new Subtree(0, sequence))));
    }

    /** Returns the requested tree size, or that of the newest checkpoint. A state without a checkpoint cannot be requested. */
    private Future<Long> requireSize(Request request, LogId logId) {
        return requireLatest(logId).map(latest -> {
            var size = number(request, "tree_size", latest.size());
            if (size > latest.size()) {
                throw Problem.of(ErrorCode.NOT_FOUND, "The log does not have " + size + " signed entries.")
                        .asException();
            }
            return size;
        });
    }

    private Future<StoredCheckpoint> requireLatest(LogId logId) {
        return checkpoints.findLatest(logId).map(latest -> {
            if (latest == null) {
                throw Problem.of(ErrorCode.NOT_FOUND, "The log has no entries yet.")
                        .asException();
            }
            return latest;
        });
    }

    private static LogId logId(Request request) {
        return LogId.of(request.orgId());
    }

    private static Cursor cursor(StoredEntry entry) {
        return new Cursor(Objects.requireNonNull(entry.recordedAt(), "the entry has expired"), entry.id());
    }

    private static EntryFilter filter(Request request) {
        return new EntryFilter(
                request.projectIdOrNull(),
                request.query("actor"),
                request.query("action"),
                request.query("target"),
                request.query("result"),
                time(request, "since"),
                time(request, "until"),
                request.query("correlation_id"));
    }

    private static long number(Request request, String parameter, long otherwise) {
        var given = request.query(parameter);
        return given == null ? otherwise : Long.parseLong(given);
    }

    /** The contract allows leap seconds, Java does not. */
    private static @Nullable Instant time(Request request, String parameter) {
        var given = request.query(parameter);
        try {
            return given == null ? null : OffsetDateTime.parse(given).toInstant();
        } catch (DateTimeParseException e) {
            throw Problem.validationOf(ErrorCode.VALIDATION_ERROR, parameter, "is not a valid time")
                    .asException();
        }
    }

    private static Reply notFound() {
        return Reply.of(Problem.of(ErrorCode.NOT_FOUND, "Not found."));
    }
}
