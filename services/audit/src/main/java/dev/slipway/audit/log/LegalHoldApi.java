package dev.slipway.audit.log;

import dev.slipway.audit.log.RetentionStore.LegalHold;
import dev.slipway.audit.log.domain.LogId;
import dev.slipway.contract.Json;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.AuditTrail;
import dev.slipway.service.AuditTrail.AuditEntry;
import dev.slipway.service.Mutations;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.UUID;

/** Places and releases the legal hold of a log. Content of a held log is not deleted at the end of its retention. */
public final class LegalHoldApi {
    private static final String ACTION = "audit.hold.write";

    private final RetentionStore store;
    private final Mutations mutations;

    private record HoldBody(String reason) {}

    private record HoldResponse(
            boolean held,
            @Nullable String reason,
            @Nullable UUID placedBy,
            @Nullable Instant placedAt) {
        static HoldResponse of(@Nullable LegalHold hold) {
            return hold == null
                    ? new HoldResponse(false, null, null, null)
                    : new HoldResponse(true, hold.reason(), hold.placedBy(), hold.placedAt());
        }
    }

    private record HoldMetadata(boolean held, @Nullable String reason) {}

    public LegalHoldApi(RetentionStore store, Mutations mutations) {
        this.store = store;
        this.mutations = mutations;
    }

    public Future<Reply> get(Request request) {
        return store.findHold(LogId.of(request.orgId())).map(hold -> Reply.ofRecord(HoldResponse.of(hold)));
    }

    public Future<Reply> place(Request request) {
        var body = Json.toRecord(request.body(), HoldBody.class);
        return mutations.run(request, unit -> {
            var hold = new LegalHold(body.reason, request.principal().id(), unit.now());
            store.placeHold(unit, LogId.of(request.orgId()), hold);
            return auditChange(unit, request, hold);
        });
    }

    public Future<Reply> release(Request request) {
        return mutations.run(request, unit -> {
            store.releaseHold(unit, LogId.of(request.orgId()));
            return auditChange(unit, request, null);
        });
    }

    private static Future<Reply> auditChange(UnitOfWork unit, Request request, @Nullable LegalHold hold) {
        var metadata = new HoldMetadata(hold != null, hold == null ? null : hold.reason());
        var log = LogId.of(request.orgId()).name();
        AuditTrail.recordSuccess(
                unit,
                request.principal(),
                new AuditEntry(ACTION, "audit_log", log, request.orgId(), null, Json.toObject(metadata)));
        return Future.succeededFuture(Reply.ofRecord(HoldResponse.of(hold)));
    }
}
