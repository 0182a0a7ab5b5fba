package dev.slipway.audit.log;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.audit.log.AuditLogJson.CheckpointLine;
import dev.slipway.audit.log.AuditLogJson.EntryLine;
import dev.slipway.audit.log.AuditLogJson.LogLine;
import dev.slipway.audit.log.AuditLogJson.PageLine;
import dev.slipway.audit.log.AuditLogJson.TileLine;
import dev.slipway.audit.log.domain.Checkpoint;
import dev.slipway.audit.log.domain.Frontier;
import dev.slipway.audit.log.domain.Hash;
import dev.slipway.audit.log.domain.NoteKey;
import dev.slipway.audit.log.domain.SignedNote;
import dev.slipway.audit.log.domain.Tile;
import dev.slipway.audit.log.domain.TileWindow;
import dev.slipway.contract.Json;
import dev.slipway.service.AuditResult;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Verifies an export of an audit log without any network: content, sequence, tree, checkpoints and cosignatures. Stops at the first fault. */
public final class ExportVerifier {
    private static final String REDACT_ACTION = "audit.log.redact";

    private final List<NoteKey> trustedKeys;
    private final List<NoteKey> witnesses;
    private final @Nullable SignedNote saved;

    private long lineNumber;
    private @Nullable LogLine log;
    private List<NoteKey> keys = List.of();
    private Frontier tree = Frontier.EMPTY;
    private final TileWindow tiles = new TileWindow();
    private @Nullable Checkpoint latest;
    private @Nullable Checkpoint expected;
    private long checkpoints;
    private long expired;
    private final Set<NoteKey> cosigners = new HashSet<>();
    private final Set<Long> withheld = new TreeSet<>();
    private final Set<Long> redacted = new HashSet<>();

    /**
     * The first fault of an export.
     *
     * @param line the line of the export; 0 if the fault concerns the export as a whole
     * @param sequence the entry at which the log stops being valid
     */
    public record Fault(long line, long sequence, String problem) {}

    /**
     * The result of a verification.
     *
     * @param expired entries whose content was deleted at the end of their retention
     * @param redacted entries whose personal values were deleted
     * @param keysAreTrusted false if the signatures were verified with the keys in the export itself
     * @param fault null if the export is valid
     */
    public record Report(
            @Nullable String origin,
            long entries,
            long checkpoints,
            long expired,
            long redacted,
            List<String> cosigners,
            boolean keysAreTrusted,
            @Nullable Fault fault) {}

    private static final class FaultException extends RuntimeException {
        private final long sequence;

        FaultException(long sequence, String problem) {
            super(problem);
            this.sequence = sequence;
        }
    }

    /**
     * Creates a verifier for one export.
     *
     * @param trustedKeys the keys of the log, from a source other than the export; if empty, those in the export are used
     * @param witnesses the keys of the witnesses, each of which must have cosigned a checkpoint of the export
     * @param saved a checkpoint from an earlier time, which must be a part of the log; null if there is none
     */
    public ExportVerifier(List<NoteKey> trustedKeys, List<NoteKey> witnesses, @Nullable SignedNote saved) {
        this.trustedKeys = List.copyOf(trustedKeys);
        this.witnesses = List.copyOf(witnesses);
        this.saved = saved;
    }

    /** Reads the lines of an export, which may consist of several pages. */
    public Report verify(Iterator<String> lines) {
        Fault fault = null;
        try {
            while (lines.hasNext()) {
                lineNumber++;
                verifyLine(lines.next());
            }
            lineNumber = 0;
            verifyEnd();
        } catch (FaultException e) {
            fault = new Fault(lineNumber, e.sequence, String.valueOf(e.getMessage()));
        } catch (IllegalArgumentException e) {
            fault = new Fault(lineNumber, tree.size(), String.valueOf(e.getMessage()));
        }
        return new Report(
                log == null ? null : log.origin(),
                tree.size(),
                checkpoints,
                expired,
                withheld.size(),
                cosigners.stream().map(NoteKey::name).sorted().toList(),
                !trustedKeys.isEmpty(),
                fault);
    }

    private void verifyLine(String line) {
        var json = parse(line);
        switch (json.path("type").asText()) {
            case "log" -> verifyHeader(Json.toRecord(json, LogLine.class));
            case "entry" -> verifyEntry(Json.toRecord(json, EntryLine.class));
            case "checkpoint" -> verifyCheckpoint(Json.toRecord(json, CheckpointLine.class));
            case "tile" -> verifyTile(Json.toRecord(json, TileLine.class));
            case "page" -> verifyPage(Json.toRecord(json, PageLine.class));
            default -> throw new IllegalArgumentException("the line is not part of an export");
        }
    }

    private static JsonNode parse(String line) {
        try {
            return Json.parseInternal(line.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new IllegalArgumentException("the line is not JSON", e);
        }
    }

    private void verifyHeader(LogLine header) {
        if (log == null) {
            log = header;
            keys = trustedKeys.isEmpty()
                    ? header.keys().stream().map(NoteKey::parse).toList()
                    : trustedKeys;
            expected = saved == null ? null : requireSigned(saved);
        }
        require(
                header.log().equals(log.log()) && header.origin().equals(log.origin()),
                "the page is of log " + header.origin() + ", not of " + log.origin());
        require(
                header.fromSequence() == tree.size(),
                "the page starts at entry " + header.fromSequence() + ", but entry " + tree.size() + " is next");
    }

    private void verifyEntry(EntryLine entry) {
        var position = tree.size();
        var header = requireHeader();
        require(
                entry.sequence() == position,
                "entry " + position + " is missing; entry " + entry.sequence() + " is in its place");
        var leafHash = Hash.ofHex(entry.leafHash());
        if (entry.content() instanceof ObjectNode content) {
            require(EntryContent.leafHash(content).equals(leafHash), "the content of the entry was changed");
            requireColumn(content, "log", header.log());
            requireColumn(content, "sequence", String.valueOf(position));
            requireColumn(content, "id", entry.id().toString());
            requireColumn(content, "recorded_at", String.valueOf(entry.recordedAt()));
            verifyPersonalValues(content, entry);
            noteRedactions(content);
        } else {
            expired++;
        }
        tree = tree.append(leafHash, tiles::addCompleted);
        tiles.addLeaf(leafHash);
        if (expected != null && expected.size() == tree.size()) {
            require(
                    expected.root().equals(tree.root()),
                    "the first " + expected.size() + " entries are not those of the saved checkpoint");
        }
    }

    private LogLine requireHeader() {
        if (log == null) {
            throw new FaultException(0, "the export has no header");
        }
        return log;
    }

    private void requireColumn(ObjectNode content, String field, String column) {
        require(
                content.path(field).asText().equals(column),
                field + " is " + column + ", but the content of the entry says "
                        + content.path(field).asText());
    }

    private void verifyPersonalValues(ObjectNode content, EntryLine entry) {
        var pointers = new HashSet<String>();
        content.path("personal").forEach(pointer -> pointers.add(pointer.asText()));
        entry.personal().forEach((pointer, value) -> {
            require(pointers.contains(pointer), "the value of " + pointer + " was added to the entry");
            require(value.hash().equals(content.at(pointer).asText()), "the value of " + pointer + " was changed");
        });
        if (entry.personal().size() < pointers.size()) {
            withheld.add(entry.sequence());
        }
    }

    private void noteRedactions(ObjectNode content) {
        if (content.path("action").asText().equals(REDACT_ACTION)
                && content.path("result").asText().equals(AuditResult.SUCCESS.text())) {
            content.at("/metadata/sequences").forEach(sequence -> redacted.add(sequence.asLong()));
        }
    }

    private void verifyCheckpoint(CheckpointLine line) {
        var from = latest == null ? 0 : latest.size();
        require(
                line.treeSize() == tree.size(),
                "the checkpoint covers " + line.treeSize() + " entries, but " + tree.size() + " precede it");
        var note = SignedNote.parse(line.note());
        var checkpoint = requireSigned(note);
        require(
                checkpoint.size() == line.treeSize()
                        && checkpoint.root().equals(Hash.ofHex(line.rootHash()))
                        && checkpoint.origin().equals(requireHeader().origin()),
                "the checkpoint was changed");
        if (!checkpoint.root().equals(tree.root())) {
            throw new FaultException(
                    from, "entries " + from + " to " + (tree.size() - 1) + " are not those that were signed");
        }
        cosigners.addAll(note.verify(witnesses));
        latest = checkpoint;
        checkpoints++;
    }

    private Checkpoint requireSigned(SignedNote note) {
        require(!note.verify(keys).isEmpty(), "the checkpoint has no signature of a known key of the log");
        return Checkpoint.parse(note.text());
    }

    private void verifyTile(TileLine line) {
        var tile = Tile.parse(line.path());
        require(
                tiles.matches(tile, Base64.getDecoder().decode(line.hashes())),
                line.path() + " is not the tile of the entries before it");
    }

    private void verifyPage(PageLine page) {
        var next = page.nextSequence();
        require(next == null || next == tree.size(), "the page ends at another entry than it says");
    }

    private void verifyEnd() {
        var ignored = requireHeader();
        if (expected != null && expected.size() > tree.size()) {
            throw new FaultException(
                    tree.size(),
                    "the log has " + tree.size() + " entries, but " + expected.size()
                            + " were signed before: entries were removed, or an older database was restored");
        }
        var signed = latest == null ? 0 : latest.size();
        if (signed != tree.size() || signed == 0) {
            throw new FaultException(signed, "no checkpoint covers the entries from " + signed);
        }
        for (var sequence : withheld) {
            // The entry of an old redaction can have expired.
            if (!redacted.contains(sequence) && expired == 0) {
                throw new FaultException(sequence, "personal values are missing, but no redaction is recorded");
            }
        }
        for (var witness : witnesses) {
            require(cosigners.contains(witness), "the witness " + witness.name() + " has cosigned no checkpoint");
        }
    }

    private void require(boolean condition, String problem) {
        if (!condition) {
            throw new FaultException(tree.size(), problem);
        }
    }
}
