package dev.slipway.audit.log;

import dev.slipway.audit.log.EntryContent.AuditRecord;
import dev.slipway.audit.log.domain.Frontier;
import dev.slipway.audit.log.domain.LogId;
import dev.slipway.audit.log.domain.Tile;
import dev.slipway.messaging.InboxConsumer.ReceivedEvent;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.telemetry.Traces;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.security.SecureRandom;
import java.util.Base64;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;

/** Appends audit records to the logs, each once and in the order of the topic. */
public final class AuditLogConsumer {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int SALT_BYTES = 16;
    private static final Comparator<LogId> BY_ID = Comparator.comparing(LogId::value);

    private final AuditLogStore store;
    private final Runnable onAppending;

    /**
     * @param onAppending called when entries are appended, before they are committed
     */
    public AuditLogConsumer(AuditLogStore store, Runnable onAppending) {
        this.store = store;
        this.onAppending = onAppending;
    }

    /** Locks the logs in the order of their ids, so that two processes cannot wait for each other. */
    public Future<Void> apply(UnitOfWork unit, List<ReceivedEvent> events) {
        var records = events.stream()
                .filter(event -> event.envelope().eventType().equals("audit.recorded"))
                .map(AuditLogConsumer::toRecord)
                .toList();
        if (records.isEmpty()) {
            return Future.succeededFuture();
        }
        var logIds = records.stream()
                .map(AuditRecord::logId)
                .distinct()
                .sorted(BY_ID)
                .toList();
        var eventIds = records.stream()
                .map(audited -> audited.envelope().eventId())
                .distinct()
                .toList();
        return store.lockHeads(unit, logIds)
                .compose(heads -> store.findAppended(unit, eventIds).map(appended -> {
                    append(unit, heads, records, appended);
                    onAppending.run();
                    return null;
                }));
    }

    private void append(
            UnitOfWork unit, Map<LogId, Frontier> heads, List<AuditRecord> records, Set<UUID> alreadyAppended) {
        var appended = new HashSet<>(alreadyAppended);
        var changed = new TreeMap<LogId, Frontier>(BY_ID);
        for (var audited : records) {
            if (appended.add(audited.envelope().eventId())) {
                var logId = audited.logId();
                changed.put(logId, append(unit, changed.getOrDefault(logId, heads.get(logId)), audited));
            }
        }
        changed.forEach((logId, head) -> store.updateHead(unit, logId, head));
    }

    private Frontier append(UnitOfWork unit, @Nullable Frontier head, AuditRecord audited) {
        if (head == null) {
            throw new IllegalStateException("the head of log " + audited.logId() + " is not locked");
        }
        var entry = EntryContent.create(audited, head.size(), unit.now(), AuditLogConsumer::newSalt);
        var leafHash = entry.leafHash();
        store.insertEntry(unit, audited.logId(), head.size(), entry, leafHash);
        return head.append(leafHash, (subtree, hash) -> {
            if (subtree.level() % Tile.HEIGHT == 0) {
                store.insertNode(unit, audited.logId(), subtree.level() / Tile.HEIGHT, subtree.index(), hash);
            }
        });
    }

    private static AuditRecord toRecord(ReceivedEvent event) {
        var orgId = event.envelope().payload().path("org_id").textValue();
        return new AuditRecord(
                LogId.of(orgId == null ? null : UUID.fromString(orgId)),
                event.envelope(),
                Traces.parseTraceId(event.record().headers().get("traceparent")));
    }

    private static String newSalt() {
        var salt = new byte[SALT_BYTES];
        RANDOM.nextBytes(salt);
        return Base64.getEncoder().encodeToString(salt);
    }
}
