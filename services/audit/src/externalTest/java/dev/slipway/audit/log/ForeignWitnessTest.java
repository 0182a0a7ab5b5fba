package dev.slipway.audit.log;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.slipway.audit.log.WitnessClient.WitnessResponse;
import dev.slipway.audit.log.domain.Hash;
import dev.slipway.audit.log.domain.NoteKey;
import dev.slipway.audit.log.domain.Witness;
import io.vertx.core.Vertx;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.StreamSupport;

import static dev.slipway.audit.log.AuditLogFixture.LOG;
import static dev.slipway.audit.log.AuditLogFixture.ORG;
import static dev.slipway.audit.log.AuditLogFixture.await;
import static dev.slipway.audit.log.AuditLogFixture.records;
import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** Lets a witness that is not ours cosign a log, which it must refuse once the log is rewritten. Needs sigsum-witness (package sigsum-go). */
class ForeignWitnessTest {
    /** The origin that sigsum-witness expects. */
    private static final String ORIGIN = "sigsum.org/v1/tree/{key_hash}";

    private final Vertx vertx = Vertx.vertx();
    private AuditLogFixture fixture;
    private Process process;
    private Witness witness;

    @TempDir
    private Path directory;

    @BeforeEach
    void start() throws Exception {
        fixture = new AuditLogFixture(ORIGIN);
        var logKey = fixture.keys.publicKeys(LOG).get(0);
        Files.writeString(
                directory.resolve("log.hex"),
                HexFormat.of().formatHex(Base64.getDecoder().decode(logKey.publicKey())));
        run("sigsum-key", "from-hex", "-k", "log.hex", "-o", "log.pub");
        run("sigsum-key", "generate", "-o", "witness.key");
        var name = "sigsum.org/v1/witness/" + run("sigsum-key", "to-hash", "-k", "witness.key.pub");
        run("sigsum-key", "to-vkey", "-k", "witness.key.pub", "-n", name, "-t", "cosignature/v1", "-o", "witness.vkey");
        var port = freePort();
        var builder = new ProcessBuilder(
                        "sigsum-witness",
                        "-k",
                        "witness.key",
                        "--log-key",
                        "log.pub",
                        "--state-file",
                        "witness.state",
                        "--url-prefix",
                        "w",
                        "127.0.0.1:" + port)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("witness.log").toFile());
        builder.environment().put("GODEBUG", "httpmuxgo121=0");
        process = builder.start();
        eventually(() -> {
            try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                assertThat(socket.isConnected()).isTrue();
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        });
        witness = new Witness(
                NoteKey.parse(Files.readString(directory.resolve("witness.vkey"))), "http://127.0.0.1:" + port + "/w");
    }

    @AfterEach
    void close() {
        if (process != null) {
            process.destroyForcibly();
        }
        await(vertx.close());
        fixture.close();
    }

    @Test
    void log_isCosignedWhileItGrows_andRefusedOnceItIsRewrittenOrRolledBack() {
        var cosigner = fixture.cosigner(List.of(witness));
        for (var i = 0; i < 2; i++) {
            fixture.append(records(ORG, 4));
            fixture.awaitCheckpoints();
            await(cosigner.run());
        }
        assertThat(cosignedSizes()).isEqualTo("4,8");
        var report = new ExportVerifier(fixture.keys.publicKeys(LOG), List.of(witness.key()), null)
                .verify(fixture.export(500).iterator());
        assertThat(report.fault()).isNull();
        assertThat(report.cosigners()).containsExactly(witness.key().name());

        replaceLog(12);
        assertThat(addCheckpoint(8, consistencyProof(8)).status()).isEqualTo(422);
        await(cosigner.run());
        assertThat(cosignedSizes()).isEqualTo("none");

        replaceLog(3);
        assertThat(addCheckpoint(8, List.of()).status()).isEqualTo(400);
        await(cosigner.run());
        assertThat(cosignedSizes()).isEqualTo("none");
    }

    /** Writes another history with the same key, as someone could who controls the database and the service. */
    private void replaceLog(int entries) {
        fixture.database.execute("DELETE FROM audit.log_cosignatures; DELETE FROM audit.log_checkpoints;"
                + "DELETE FROM audit.log_personal_values; DELETE FROM audit.log_entries; DELETE FROM audit.log_leaves;"
                + "DELETE FROM audit.log_nodes; DELETE FROM audit.log_heads; DELETE FROM audit.log_signed_sizes");
        fixture.append(records(ORG, entries));
        fixture.awaitCheckpoints();
    }

    private List<Hash> consistencyProof(long fromSize) {
        var proof = fixture.get(fixture.api::proveConsistency, Map.of("from_size", String.valueOf(fromSize)));
        return StreamSupport.stream(proof.path("hashes").spliterator(), false)
                .map(hash -> Hash.ofHex(hash.asText()))
                .toList();
    }

    private WitnessResponse addCheckpoint(long oldSize, List<Hash> proof) {
        var note = fixture.get(fixture.api::checkpoint, Map.of()).path("note").asText();
        return await(new WitnessClient(vertx).addCheckpoint(witness, Witness.addCheckpointBody(oldSize, proof, note)));
    }

    private String cosignedSizes() {
        return fixture.database.query(
                "SELECT coalesce(string_agg(size::text, ',' ORDER BY size), 'none') FROM audit.log_cosignatures");
    }

    private static int freePort() throws IOException {
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    @CanIgnoreReturnValue
    private String run(String... command) throws IOException, InterruptedException {
        var output = directory.resolve("output.txt");
        var tool = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        assertThat(tool.waitFor(1, TimeUnit.MINUTES)).isTrue();
        assertThat(tool.exitValue()).as("%s", Files.readString(output)).isZero();
        return Files.readString(output).strip();
    }
}
