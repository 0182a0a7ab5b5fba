package dev.slipway.audit.log.domain;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.Signature;
import java.util.ArrayList;
import java.util.List;

/** A text with signatures (C2SP signed-note). The text ends with a newline. */
public record SignedNote(String text, List<NoteSignature> signatures) {
    private static final int MAX_SIGNATURES = 100;

    public SignedNote {
        if (!text.endsWith("\n")) {
            throw new IllegalArgumentException("the text of a note ends with a newline");
        }
        signatures = List.copyOf(signatures);
    }

    /** Parses a note without verifying it. Throws an {@link IllegalArgumentException} if it is malformed. */
    public static SignedNote parse(String note) {
        var split = note.lastIndexOf("\n\n");
        if (split < 0 || !note.endsWith("\n")) {
            throw new IllegalArgumentException("a note is a text, an empty line and signature lines");
        }
        var lines = note.substring(split + 2).lines().toList();
        if (lines.isEmpty() || lines.size() > MAX_SIGNATURES) {
            throw new IllegalArgumentException("a note has 1 to " + MAX_SIGNATURES + " signatures");
        }
        return new SignedNote(
                note.substring(0, split + 1),
                lines.stream().map(NoteSignature::parse).toList());
    }

    /** Adds a signature of a log. */
    public SignedNote sign(NoteKey key, PrivateKey privateKey) {
        try {
            var signer = Signature.getInstance("Ed25519");
            signer.initSign(privateKey);
            signer.update(text.getBytes(StandardCharsets.UTF_8));
            return withSignature(NoteSignature.of(key, signer.sign()));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this JVM cannot sign with Ed25519", e);
        }
    }

    public SignedNote withSignature(NoteSignature signature) {
        var all = new ArrayList<>(signatures);
        all.add(signature);
        return new SignedNote(text, all);
    }

    /**
     * Returns the keys, of those given, that signed the note. Signatures of other keys are ignored. Throws an
     * {@link IllegalArgumentException} if the note has an invalid signature of a given key.
     */
    public List<NoteKey> verify(List<NoteKey> keys) {
        var signers = new ArrayList<NoteKey>();
        for (var key : keys) {
            for (var signature : signatures) {
                if (key.verifies(text, signature)) {
                    signers.add(key);
                } else if (key.isNamedBy(signature)) {
                    throw new IllegalArgumentException(
                            "the signature of " + key.name() + " with key " + key.idHex() + " is not valid");
                }
            }
        }
        return signers;
    }

    /** Returns the complete note: text, empty line and signature lines. */
    public String encode() {
        var note = new StringBuilder(text).append('\n');
        signatures.forEach(signature -> note.append(signature.line()).append('\n'));
        return note.toString();
    }
}
