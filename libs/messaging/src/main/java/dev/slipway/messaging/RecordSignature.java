package dev.slipway.messaging;

import dev.slipway.messaging.KafkaSender.OutgoingRecord;
import org.jspecify.annotations.Nullable;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;

/**
 * The signature of a record by the service that owns its topic: {@code key id.signature.path}, in a header. The signature is that of the
 * {@link BatchTree} of the records that were sent together, over topic, key and value of each.
 *
 * <p>RSA, because a process verifies every record of a state topic when it starts: verification takes a twentieth of the time of Ed25519,
 * and the slower signing happens once per batch.
 */
record RecordSignature(String keyId, byte[] signature, byte[] path) {
    static final String HEADER = "slipway-signature";
    private static final String ALGORITHM = "SHA256withRSA";
    private static final byte[] PURPOSE = "slipway-records-v1\n".getBytes(StandardCharsets.US_ASCII);
    private static final Base64.Encoder ENCODER = Base64.getUrlEncoder().withoutPadding();

    /** Returns copies of the records with their signatures. */
    static List<OutgoingRecord> sign(List<OutgoingRecord> records, String keyId, PrivateKey key) {
        var tree = new BatchTree(records.stream()
                .map(record ->
                        hash(record.topic(), record.key(), record.value() == null ? new byte[0] : record.value()))
                .toList());
        byte[] signature;
        try {
            var signer = Signature.getInstance(ALGORITHM);
            signer.initSign(key);
            signer.update(PURPOSE);
            signer.update(tree.root());
            signature = signer.sign();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("records cannot be signed", e);
        }
        var signed = new ArrayList<OutgoingRecord>(records.size());
        for (var i = 0; i < records.size(); i++) {
            var record = records.get(i);
            var headers = new HashMap<>(record.headers());
            headers.put(HEADER, new RecordSignature(keyId, signature, tree.path(i)).toText());
            signed.add(new OutgoingRecord(record.topic(), record.key(), record.value(), headers));
        }
        return signed;
    }

    /** Returns null if the text is not a signature. */
    static @Nullable RecordSignature parse(String text) {
        var parts = text.split("\\.", -1);
        if (parts.length != 3) {
            return null;
        }
        try {
            var decoder = Base64.getUrlDecoder();
            return new RecordSignature(parts[0], decoder.decode(parts[1]), decoder.decode(parts[2]));
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    private String toText() {
        return keyId + "." + ENCODER.encodeToString(signature) + "." + ENCODER.encodeToString(path);
    }

    /** Returns the root of the batch that the record belongs to. Throws IllegalArgumentException if the path is malformed. */
    byte[] root(ReceivedRecord record) {
        var key = record.key() == null ? "" : record.key();
        return BatchTree.root(hash(record.topic(), key, record.value()), path);
    }

    boolean isValid(byte[] root, PublicKey key) {
        try {
            var verifier = Signature.getInstance(ALGORITHM);
            verifier.initVerify(key);
            verifier.update(PURPOSE);
            verifier.update(root);
            return verifier.verify(signature);
        } catch (GeneralSecurityException e) {
            return false; // for example a signature of another length
        }
    }

    private static byte[] hash(String topic, String key, byte[] value) {
        var digest = BatchTree.leafDigest();
        update(digest, topic.getBytes(StandardCharsets.UTF_8));
        update(digest, key.getBytes(StandardCharsets.UTF_8));
        return digest.digest(value);
    }

    /** Adds the length first, so that two records with different fields cannot have the same content. */
    private static void update(MessageDigest digest, byte[] field) {
        digest.update(ByteBuffer.allocate(4).putInt(field.length).array());
        digest.update(field);
    }
}
