package dev.slipway.audit.log;

import dev.slipway.audit.log.AuditEntryStore.StoredEntry;
import dev.slipway.contract.CanonicalJson;
import org.jspecify.annotations.Nullable;

import java.io.ByteArrayOutputStream;
import java.util.List;

/** Encodes the entries of a leaf tile (C2SP tlog-tiles): each is preceded by its length in two bytes. */
final class EntryBundle {
    private static final int MAX_ENTRY_BYTES = 0xffff;
    private static final int LOW_BYTE = 0xff;

    private EntryBundle() {}

    /** Returns null if an entry has expired, or is larger than the format allows. */
    static byte @Nullable [] encode(List<StoredEntry> entries) {
        var bundle = new ByteArrayOutputStream();
        for (var entry : entries) {
            var content = entry.content();
            if (content == null) {
                return null;
            }
            var leaf = CanonicalJson.bytes(content);
            if (leaf.length > MAX_ENTRY_BYTES) {
                return null;
            }
            bundle.write(leaf.length >>> Byte.SIZE);
            bundle.write(leaf.length & LOW_BYTE);
            bundle.writeBytes(leaf);
        }
        return bundle.toByteArray();
    }
}
