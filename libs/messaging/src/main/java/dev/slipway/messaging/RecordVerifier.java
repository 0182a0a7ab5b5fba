package dev.slipway.messaging;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Removes the records of signed topics that the owner of the topic has not signed, and counts and logs them. Used by one reader. */
final class RecordVerifier {
    private static final Logger LOG = LoggerFactory.getLogger(RecordVerifier.class);
    /** The records of a batch follow each other, so few batches are enough. */
    private static final int MAX_CACHED_BATCHES = 64;

    private final Vertx vertx;
    private final RecordKeys keys;
    private final Map<VerifiedBatch, Boolean> verifiedBatches = new LinkedHashMap<>();

    /** A batch whose signature was valid; the root identifies its records. */
    private record VerifiedBatch(String keyId, String root) {}

    private record Rejection(String topic, String reason) {}

    RecordVerifier(Vertx vertx, RecordKeys keys) {
        this.vertx = vertx;
        this.keys = keys;
    }

    /** Completes with the records that may be applied. Fails if an owner's public key is not available, because it may be soon. */
    Future<List<ReceivedRecord>> filter(List<ReceivedRecord> records) {
        return records.stream().allMatch(record -> Topics.owner(record.topic()) == null)
                ? Future.succeededFuture(records)
                : vertx.executeBlocking(() -> verify(records));
    }

    /** Logs once per reason, because a writer of invalid records could write many. */
    private synchronized List<ReceivedRecord> verify(List<ReceivedRecord> records) {
        var valid = new ArrayList<ReceivedRecord>(records.size());
        var rejected = new LinkedHashMap<Rejection, List<ReceivedRecord>>();
        for (var record : records) {
            var reason = rejectionReason(record);
            if (reason == null) {
                valid.add(record);
            } else {
                rejected.computeIfAbsent(new Rejection(record.topic(), reason), r -> new ArrayList<>())
                        .add(record);
            }
        }
        rejected.forEach((rejection, all) -> {
            keys.countRejected(rejection.topic, all.size());
            LOG.atError()
                    .addKeyValue("topic", rejection.topic)
                    .addKeyValue(
                            "first_position",
                            all.get(0).partition() + "/" + all.get(0).offset())
                    .addKeyValue("records", all.size())
                    .addKeyValue("reason", rejection.reason)
                    .log("skipped records that the owner of the topic has not signed");
        });
        return valid;
    }

    private @Nullable String rejectionReason(ReceivedRecord record) {
        var owner = Topics.owner(record.topic());
        if (owner == null) {
            return null;
        }
        var header = record.headers().get(RecordSignature.HEADER);
        if (header == null) {
            return "no signature";
        }
        var signature = RecordSignature.parse(header);
        if (signature == null) {
            return "malformed signature";
        }
        keys.requireKeyOf(owner);
        var key = keys.find(owner, signature.keyId());
        if (key == null) {
            return "the key is not one of " + owner;
        }
        byte[] root;
        try {
            root = signature.root(record);
        } catch (IllegalArgumentException e) {
            return "malformed signature";
        }
        var batch = new VerifiedBatch(signature.keyId(), HexFormat.of().formatHex(root));
        if (verifiedBatches.containsKey(batch)) {
            return null;
        }
        if (!signature.isValid(root, key)) {
            return "wrong signature";
        }
        verifiedBatches.put(batch, true);
        if (verifiedBatches.size() > MAX_CACHED_BATCHES) {
            var oldest = verifiedBatches.keySet().iterator();
            oldest.next();
            oldest.remove();
        }
        return null;
    }
}
