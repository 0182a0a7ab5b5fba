package dev.slipway.audit.log;

import dev.slipway.audit.log.ExportVerifier.Fault;
import dev.slipway.audit.log.domain.Checkpoint;
import dev.slipway.audit.log.domain.Frontier;
import dev.slipway.audit.log.domain.Hash;
import dev.slipway.audit.log.domain.NoteKey;
import dev.slipway.audit.log.domain.SignedNote;
import dev.slipway.contract.Json;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.security.KeyPairGenerator;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import static dev.slipway.audit.log.AuditLogFixture.LOG;
import static dev.slipway.audit.log.AuditLogFixture.ORG;
import static dev.slipway.audit.log.AuditLogFixture.records;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Tests that every change of a log is detected offline, with its position. The log has 12 entries; checkpoints are after 4, 8 and 12. */
class TamperingTest {
    private static final int ENTRIES = 12;
    private static final int CHANGED = 5;

    /** The tables of a log, with the columns that are not generated. */
    private static final Map<String, String> TABLES = Map.of(
            "log_heads", "log_id, size, roots",
            "log_signed_sizes", "log_id, size",
            "log_leaves", "log_id, sequence, event_id, leaf_hash",
            "log_nodes", "log_id, level, index, hash",
            "log_entries", "log_id, sequence, recorded_at, content",
            "log_personal_values", "log_id, sequence, values",
            "log_checkpoints", "log_id, size, root_hash, note, signed_at");

    private static AuditLogFixture fixture;
    private static List<NoteKey> keys = List.of();
    private static SignedNote saved;

    /** Generates one log for all tests: each changes it in its own way, and {@link #restore} undoes that. */
    @BeforeAll
    static void fill() {
        fixture = new AuditLogFixture();
        for (var i = 0; i < 3; i++) {
            fixture.append(records(ORG, 4));
            fixture.awaitCheckpoints();
        }
        keys = fixture.keys.publicKeys(LOG);
        saved = SignedNote.parse(
                fixture.get(fixture.api::checkpoint, Map.of()).path("note").asText());
        TABLES.forEach((table, columns) -> fixture.database.execute(
                "CREATE TABLE public.saved_" + table + " AS SELECT " + columns + " FROM audit." + table));
    }

    @BeforeEach
    void assertIntact() {
        var report = AuditLogTest.verify(fixture.export(5), keys, saved);
        assertThat(report.fault()).isNull();
        assertThat(report.entries()).isEqualTo(ENTRIES);
        assertThat(report.checkpoints()).isEqualTo(3);
    }

    @AfterEach
    void restore() {
        fixture.awaitCheckpoints(); // so that the signer writes nothing meanwhile
        var statements = new StringBuilder();
        TABLES.forEach((table, columns) -> statements.append(
                "DELETE FROM audit.%1$s; INSERT INTO audit.%1$s (%2$s) SELECT %2$s FROM public.saved_%1$s;"
                        .formatted(table, columns)));
        fixture.database.execute(statements.toString());
    }

    @AfterAll
    static void close() {
        fixture.close();
    }

    /** The query columns are generated from the content, so PostgreSQL itself rejects a change of only those. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "log_entries SET content = jsonb_set(content, '{action}', '\"apps.instance.delete\"')",
                "log_entries SET content = jsonb_set(content, '{actor,display_name}', '\"sha256:00\"')",
                "log_entries SET content = jsonb_set(content, '{metadata,count}', '8')",
                "log_entries SET content = content || '{\"extra\": true}'",
                "log_entries SET content = content - 'reason'",
                "log_entries SET recorded_at = recorded_at - interval '1 second'",
                "log_leaves SET event_id = gen_random_uuid()",
                "log_leaves SET leaf_hash = sha256('other')",
                "log_personal_values SET values = jsonb_set(values, '{/actor/display_name,value}', '\"Eve\"')",
                "log_personal_values SET values = jsonb_set(values, '{/actor/display_name,salt}', '\"AAAA\"')",
                "log_personal_values SET values = values || '{\"/actor/other\": {\"salt\": \"\", \"value\": \"\"}}'",
            })
    void changedColumn_isDetected(String change) {
        fixture.database.execute("UPDATE audit." + change + " WHERE sequence = " + CHANGED);
        assertThat(fault().sequence()).isEqualTo(CHANGED);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "event_id",
                "project_id",
                "actor_id",
                "action",
                "target_id",
                "result",
                "correlation_id",
                "retention_class"
            })
    void generatedColumn_cannotBeChanged(String column) {
        assertThatThrownBy(() -> fixture.database.execute("UPDATE audit.log_entries SET " + column + " = NULL"))
                .hasStackTraceContaining("can only be updated to DEFAULT");
    }

    @Test
    void contentAndHash_areDetected_whenChangedTogether() {
        var content = fixture.database.query("SELECT content FROM audit.log_entries WHERE sequence = " + CHANGED);
        var changed = Json.parseStoredObject(content).put("target_id", "other");
        fixture.database.execute("UPDATE audit.log_entries SET content = '" + Json.text(changed) + "' WHERE sequence = "
                + CHANGED + "; UPDATE audit.log_leaves SET leaf_hash = '\\x"
                + EntryContent.leafHash(changed).hex() + "' WHERE sequence = " + CHANGED);
        var fault = fault();
        assertThat(fault.sequence()).isEqualTo(4);
        assertThat(fault.problem()).contains("entries 4 to 7 are not those that were signed");
    }

    @Test
    void removedEntry_isDetected() {
        fixture.database.execute("DELETE FROM audit.log_leaves WHERE sequence = " + CHANGED);
        assertThat(fault().sequence()).isEqualTo(CHANGED);
        fixture.database.execute("UPDATE audit.log_leaves SET sequence = sequence - 1 WHERE sequence > " + CHANGED);
        assertThat(fault().sequence()).isEqualTo(CHANGED);
    }

    @Test
    void insertedEntry_isDetected() {
        var lines = new ArrayList<>(fixture.export(500));
        lines.add(CHANGED + 2, lines.get(CHANGED + 1));
        assertThat(fault(lines).sequence()).isEqualTo(CHANGED);
    }

    @Test
    void swappedEntries_areDetected() {
        fixture.database.execute("UPDATE audit.log_leaves SET sequence = -1 - sequence + 100 WHERE sequence IN (5, 6);"
                + "UPDATE audit.log_leaves SET sequence = CASE sequence WHEN 94 THEN 6 ELSE 5 END WHERE sequence > 90");
        assertThat(fault().sequence()).isEqualTo(CHANGED);
    }

    @Test
    void changedTile_isDetected() {
        var lines = new ArrayList<>(fixture.export(500));
        var tile = lines.stream()
                .filter(line -> line.contains("\"tile\""))
                .findFirst()
                .orElseThrow();
        lines.replaceAll(line -> line.equals(tile) ? line.replace(".p/12", ".p/11") : line);
        var fault = fault(lines);
        assertThat(fault.sequence()).isEqualTo(ENTRIES);
        assertThat(fault.problem()).contains("tile/0/000.p/11 is not the tile of the entries before it");
    }

    @Test
    void truncatedExport_isDetected() {
        var lines = fixture.export(500);
        var withoutLastCheckpoint = lines.subList(0, lines.size() - 2);
        assertThat(fault(withoutLastCheckpoint).problem()).contains("no checkpoint covers the entries from 8");
        assertThat(fault(withoutLastCheckpoint).sequence()).isEqualTo(8);
        var untilSecondCheckpoint = lines.subList(0, 1 + 8 + 2);
        var fault = fault(untilSecondCheckpoint);
        assertThat(fault.sequence()).isEqualTo(8);
        assertThat(fault.problem()).contains("entries were removed");
    }

    @Test
    void deletedPersonalValues_areDetected_whenNoRedactionIsRecorded() {
        fixture.database.execute("DELETE FROM audit.log_personal_values WHERE sequence = " + CHANGED);
        assertThat(fault().sequence()).isEqualTo(CHANGED);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "note = replace(note, E'\\n8\\n', E'\\n9\\n')",
                "note = regexp_replace(note, '(— \\S+ \\S{20})\\S', '\\1x')",
                "root_hash = sha256('other')",
                "size = 7",
                "note = 'not a note'",
            })
    void changedCheckpoint_isDetected(String change) {
        fixture.database.execute("UPDATE audit.log_checkpoints SET " + change + " WHERE size = 8");
        assertThat(fault().sequence()).isBetween(7L, 8L);
    }

    @Test
    void forgedCheckpoint_isDetected_whenItIsSignedWithAnotherKey() throws Exception {
        var forger = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
        var checkpoint = Checkpoint.parse(saved.text());
        var forged = new SignedNote(checkpoint.text(), List.of())
                .sign(NoteKey.ofLog(checkpoint.origin(), forger.getPublic()), forger.getPrivate());
        fixture.database.execute(
                "UPDATE audit.log_checkpoints SET note = '" + forged.encode() + "' WHERE size = " + ENTRIES);
        var fault = fault();
        assertThat(fault.sequence()).isEqualTo(ENTRIES);
        assertThat(fault.problem()).contains("no signature of a known key");
    }

    /** The service signs whatever its database says, so only a checkpoint that was saved outside shows this. */
    @Test
    void restoredDatabase_isDetected_withSavedCheckpoint() {
        fixture.database.execute(
                "DELETE FROM audit.log_leaves WHERE sequence >= 8; DELETE FROM audit.log_entries WHERE sequence >= 8;"
                        + "DELETE FROM audit.log_personal_values WHERE sequence >= 8;"
                        + "DELETE FROM audit.log_checkpoints WHERE size > 8;"
                        + "UPDATE audit.log_heads SET (size, roots) = (0, '')");
        rebuildHead();
        assertThat(fault().sequence()).isEqualTo(8);

        fixture.append(records(ORG, 6));
        var fault = fault();
        assertThat(fault.problem()).contains("the first 12 entries are not those of the saved checkpoint");
        assertThat(AuditLogTest.verify(fixture.export(500), keys, null).fault()).isNull();
    }

    /** Computes the state that a database of that time would have had. */
    private void rebuildHead() {
        var tree = Frontier.EMPTY;
        for (var i = 0; i < 8; i++) {
            tree = tree.append(Hash.ofHex(fixture.database.query(
                    "SELECT encode(leaf_hash, 'hex') FROM audit.log_leaves WHERE sequence = " + i)));
        }
        fixture.database.execute(
                "UPDATE audit.log_signed_sizes SET size = 8; UPDATE audit.log_heads SET size = 8, roots = '\\x"
                        + HexFormat.of().formatHex(tree.encodeRoots()) + "'");
    }

    private Fault fault() {
        return fault(fixture.export(500));
    }

    private Fault fault(List<String> lines) {
        return Objects.requireNonNull(AuditLogTest.verify(lines, keys, saved).fault(), "the change was not detected");
    }
}
