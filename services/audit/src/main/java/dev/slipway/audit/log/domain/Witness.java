package dev.slipway.audit.log.domain;

import java.util.List;
import java.util.stream.Collectors;

/**
 * A witness (C2SP tlog-witness): it cosigns a checkpoint if the log has only grown since the last one that it has seen.
 *
 * @param url the prefix of its address, without a slash at the end
 */
public record Witness(NoteKey key, String url) {

    /** Parses {@code key|url}. Throws an {@link IllegalArgumentException} if it is not a witness key and an http(s) address. */
    public static Witness parse(String text) {
        var bar = text.indexOf('|');
        if (bar < 0) {
            throw new IllegalArgumentException("is not key|url");
        }
        var key = NoteKey.parse(text.substring(0, bar));
        var url = text.substring(bar + 1).strip().replaceFirst("/+$", "");
        if (key.type() != NoteKey.WITNESS || !url.matches("https?://\\S+")) {
            throw new IllegalArgumentException("needs the verifier key of a witness and an http or https address");
        }
        return new Witness(key, url);
    }

    /** Returns the body of an add-checkpoint request. */
    public static String addCheckpointBody(long oldSize, List<Hash> consistencyProof, String note) {
        return "old " + oldSize + "\n"
                + consistencyProof.stream().map(hash -> hash.base64() + "\n").collect(Collectors.joining())
                + "\n" + note;
    }

    /** Returns the cosignature of this witness in the response to an add-checkpoint request. Throws if there is no valid one. */
    public NoteSignature requireCosignature(String noteText, String response) {
        return response.lines()
                .map(NoteSignature::parse)
                .filter(signature -> key.verifies(noteText, signature))
                .findFirst()
                .orElseThrow(
                        () -> new IllegalArgumentException("the response has no valid cosignature of " + key.name()));
    }
}
