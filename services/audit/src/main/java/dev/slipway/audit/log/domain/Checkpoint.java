package dev.slipway.audit.log.domain;

import java.util.regex.Pattern;

/** The state of a log that its key signs (C2SP tlog-checkpoint): the number of entries and the root of their tree. */
public record Checkpoint(String origin, long size, Hash root) {
    private static final Pattern SIZE = Pattern.compile("0|[1-9][0-9]{0,18}");

    public Checkpoint {
        if (origin.isEmpty() || origin.contains("\n") || size < 0) {
            throw new IllegalArgumentException("a checkpoint has an origin of one line and a size");
        }
    }

    /** Returns the text that is signed. */
    public String text() {
        return origin + "\n" + size + "\n" + root.base64() + "\n";
    }

    /** Parses the text of a note; extension lines are ignored. Throws an {@link IllegalArgumentException} if it is not a checkpoint. */
    public static Checkpoint parse(String text) {
        var lines = text.split("\n", -1);
        if (lines.length < 4 || !SIZE.matcher(lines[1]).matches()) {
            throw new IllegalArgumentException("not a checkpoint: it needs the lines origin, size and root hash");
        }
        return new Checkpoint(lines[0], Long.parseLong(lines[1]), Hash.ofBase64(lines[2]));
    }
}
