package dev.slipway.audit.log;

import dev.slipway.audit.log.domain.Checkpoint;
import dev.slipway.audit.log.domain.Frontier;
import dev.slipway.audit.log.domain.Hash;
import dev.slipway.audit.log.domain.SignedNote;
import dev.slipway.contract.Ids;
import dev.slipway.messaging.KafkaSender;
import dev.slipway.messaging.KafkaSender.OutgoingRecord;
import dev.slipway.messaging.Topics;
import dev.slipway.service.KeyCipher;
import dev.slipway.testkit.ChildProcess;
import dev.slipway.testkit.FreshDatabase;
import dev.slipway.testkit.ShortLivedJvm;
import dev.slipway.testkit.TestInfrastructure;
import io.vertx.core.Vertx;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;

import static dev.slipway.audit.log.AuditLogFixture.await;
import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** Sends audit records while the audit service is killed and started again, and checks that the logs have every record once, in order. */
final class KillScenario implements AutoCloseable {
    private static final int BATCH = 500;
    private static final int HEAP_MIB = 256;

    private final FreshDatabase database = FreshDatabase.create();
    private final Vertx vertx = Vertx.vertx();
    private final String topicPrefix = "kill-" + UUID.randomUUID().toString().substring(0, 8) + ".";
    private final String encryptionKey = KeyCipher.generateKey();
    private final Path directory;
    private final List<UUID> organizations;
    private final Map<UUID, List<String>> sent = new HashMap<>();
    private ChildProcess process;

    KillScenario(Path directory, int organizations) {
        this.directory = directory;
        this.organizations =
                IntStream.range(0, organizations).mapToObj(i -> Ids.next()).toList();
        start();
    }

    private void start() {
        var command = new ArrayList<>(ShortLivedJvm.command(HEAP_MIB));
        command.addAll(List.of(
                AuditServiceMain.class.getName(),
                TestInfrastructure.shared().kafkaBootstrap(),
                topicPrefix,
                database.url(),
                encryptionKey,
                directory.toString()));
        process = new ChildProcess(directory, Map.of(), command);
    }

    /** Every tenth record is sent twice. The service is killed whenever a further part of the records is in the logs. */
    void run(int entries, int kills) {
        eventually(() -> assertThat(database.query("SELECT count(*) FROM audit.log_keys"))
                .isEqualTo("1"));
        send(entries);
        for (var kill = 1; kill <= kills; kill++) {
            var reached = (long) entries * kill / (kills + 1);
            eventually(() -> assertThat(appended()).isGreaterThanOrEqualTo(reached));
            process.kill();
            start();
        }
        eventually(() -> assertThat(appended()).isGreaterThanOrEqualTo(entries));
        eventually(() -> assertThat(database.query("SELECT NOT EXISTS (SELECT FROM audit.log_unsigned_heads)"))
                .isEqualTo("t"));
        organizations.forEach(this::verify);
    }

    private void send(int entries) {
        var sender = new KafkaSender(
                vertx, AuditServiceMain.kafka(TestInfrastructure.shared().kafkaBootstrap(), topicPrefix, directory));
        var batch = new ArrayList<OutgoingRecord>();
        for (var i = 0; i < entries; i++) {
            var orgId = organizations.get(i % organizations.size());
            var event = AuditLogFixture.event(orgId, "target-" + i);
            var record = new OutgoingRecord(
                    Topics.AUDIT_EVENTS,
                    orgId.toString(),
                    event.envelope().toBytes(),
                    event.record().headers());
            sent.computeIfAbsent(orgId, ignored -> new ArrayList<>())
                    .add(event.envelope().eventId().toString());
            batch.add(record);
            if (i % 10 == 0) {
                batch.add(record);
            }
            if (batch.size() >= BATCH || i == entries - 1) {
                await(sender.send(List.copyOf(batch)));
                batch.clear();
            }
        }
        await(sender.close());
    }

    private long appended() {
        return Long.parseLong(database.query("SELECT coalesce(sum(size), 0) FROM audit.log_heads"));
    }

    /** The leaves are the sent records in their order, and every checkpoint has the root of the leaves before it. */
    private void verify(UUID orgId) {
        var ids = database.query(
                "SELECT string_agg(event_id::text, ',' ORDER BY sequence) FROM audit.log_leaves WHERE log_id = '"
                        + orgId + "'");
        assertThat(ids.split(",", -1)).as("the log of %s", orgId).containsExactlyElementsOf(sent.get(orgId));
        assertThat(database.query("SELECT max(sequence) + 1 FROM audit.log_leaves WHERE log_id = '" + orgId + "'"))
                .isEqualTo(String.valueOf(sent.get(orgId).size()));
        var hashes = database.query(
                        "SELECT string_agg(encode(leaf_hash, 'hex'), ',' ORDER BY sequence) FROM audit.log_leaves WHERE log_id = '"
                                + orgId + "'")
                .split(",", -1);
        var notes = database.query(
                        "SELECT string_agg(note, '@@' ORDER BY size) FROM audit.log_checkpoints WHERE log_id = '"
                                + orgId + "'")
                .split("@@", -1);
        var tree = Frontier.EMPTY;
        for (var note : notes) {
            var checkpoint = Checkpoint.parse(SignedNote.parse(note).text());
            while (tree.size() < checkpoint.size()) {
                tree = tree.append(Hash.ofHex(hashes[(int) tree.size()]));
            }
            assertThat(tree.root())
                    .as("checkpoint of %s at %s", orgId, checkpoint.size())
                    .isEqualTo(checkpoint.root());
        }
        assertThat(tree.size()).isEqualTo(sent.get(orgId).size());
    }

    @Override
    public void close() {
        process.close();
        await(vertx.close());
        database.close();
    }
}
