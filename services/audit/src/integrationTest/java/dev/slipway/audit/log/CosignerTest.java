package dev.slipway.audit.log;

import dev.slipway.audit.log.domain.Checkpoint;
import dev.slipway.audit.log.domain.Hash;
import dev.slipway.audit.log.domain.NoteKey;
import dev.slipway.audit.log.domain.ProofVerifier;
import dev.slipway.audit.log.domain.SignedNote;
import dev.slipway.audit.log.domain.Witness;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;

import static dev.slipway.audit.log.AuditLogFixture.LOG;
import static dev.slipway.audit.log.AuditLogFixture.ORG;
import static dev.slipway.audit.log.AuditLogFixture.await;
import static dev.slipway.audit.log.AuditLogFixture.records;
import static org.assertj.core.api.Assertions.assertThat;

class CosignerTest {
    private static final long TIME = 1_700_000_000;

    private final AuditLogFixture fixture = new AuditLogFixture();
    private final Vertx vertx = Vertx.vertx();
    private KeyPair keys;
    private NoteKey key;
    private HttpServer server;
    private Cosigner cosigner;
    private long seenSize;
    private Hash seenRoot;

    /** A witness as C2SP tlog-witness describes it, for one log. */
    @BeforeEach
    void start() throws Exception {
        keys = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
        key = new NoteKey(
                "witness.test",
                NoteKey.WITNESS,
                NoteKey.ofLog("-", keys.getPublic()).publicKey());
        server = await(vertx.createHttpServer()
                .requestHandler(request -> request.body().onSuccess(body -> {
                    var reply = addCheckpoint(body.toString());
                    var ignored =
                            request.response().setStatusCode(reply.status()).end(reply.body());
                }))
                .listen(0, "127.0.0.1"));
        cosigner = fixture.cosigner(List.of(new Witness(key, "http://127.0.0.1:" + server.actualPort())));
    }

    @AfterEach
    void close() {
        await(vertx.close());
        fixture.close();
    }

    @Test
    void checkpoint_isCosigned_andTheCosignatureIsVerifiedOffline() {
        for (var i = 0; i < 3; i++) {
            fixture.append(records(ORG, 3));
            fixture.awaitCheckpoints();
            await(cosigner.run());
        }
        assertThat(seenSize).isEqualTo(9);
        assertThat(fixture.database.query(
                        "SELECT string_agg(size::text, ',' ORDER BY size) FROM audit.log_cosignatures"))
                .isEqualTo("3,6,9");
        var export = fixture.export(500);
        var report = new ExportVerifier(fixture.keys.publicKeys(LOG), List.of(key), null).verify(export.iterator());
        assertThat(report.fault()).isNull();
        assertThat(report.cosigners()).containsExactly("witness.test");
        var stranger = new NoteKey("stranger.test", NoteKey.WITNESS, key.publicKey());
        assertThat(new ExportVerifier(List.of(), List.of(stranger), null)
                        .verify(export.iterator())
                        .fault())
                .isNotNull();
    }

    @Test
    void cosigner_continuesFromTheSizeThatTheWitnessHasSeen() {
        fixture.append(records(ORG, 4));
        fixture.awaitCheckpoints();
        await(cosigner.run());
        fixture.database.execute("DELETE FROM audit.log_cosignatures");
        fixture.append(records(ORG, 4));
        fixture.awaitCheckpoints();
        await(cosigner.run());
        assertThat(fixture.database.query("SELECT string_agg(size::text, ',') FROM audit.log_cosignatures"))
                .isEqualTo("8");
    }

    @Test
    void checkpoint_isNotCosigned_whenTheWitnessHasSeenAnotherHistory() {
        fixture.append(records(ORG, 4));
        fixture.awaitCheckpoints();
        seenSize = 2;
        seenRoot = Hash.sha256(new byte[] {1});
        await(cosigner.run());
        assertThat(fixture.database.query("SELECT count(*) FROM audit.log_cosignatures"))
                .isEqualTo("0");
        seenSize = 9;
        await(cosigner.run());
        assertThat(fixture.database.query("SELECT count(*) FROM audit.log_cosignatures"))
                .isEqualTo("0");
    }

    @Test
    void cosignature_isNotStored_whenItIsForged() throws Exception {
        keys = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
        fixture.append(records(ORG, 1));
        fixture.awaitCheckpoints();
        await(cosigner.run());
        assertThat(seenSize).isEqualTo(1);
        assertThat(fixture.database.query("SELECT count(*) FROM audit.log_cosignatures"))
                .isEqualTo("0");
    }

    private WitnessClient.WitnessResponse addCheckpoint(String body) {
        var split = body.indexOf("\n\n");
        var lines = body.substring(0, split).lines().toList();
        var oldSize = Long.parseLong(lines.get(0).substring("old ".length()));
        var proof = lines.stream().skip(1).map(Hash::ofBase64).toList();
        var note = SignedNote.parse(body.substring(split + 2));
        var checkpoint = Checkpoint.parse(note.text());
        if (note.verify(fixture.keys.publicKeys(LOG)).isEmpty()) {
            return new WitnessClient.WitnessResponse(403, "");
        }
        if (oldSize != seenSize) {
            return new WitnessClient.WitnessResponse(409, seenSize + "\n");
        }
        if (seenSize > 0
                && !ProofVerifier.isConsistent(seenSize, seenRoot, checkpoint.size(), checkpoint.root(), proof)) {
            return new WitnessClient.WitnessResponse(422, "");
        }
        seenSize = checkpoint.size();
        seenRoot = checkpoint.root();
        return new WitnessClient.WitnessResponse(200, cosign(note.text()));
    }

    private String cosign(String text) {
        try {
            var signer = Signature.getInstance("Ed25519");
            signer.initSign(keys.getPrivate());
            signer.update(("cosignature/v1\ntime " + TIME + "\n" + text).getBytes(StandardCharsets.UTF_8));
            var value = ByteBuffer.allocate(4 + 8 + 64)
                    .put(HexFormat.of().parseHex(key.idHex()))
                    .putLong(TIME)
                    .put(signer.sign());
            return "— " + key.name() + " " + Base64.getEncoder().encodeToString(value.array()) + "\n";
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }
}
