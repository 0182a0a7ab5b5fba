package dev.slipway.audit.log.domain;

import org.junit.jupiter.api.Test;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class SignedNoteTest {
    /** The example of the Go package {@code sumdb/note}. */
    private static final String KEY = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";

    private static final String TEXT =
            "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n";
    private static final String NOTE = TEXT
            + "\n— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n";

    private static final Checkpoint CHECKPOINT =
            new Checkpoint("example.test/log", 17, MerkleTree.leafHash(new byte[] {1}));

    @Test
    void verify_acceptsForeignNote() {
        var key = NoteKey.parse(KEY);
        var note = SignedNote.parse(NOTE);

        assertThat(key.encode()).isEqualTo(KEY);
        assertThat(note.text()).isEqualTo(TEXT);
        assertThat(note.verify(List.of(key))).containsExactly(key);
        assertThat(note.encode()).isEqualTo(NOTE);
    }

    @Test
    void verify_fails_whenTextWasChanged() {
        var changed = SignedNote.parse(NOTE.replace("problem is", "Problem is"));
        assertThatThrownBy(() -> changed.verify(List.of(NoteKey.parse(KEY))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("PeterNeumann");
    }

    @Test
    void verify_acceptsEverySignature_duringRotation() throws Exception {
        var first = newKeys();
        var second = newKeys();
        var firstKey = NoteKey.ofLog(CHECKPOINT.origin(), first.getPublic());
        var secondKey = NoteKey.ofLog(CHECKPOINT.origin(), second.getPublic());
        var unknown = NoteKey.ofLog(CHECKPOINT.origin(), newKeys().getPublic());

        var signed = SignedNote.parse(new SignedNote(CHECKPOINT.text(), List.of())
                .sign(firstKey, first.getPrivate())
                .sign(secondKey, second.getPrivate())
                .encode());

        assertThat(signed.verify(List.of(firstKey, secondKey, unknown))).containsExactly(firstKey, secondKey);
        assertThat(signed.verify(List.of(unknown))).isEmpty();
        assertThat(Checkpoint.parse(signed.text())).isEqualTo(CHECKPOINT);
    }

    @Test
    void verify_fails_whenSignatureNamesTheKeyOfAnother() throws Exception {
        var keys = newKeys();
        var key = NoteKey.ofLog(CHECKPOINT.origin(), keys.getPublic());
        var forged =
                new SignedNote(CHECKPOINT.text(), List.of()).sign(key, newKeys().getPrivate());

        assertThatThrownBy(() -> forged.verify(List.of(key))).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void verify_acceptsCosignature_withItsTime() throws Exception {
        var keys = newKeys();
        var log = NoteKey.ofLog("witness.test", keys.getPublic());
        var witness = new NoteKey("witness.test", NoteKey.WITNESS, log.publicKey());
        var cosigned = cosign(witness, keys, "cosignature/v1\ntime 1700000000\n" + CHECKPOINT.text(), 1_700_000_000);
        var note = SignedNote.parse(new SignedNote(CHECKPOINT.text(), List.of(cosigned)).encode());

        assertThat(note.verify(List.of(witness))).containsExactly(witness);
        assertThat(note.signatures().get(0).cosignedAtSeconds()).isEqualTo(1_700_000_000);
        assertThat(note.verify(List.of(log))).isEmpty();
        var otherTime = cosign(witness, keys, "cosignature/v1\ntime 1700000000\n" + CHECKPOINT.text(), 1_700_000_001);
        assertThatThrownBy(() -> new SignedNote(CHECKPOINT.text(), List.of(otherTime)).verify(List.of(witness)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void parse_isRejected_whenMalformed() {
        for (var malformed : List.of(
                "",
                "text\n",
                "text\n\n",
                "text\n\nno signature\n",
                "text\n\n— name\n",
                "text\n\n— name AAAA\n",
                "text")) {
            assertThatThrownBy(() -> SignedNote.parse(malformed))
                    .as(malformed)
                    .isInstanceOf(IllegalArgumentException.class);
        }
        var root = CHECKPOINT.root().base64();
        for (var malformed :
                List.of("origin\n1\n", "origin\n01\n" + root + "\n", "origin\n-1\n" + root + "\n", "o\n1\nAA\n")) {
            assertThatThrownBy(() -> Checkpoint.parse(malformed))
                    .as(malformed)
                    .isInstanceOf(IllegalArgumentException.class);
        }
        for (var malformed : List.of(
                "name", "name+c74f20a3", KEY.replace("c74f20a3", "c74f20a4"), KEY.replace("PeterNeumann", "P N"))) {
            assertThatThrownBy(() -> NoteKey.parse(malformed))
                    .as(malformed)
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    private static KeyPair newKeys() throws Exception {
        return KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
    }

    private static NoteSignature cosign(NoteKey witness, KeyPair keys, String message, long time) throws Exception {
        var signer = Signature.getInstance("Ed25519");
        signer.initSign(keys.getPrivate());
        signer.update(message.getBytes(StandardCharsets.UTF_8));
        var value = ByteBuffer.allocate(4 + 8 + 64)
                .put(HexFormat.of().parseHex(witness.idHex()))
                .putLong(time)
                .put(signer.sign());
        return new NoteSignature(witness.name(), Base64.getEncoder().encodeToString(value.array()));
    }
}
