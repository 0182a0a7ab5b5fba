package dev.slipway.audit.log.domain;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;

/**
 * A signature line of a note.
 *
 * @param value in Base64: the key id, for a witness the time, and the signature
 */
public record NoteSignature(String name, String value) {
    static final int KEY_ID_BYTES = 4;
    private static final int TIME_BYTES = 8;
    private static final int SIGNATURE_BYTES = 64;
    private static final String DASH = "— ";

    public NoteSignature {
        if (Base64.getDecoder().decode(value).length <= KEY_ID_BYTES) {
            throw new IllegalArgumentException("a note signature has a key id and a signature");
        }
    }

    static NoteSignature of(NoteKey key, byte[] signature) {
        var value = ByteBuffer.allocate(KEY_ID_BYTES + signature.length)
                .put(HexFormat.of().parseHex(key.idHex()))
                .put(signature);
        return new NoteSignature(key.name(), Base64.getEncoder().encodeToString(value.array()));
    }

    /** Parses a line without its end. Throws an {@link IllegalArgumentException} if it is not a signature line. */
    public static NoteSignature parse(String line) {
        var space = line.indexOf(' ', DASH.length());
        if (!line.startsWith(DASH) || space <= DASH.length()) {
            throw new IllegalArgumentException("not a signature line: " + line);
        }
        return new NoteSignature(line.substring(DASH.length(), space), line.substring(space + 1));
    }

    public String line() {
        return DASH + name + " " + value;
    }

    public String keyIdHex() {
        return HexFormat.of().formatHex(decode(), 0, KEY_ID_BYTES);
    }

    /** Returns the time of a cosignature, or -1 if the value does not have the length of one. */
    public long cosignedAtSeconds() {
        var bytes = decode();
        return bytes.length == KEY_ID_BYTES + TIME_BYTES + SIGNATURE_BYTES
                ? ByteBuffer.wrap(bytes).getLong(KEY_ID_BYTES)
                : -1;
    }

    byte[] signatureBytes(int keyType) {
        var bytes = decode();
        var from = keyType == NoteKey.WITNESS ? KEY_ID_BYTES + TIME_BYTES : KEY_ID_BYTES;
        return Arrays.copyOfRange(bytes, Math.min(from, bytes.length), bytes.length);
    }

    private byte[] decode() {
        return Base64.getDecoder().decode(value);
    }
}
