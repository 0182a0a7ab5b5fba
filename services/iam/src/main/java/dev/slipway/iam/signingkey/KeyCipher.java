package dev.slipway.iam.signingkey;

import io.vertx.core.buffer.Buffer;

import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;

/** Keeps private keys from everyone who can read the database: AES-256-GCM, with a key that is in the configuration alone. */
public final class KeyCipher {
    private static final int KEY_BYTES = 32;
    private static final String TRANSFORMATION = "AES/GCM/NoPadding";
    private static final int NONCE_BYTES = 12;
    private static final int TAG_BITS = 128;
    private static final SecureRandom RANDOM = new SecureRandom();

    private final SecretKeySpec key;

    /** With a key of 32 bytes, in Base64. */
    public KeyCipher(String base64Key) {
        this.key = new SecretKeySpec(Base64.getDecoder().decode(base64Key), "AES");
    }

    public static boolean isKey(String base64Key) {
        try {
            return Base64.getDecoder().decode(base64Key).length == KEY_BYTES;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /** A new key for a cipher. */
    public static String newKey() {
        var bytes = new byte[KEY_BYTES];
        RANDOM.nextBytes(bytes);
        return Base64.getEncoder().encodeToString(bytes);
    }

    /** Encrypts a text, which opens under the same name only. */
    Buffer seal(String name, String text) {
        try {
            var nonce = new byte[NONCE_BYTES];
            RANDOM.nextBytes(nonce);
            var sealed = cipher(Cipher.ENCRYPT_MODE, nonce, name).doFinal(text.getBytes(StandardCharsets.UTF_8));
            return Buffer.buffer(nonce).appendBytes(sealed);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this JVM cannot encrypt", e);
        }
    }

    /** Throws a {@link GeneralSecurityException} if it was sealed with another key or under another name. */
    String open(String name, Buffer sealed) throws GeneralSecurityException {
        var bytes = sealed.getBytes();
        var nonce = Arrays.copyOf(bytes, NONCE_BYTES);
        var text = cipher(Cipher.DECRYPT_MODE, nonce, name).doFinal(bytes, NONCE_BYTES, bytes.length - NONCE_BYTES);
        return new String(text, StandardCharsets.UTF_8);
    }

    private Cipher cipher(int mode, byte[] nonce, String name) throws GeneralSecurityException {
        var cipher = Cipher.getInstance(TRANSFORMATION);
        cipher.init(mode, key, new GCMParameterSpec(TAG_BITS, nonce));
        cipher.updateAAD(name.getBytes(StandardCharsets.UTF_8));
        return cipher;
    }
}
