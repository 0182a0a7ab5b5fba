package dev.slipway.audit.log;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.audit.log.domain.Checkpoint;
import dev.slipway.audit.log.domain.Hash;
import dev.slipway.audit.log.domain.NoteKey;
import dev.slipway.audit.log.domain.ProofVerifier;
import dev.slipway.audit.log.domain.SignedNote;
import dev.slipway.messaging.InboxConsumer.ReceivedEvent;
import dev.slipway.service.KeyCipher;
import io.vertx.core.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.StreamSupport;

import static dev.slipway.audit.log.AuditLogFixture.LOG;
import static dev.slipway.audit.log.AuditLogFixture.ORG;
import static dev.slipway.audit.log.AuditLogFixture.await;
import static dev.slipway.audit.log.AuditLogFixture.records;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class AuditLogTest {
    private final AuditLogFixture fixture = new AuditLogFixture();

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    void append_ignoresRecord_whenItIsDeliveredAgain() {
        var events = records(ORG, 5);
        fixture.append(events);
        fixture.append(List.of(events.get(4), events.get(4), AuditLogFixture.event(ORG, "next"), events.get(0)));

        assertThat(fixture.database.query(
                        "SELECT string_agg(sequence::text, ',' ORDER BY sequence) FROM audit.log_leaves"))
                .isEqualTo("0,1,2,3,4,5");
        assertThat(fixture.get(fixture.api::list, Map.of()).path("items"))
                .extracting(item -> item.path("target_id").asText())
                .startsWith("next", "target-4", "target-3");
    }

    @Test
    void append_hasNoGapsAndNoDuplicates_whenProcessesAppendTheSameRecords() {
        var orgs = List.of(ORG, UUID.randomUUID(), UUID.randomUUID());
        var batches = new ArrayList<List<ReceivedEvent>>();
        for (var i = 0; i < 20; i++) {
            var batch = new ArrayList<ReceivedEvent>();
            orgs.forEach(org -> batch.addAll(records(org, 3)));
            batches.add(batch);
            batches.add(List.copyOf(batch.subList(i % 9, 9)));
        }
        await(Future.all(batches.stream().map(fixture::appendAsync).toList()));

        assertThat(
                        fixture.database.query(
                                "SELECT string_agg(DISTINCT counted, ';') FROM (SELECT count(*) || ','"
                                        + " || min(sequence) || ',' || max(sequence) AS counted FROM audit.log_leaves GROUP BY log_id) AS c"))
                .isEqualTo("60,0,59");
        assertThat(verify(fixture.export(500), List.of(), null).fault()).isNull();
    }

    @Test
    void proofs_areValid_acrossTiles() {
        fixture.append(records(ORG, 300));
        fixture.awaitCheckpoints();
        var checkpoint = fixture.get(fixture.api::checkpoint, Map.of());
        var root = Hash.ofHex(checkpoint.path("root_hash").asText());
        fixture.append(records(ORG, 290));
        fixture.awaitCheckpoints();

        for (var sequence : List.of(0, 1, 255, 256, 299, 511, 512, 589)) {
            var proof = fixture.get(fixture.api::proveInclusion, Map.of("sequence", String.valueOf(sequence)));
            assertThat(ProofVerifier.isIncluded(
                            Hash.ofHex(proof.path("leaf_hash").asText()),
                            sequence,
                            590,
                            hashes(proof),
                            Hash.ofHex(proof.path("root_hash").asText())))
                    .as("%s", sequence)
                    .isTrue();
        }
        var proof = fixture.get(fixture.api::proveConsistency, Map.of("from_size", "300"));
        assertThat(proof.path("from_root_hash").asText()).isEqualTo(root.hex());
        assertThat(ProofVerifier.isConsistent(
                        300, root, 590, Hash.ofHex(proof.path("root_hash").asText()), hashes(proof)))
                .isTrue();
        assertThat(fixture.get(fixture.api::checkpoint, Map.of()).path("root_hash"))
                .isEqualTo(proof.path("root_hash"));
    }

    /** Each append asks for a checkpoint soon. That must not postpone the checkpoint that is due already. */
    @Test
    void checkpoint_isSigned_whileAppendsContinue() {
        fixture.append(records(ORG, 1));
        for (var appended = 1; isUnsigned(); appended++) {
            assertThat(appended).as("appends without a checkpoint").isLessThan(2_000);
            fixture.append(records(ORG, 1));
        }
    }

    private boolean isUnsigned() {
        return fixture.database
                .query("SELECT count(*) FROM audit.log_checkpoints")
                .equals("0");
    }

    @Test
    void checkpoint_isSignedWithBothKeys_whileTheyOverlap() {
        fixture.append(records(ORG, 1));
        var first = signers();
        fixture.advance(AuditLogFixture.ROTATION);
        fixture.append(records(ORG, 1));
        var both = signers();
        fixture.advance(AuditLogFixture.OVERLAP);
        fixture.append(records(ORG, 1));
        var second = signers();

        assertThat(first).hasSize(1);
        assertThat(both).hasSize(2).containsAll(first).containsAll(second);
        assertThat(second).hasSize(1).doesNotContainAnyElementsOf(first);
        assertThat(fixture.database.query("SELECT count(*) FROM audit.outbox WHERE convert_from(value, 'UTF8')::jsonb"
                        + " #>> '{payload,action}' = 'audit.key.rotate'"))
                .isEqualTo("2");
        assertThat(verify(fixture.export(500), List.of(), null).fault()).isNull();
    }

    @Test
    void checkpoint_isSignedWithNewKey_whenEncryptionKeyIsLost() {
        fixture.append(records(ORG, 2));
        fixture.awaitCheckpoints();
        var other = new AuditLogFixture(fixture.database, KeyCipher.generateKey());
        assertThat(other.keys.publicKeys(LOG)).hasSize(2);
        other.stop();
    }

    @Test
    void personalValues_areDeletable_withoutChangingTheTree() {
        fixture.append(records(ORG, 3));
        var before = fixture.get(fixture.api::list, Map.of("limit", "1"))
                .path("items")
                .get(0);
        assertThat(before.at("/actor/display_name").asText()).isEqualTo("Ada Lovelace");
        assertThat(before.at("/metadata/email").asText()).isEqualTo("ada@example.test");
        assertThat(fixture.database.query("SELECT count(*) FROM audit.log_entries WHERE content::text ~ 'Ada|ada@'"))
                .isEqualTo("0");

        fixture.redact(List.of(before.path("id").asText()));

        var after = fixture.get(fixture.api::list, Map.of("target", "target-2"))
                .path("items")
                .get(0);
        assertThat(after.at("/actor/display_name").isNull()).isTrue();
        assertThat(after.at("/metadata/email").isNull()).isTrue();
        assertThat(after.path("redacted").asBoolean()).isTrue();
        assertThat(after.path("leaf_hash")).isEqualTo(before.path("leaf_hash"));
        var report = verify(fixture.export(500), List.of(), null);
        assertThat(report.fault()).isNull();
        assertThat(report.redacted()).isEqualTo(1);
    }

    @Test
    void list_returnsOnlyMatchingEntries() {
        fixture.append(records(ORG, 5));
        fixture.append(records(UUID.randomUUID(), 5));
        assertThat(fixture.get(fixture.api::list, Map.of()).path("items")).hasSize(5);
        assertThat(fixture.get(fixture.api::list, Map.of("target", "target-3")).path("items"))
                .hasSize(1);
        assertThat(fixture.get(fixture.api::list, Map.of("action", "apps.instance.delete"))
                        .path("items"))
                .isEmpty();
        assertThat(fixture.get(fixture.api::list, Map.of("result", "success", "correlation_id", "correlation"))
                        .path("items"))
                .hasSize(5);
        assertThat(fixture.get(fixture.api::list, Map.of("until", "2020-01-01T00:00:00Z"))
                        .path("items"))
                .isEmpty();
        var seen = new ArrayList<String>();
        var query = Map.of("limit", "2");
        for (var cursor = "start"; !cursor.isEmpty(); ) {
            var page = fixture.get(fixture.api::list, query);
            page.path("items").forEach(item -> seen.add(item.path("target_id").asText()));
            cursor = page.path("next_cursor").asText("");
            query = Map.of("limit", "2", "cursor", cursor);
        }
        assertThat(seen).containsExactly("target-4", "target-3", "target-2", "target-1", "target-0");
    }

    @Test
    void runtimeRole_cannotChangeTheLog() {
        fixture.append(records(ORG, 1));
        fixture.awaitCheckpoints();
        for (var statement : List.of(
                "UPDATE audit.log_leaves SET leaf_hash = leaf_hash",
                "DELETE FROM audit.log_leaves",
                "UPDATE audit.log_nodes SET hash = hash",
                "DELETE FROM audit.log_nodes",
                "UPDATE audit.log_entries SET content = content",
                "UPDATE audit.log_entries_default SET content = content",
                "TRUNCATE audit.log_entries",
                "UPDATE audit.log_personal_values SET values = values",
                "DELETE FROM audit.log_checkpoints",
                "UPDATE audit.log_checkpoints SET note = note",
                "DELETE FROM audit.log_heads",
                "DELETE FROM audit.log_keys")) {
            assertThatThrownBy(() -> fixture.database.execute("SET ROLE slipway_audit; " + statement))
                    .as(statement)
                    .hasStackTraceContaining("permission denied");
        }
        assertThat(fixture.database.query(
                        "SELECT count(*) FROM pg_inherits WHERE inhparent = 'audit.log_entries'::regclass"))
                .isEqualTo("3");
    }

    private List<String> signers() {
        fixture.awaitCheckpoints();
        var checkpoint = fixture.get(fixture.api::checkpoint, Map.of());
        var note = SignedNote.parse(checkpoint.path("note").asText());
        var keys = StreamSupport.stream(checkpoint.path("keys").spliterator(), false)
                .map(key -> NoteKey.parse(key.asText()))
                .toList();
        assertThat(Checkpoint.parse(note.text()).origin()).isEqualTo("slipway.local/audit/" + ORG);
        return note.verify(keys).stream().map(NoteKey::encode).toList();
    }

    static ExportVerifier.Report verify(List<String> export, List<NoteKey> keys, SignedNote saved) {
        return new ExportVerifier(keys, List.of(), saved).verify(export.iterator());
    }

    private static List<Hash> hashes(JsonNode proof) {
        return StreamSupport.stream(proof.path("hashes").spliterator(), false)
                .map(hash -> Hash.ofHex(hash.asText()))
                .toList();
    }
}
