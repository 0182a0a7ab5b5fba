package dev.slipway.audit.evidence;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.slipway.audit.evidence.EvidenceStore.EvidenceRow;
import dev.slipway.audit.evidence.ingest.EvidenceContent;
import dev.slipway.contract.Json;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.nio.charset.StandardCharsets;

/** Stores and reads the content of evidence: small content is in its row, larger content in the object store. */
final class EvidenceContents {
    private static final Logger LOG = LoggerFactory.getLogger(EvidenceContents.class);

    private final ObjectStore objects;

    EvidenceContents(ObjectStore objects) {
        this.objects = objects;
    }

    /** Stores content that is too large for its row. Call it before the transaction that records the evidence. */
    Future<Void> store(@Nullable EvidenceContent content) {
        return content == null || content.bytes().length <= EvidenceRecorder.MAX_INLINE_BYTES
                ? Future.succeededFuture()
                : objects.put(content.digest(), content.bytes());
    }

    /** Returns the content as JSON, or as a string if it is XML; null if there is none or none any more. Fails if it was changed. */
    Future<@Nullable JsonNode> read(EvidenceRow row) {
        return readBytes(row).map(bytes -> {
            if (bytes == null) {
                return null;
            }
            return row.evidence().format().equals("junit")
                    ? TextNode.valueOf(new String(bytes, StandardCharsets.UTF_8))
                    : Json.parseTrusted(bytes);
        });
    }

    /** Returns whether the content is there and matches its digest, or was deleted at the end of its retention. */
    Future<Boolean> verify(EvidenceRow row) {
        return readBytes(row).map(bytes -> true).otherwise(failure -> {
            LOG.atWarn()
                    .addKeyValue("evidence_id", row.evidence().id())
                    .setCause(failure)
                    .log("content of evidence cannot be verified");
            return false;
        });
    }

    Future<Void> delete(String digest) {
        return objects.delete(digest);
    }

    private Future<byte @Nullable []> readBytes(EvidenceRow row) {
        var digest = row.evidence().contentDigest();
        var inline = row.content();
        if (digest == null || row.evidence().contentDeletedAt() != null) {
            return Future.succeededFuture();
        }
        if (inline == null) {
            return objects.get(digest);
        }
        return EvidenceContent.digest(inline).equals(digest)
                ? Future.succeededFuture(inline)
                : Future.failedFuture(new IllegalStateException(
                        "the content of evidence " + row.evidence().id() + " was changed"));
    }
}
