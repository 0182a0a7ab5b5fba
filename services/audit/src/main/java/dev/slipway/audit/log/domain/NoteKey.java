package dev.slipway.audit.log.domain;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.X509EncodedKeySpec;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * A public key that verifies notes (C2SP signed-note): an Ed25519 key with the name of its owner.
 *
 * @param type {@link #LOG} or {@link #WITNESS}
 * @param publicKey 32 bytes in Base64
 */
public record NoteKey(String name, int type, String publicKey) {
    /** A key whose signatures are over the text of the note. */
    public static final int LOG = 0x01;

    /** A key of a witness, whose cosignatures have a timestamp (C2SP tlog-cosignature). */
    public static final int WITNESS = 0x04;

    private static final byte[] X509_PREFIX = HexFormat.of().parseHex("302a300506032b6570032100");
    private static final int KEY_BYTES = 32;
    private static final Pattern NAME = Pattern.compile("[^\\s+]+");

    public NoteKey {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException("a key name has no spaces and no plus sign: " + name);
        }
        if (type != LOG && type != WITNESS) {
            throw new IllegalArgumentException("unknown key type " + type);
        }
        if (Base64.getDecoder().decode(publicKey).length != KEY_BYTES) {
            throw new IllegalArgumentException("an Ed25519 public key has 32 bytes");
        }
    }

    /** Creates the key of a log. Throws an {@link IllegalArgumentException} if the public key is not an Ed25519 key. */
    public static NoteKey ofLog(String name, PublicKey key) {
        var encoded = key.getEncoded();
        if (encoded.length != X509_PREFIX.length + KEY_BYTES
                || !Arrays.equals(encoded, 0, X509_PREFIX.length, X509_PREFIX, 0, X509_PREFIX.length)) {
            throw new IllegalArgumentException("not an Ed25519 key: " + key.getAlgorithm());
        }
        var raw = Arrays.copyOfRange(encoded, X509_PREFIX.length, encoded.length);
        return new NoteKey(name, LOG, Base64.getEncoder().encodeToString(raw));
    }

    /** Parses {@link #encode}. Throws an {@link IllegalArgumentException} if the text is not a verifier key. */
    public static NoteKey parse(String text) {
        var parts = text.strip().split("\\+", 3);
        if (parts.length != 3) {
            throw new IllegalArgumentException("not a verifier key: " + text);
        }
        var typed = Base64.getDecoder().decode(parts[2]);
        if (typed.length != KEY_BYTES + 1) {
            throw new IllegalArgumentException("not an Ed25519 verifier key: " + text);
        }
        var raw = Base64.getEncoder().encodeToString(Arrays.copyOfRange(typed, 1, typed.length));
        var key = new NoteKey(parts[0], typed[0], raw);
        if (!key.idHex().equals(parts[1].toLowerCase(Locale.ROOT))) {
            throw new IllegalArgumentException("the key id " + parts[1] + " does not match the key of " + parts[0]);
        }
        return key;
    }

    /** Returns the verifier key: name, key id and key. */
    public String encode() {
        return name + "+" + idHex() + "+" + Base64.getEncoder().encodeToString(typedKey());
    }

    /** Returns the key id: the first four bytes of the hash of name, type and key. */
    public String idHex() {
        return Hash.sha256((name + "\n").getBytes(StandardCharsets.UTF_8), typedKey())
                .hex()
                .substring(0, 2 * NoteSignature.KEY_ID_BYTES);
    }

    /** Returns the hash of the public key, in hexadecimal. */
    public String keyHash() {
        return Hash.sha256(raw()).hex();
    }

    /** Returns whether the signature claims to be made with this key. */
    public boolean isNamedBy(NoteSignature signature) {
        return signature.name().equals(name) && signature.keyIdHex().equals(idHex());
    }

    /** Returns whether the signature names this key and is valid for the text. */
    public boolean verifies(String noteText, NoteSignature signature) {
        var message = isNamedBy(signature) ? message(noteText, signature) : null;
        return message != null && verify(message, signature.signatureBytes(type));
    }

    private byte @Nullable [] message(String noteText, NoteSignature signature) {
        if (type == LOG) {
            return noteText.getBytes(StandardCharsets.UTF_8);
        }
        var time = signature.cosignedAtSeconds();
        return time < 0 ? null : ("cosignature/v1\ntime " + time + "\n" + noteText).getBytes(StandardCharsets.UTF_8);
    }

    private boolean verify(byte[] message, byte[] signatureBytes) {
        try {
            var encoded = Arrays.copyOf(X509_PREFIX, X509_PREFIX.length + KEY_BYTES);
            System.arraycopy(raw(), 0, encoded, X509_PREFIX.length, KEY_BYTES);
            var verifier = Signature.getInstance("Ed25519");
            verifier.initVerify(KeyFactory.getInstance("Ed25519").generatePublic(new X509EncodedKeySpec(encoded)));
            verifier.update(message);
            return verifier.verify(signatureBytes);
        } catch (GeneralSecurityException e) {
            return false; // a malformed signature or key
        }
    }

    private byte[] raw() {
        return Base64.getDecoder().decode(publicKey);
    }

    private byte[] typedKey() {
        var typed = new byte[KEY_BYTES + 1];
        typed[0] = (byte) type;
        System.arraycopy(raw(), 0, typed, 1, KEY_BYTES);
        return typed;
    }
}
