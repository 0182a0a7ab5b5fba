package dev.slipway.audit.evidence;

import dev.slipway.audit.evidence.EvidenceStore.ExpiredContent;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.messaging.ChangeContext;
import dev.slipway.messaging.Outbox;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.AuditResult;
import dev.slipway.service.AuditTrail;
import dev.slipway.service.AuditTrail.AuditEntry;
import io.opentelemetry.context.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Deletes the content of evidence at the end of its retention. Items and digests stay, so that verdicts can be recomputed. */
final class EvidenceRetention {
    private static final Logger LOG = LoggerFactory.getLogger(EvidenceRetention.class);
    private static final String ACTION = "evidence.content.delete";
    private static final long INTERVAL_MS = 3_600_000;
    private static final int BATCH = 500;

    private final Vertx vertx;
    private final EvidenceStore store;
    private final EvidenceContents contents;
    private final Outbox outbox;
    private long timer = -1;

    private record DeletionMetadata(String retentionClass, long entries) {}

    private record DeletionKey(
            UUID releaseId, @Nullable UUID orgId, @Nullable UUID projectId, String retentionClass) {
        static DeletionKey of(ExpiredContent content) {
            return new DeletionKey(content.releaseId(), content.orgId(), content.projectId(), content.retentionClass());
        }
    }

    EvidenceRetention(Vertx vertx, EvidenceStore store, EvidenceContents contents, Outbox outbox) {
        this.vertx = vertx;
        this.store = store;
        this.contents = contents;
        this.outbox = outbox;
    }

    /** Schedules a sweep per hour. */
    void start() {
        timer = vertx.setPeriodic(INTERVAL_MS, id -> sweep().onFailure(
                        e -> LOG.atWarn().setCause(e).log("expired evidence not deleted; retrying in an hour")));
    }

    void stop() {
        vertx.cancelTimer(timer);
    }

    /** Deletes everything that has expired, one transaction per batch; returns how many items had content. */
    Future<Integer> sweep() {
        return outbox.transaction(new ChangeContext(Ids.next().toString(), Context.root()), this::deleteBatch)
                .compose(deleted ->
                        deleted < BATCH ? Future.succeededFuture(deleted) : sweep().map(more -> more + deleted));
    }

    /** Objects are deleted before the commit: if that fails, or the process ends, the next sweep deletes them again. */
    private Future<Integer> deleteBatch(UnitOfWork unit) {
        return store.deleteExpired(unit, BATCH)
                .compose(expired -> deleteObjects(unit, expired).map(ok -> {
                    record(unit, expired);
                    return expired.size();
                }));
    }

    private Future<Void> deleteObjects(UnitOfWork unit, List<ExpiredContent> expired) {
        var digests = expired.stream()
                .filter(Predicate.not(ExpiredContent::inRow))
                .map(ExpiredContent::digest)
                .collect(Collectors.toSet());
        return digests.isEmpty()
                ? Future.succeededFuture()
                : store.findRetained(unit, digests).compose(retained -> deleteObjects(digests, retained));
    }

    private Future<Void> deleteObjects(Set<String> digests, Set<String> retained) {
        var chain = Future.<Void>succeededFuture();
        for (var digest : digests) {
            if (!retained.contains(digest)) {
                chain = chain.compose(ok -> contents.delete(digest));
            }
        }
        return chain;
    }

    /** One audit record per candidate and class. */
    private static void record(UnitOfWork unit, List<ExpiredContent> expired) {
        expired.stream()
                .collect(Collectors.groupingBy(DeletionKey::of, Collectors.counting()))
                .forEach((key, count) -> AuditTrail.recordSystemAction(
                        unit,
                        "system",
                        "evidence-retention",
                        null,
                        new AuditEntry(
                                ACTION,
                                "release",
                                key.releaseId.toString(),
                                key.orgId,
                                key.projectId,
                                Json.toObject(new DeletionMetadata(key.retentionClass, count))),
                        AuditResult.SUCCESS,
                        null));
    }
}
