package dev.slipway.service;

import io.vertx.core.buffer.Buffer;

import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;

/** Encrypts private keys with AES-256-GCM, so that access to the database does not reveal them. The key is only in the configuration. */
public final class KeyCipher {
    private static final int KEY_BYTES = 32;
    private static final String TRANSFORMATION = "AES/GCM/NoPadding";
    private static final int NONCE_BYTES = 12;
    private static final int TAG_BITS = 128;
    private static final SecureRandom RANDOM = new SecureRandom();

    private final SecretKeySpec key;

    /** Creates a cipher with a key of 32 bytes in Base64. */
    public KeyCipher(String base64Key) {
        this.key = new SecretKeySpec(Base64.getDecoder().decode(base64Key), "AES");
    }

    public static boolean isValidKey(String base64Key) {
        try {
            return Base64.getDecoder().decode(base64Key).length == KEY_BYTES;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /** Generates a key for a cipher. */
    public static String generateKey() {
        var bytes = new byte[KEY_BYTES];
        RANDOM.nextBytes(bytes);
        return Base64.getEncoder().encodeToString(bytes);
    }

    /** Encrypts a text. It can only be decrypted with the same name. */
    public Buffer encrypt(String name, String text) {
        try {
            var nonce = new byte[NONCE_BYTES];
            RANDOM.nextBytes(nonce);
            var encrypted = cipher(Cipher.ENCRYPT_MODE, nonce, name).doFinal(text.getBytes(StandardCharsets.UTF_8));
            return Buffer.buffer(nonce).appendBytes(encrypted);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this JVM cannot encrypt", e);
        }
    }

    /** Throws a {@link GeneralSecurityException} if the text was encrypted with another key or another name. */
    public String decrypt(String name, Buffer encrypted) throws GeneralSecurityException {
        var bytes = encrypted.getBytes();
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
