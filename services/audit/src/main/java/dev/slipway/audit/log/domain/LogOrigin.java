package dev.slipway.audit.log.domain;

import java.util.regex.Pattern;

/**
 * The names of the logs: the first line of their checkpoints and the name of their keys.
 *
 * @param template contains <code>{log}</code>, a placeholder of {@code platform} or the id of the organization, or <code>{key_hash}</code>,
 *     a placeholder of the SHA-256 hash of the public key
 */
public record LogOrigin(String template) {
    public static final String DEFAULT = "slipway.local/audit/{log}";

    private static final String LOG = "{log}";
    private static final String KEY_HASH = "{key_hash}";
    private static final Pattern FORBIDDEN = Pattern.compile("[\\s+]");

    public static boolean isValid(String template) {
        return (template.contains(LOG) || template.contains(KEY_HASH))
                && !FORBIDDEN.matcher(template).find();
    }

    /** Returns the key of a log, whose name is the origin of the log. */
    public NoteKey keyOf(LogId logId, String publicKey) {
        var hash = new NoteKey("-", NoteKey.LOG, publicKey).keyHash();
        return new NoteKey(template.replace(LOG, logId.name()).replace(KEY_HASH, hash), NoteKey.LOG, publicKey);
    }
}
