package dev.slipway.audit.log;

import dev.slipway.audit.log.AuditEntryStore.StoredEntry;
import dev.slipway.audit.log.AuditLogJson.CheckpointLine;
import dev.slipway.audit.log.AuditLogJson.EntryLine;
import dev.slipway.audit.log.AuditLogJson.LogLine;
import dev.slipway.audit.log.AuditLogJson.PageLine;
import dev.slipway.audit.log.AuditLogJson.TileLine;
import dev.slipway.audit.log.CheckpointStore.StoredCheckpoint;
import dev.slipway.audit.log.TreeReader.StoredTile;
import dev.slipway.audit.log.domain.LogId;
import dev.slipway.audit.log.domain.NoteKey;
import dev.slipway.contract.Json;
import dev.slipway.service.Reply;

import java.io.ByteArrayOutputStream;
import java.util.List;

/** A page of an export: lines of JSON. It ends early if it becomes too large. */
final class ExportPage {
    /** A reply is held in memory and travels over the event bus. */
    private static final int MAX_BYTES = 1 << 20;

    private final ByteArrayOutputStream lines = new ByteArrayOutputStream();

    private ExportPage() {}

    /** {@code checkpoints} and {@code tiles} are those of the entries; {@code signedSize} is the size of the newest checkpoint of the log. */
    static ExportPage of(
            LogId logId,
            String origin,
            List<NoteKey> keys,
            long from,
            List<StoredEntry> entries,
            List<StoredCheckpoint> checkpoints,
            List<StoredTile> tiles,
            long signedSize) {
        var page = new ExportPage();
        page.add(LogLine.of(logId.name(), origin, from, keys));
        var next = from;
        var signed = checkpoints.iterator();
        var checkpoint = signed.hasNext() ? signed.next() : null;
        var nextTile = 0;
        for (var entry : entries) {
            if (page.lines.size() >= MAX_BYTES) {
                break;
            }
            page.add(EntryLine.of(entry));
            next = entry.sequence() + 1;
            while (nextTile < tiles.size() && tiles.get(nextTile).tile().leaves() <= next) {
                page.add(TileLine.of(tiles.get(nextTile++)));
            }
            while (checkpoint != null && checkpoint.size() <= next) {
                page.add(CheckpointLine.of(checkpoint));
                checkpoint = signed.hasNext() ? signed.next() : null;
            }
        }
        page.add(new PageLine("page", next < signedSize && next > from ? next : null));
        return page;
    }

    Reply toReply() {
        return Reply.ofBytes(lines.toByteArray());
    }

    private void add(Record line) {
        lines.writeBytes(Json.bytes(line));
        lines.write('\n');
    }
}
