package bootstrap;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Undoes the relocation of the libraries inside the shaded jar.
 *
 * <p>Gradle cannot run from the relocated classes: the class loaders of builds and workers let packages through by
 * their real names, and native code, service files and resources are found by them.
 */
final class Shading {
    private static final String PATH_PREFIX = "org/gradle/internal/impldep/";
    private static final String NAME_PREFIX = "org.gradle.internal.impldep.";

    /** Followed by a letter it is a relocated name; alone it is Gradle's own constant for the prefix, which stays. */
    private static final Pattern RELOCATED = Pattern.compile(
            "(?:" + Pattern.quote(PATH_PREFIX) + "|" + Pattern.quote(NAME_PREFIX) + ")(?=[A-Za-z])");

    private static final int MAGIC_AND_VERSION = 8;

    private Shading() {
    }

    /** The path an entry had before it was relocated; empty if it was not. */
    static Optional<String> originalPath(String path) {
        return path.startsWith(PATH_PREFIX) ? Optional.of(path.substring(PATH_PREFIX.length())) : Optional.empty();
    }

    static String originalName(String name) {
        return name.replace(NAME_PREFIX, "");
    }

    /**
     * The class file with original names. All names, and the strings that hold names, stand as text in the constant
     * pool and are referred to by index, so shorter texts there are all it takes.
     */
    static byte[] restoreClass(byte[] classFile) {
        var out = new ByteArrayOutputStream(classFile.length);
        int copied = 0;
        int count = u2(classFile, MAGIC_AND_VERSION);
        int at = MAGIC_AND_VERSION + 2;
        for (int index = 1; index < count; index++) {
            int tag = classFile[at];
            int size = constantSize(classFile, at);
            if (tag == 1) {
                // Latin-1 keeps every byte of the "modified UTF-8" as it is, and the prefix is ASCII
                var text = new String(classFile, at + 3, size - 3, StandardCharsets.ISO_8859_1);
                var original = text.contains("impldep") ? RELOCATED.matcher(text).replaceAll("") : text;
                if (!original.equals(text)) {
                    out.write(classFile, copied, at - copied);
                    writeText(out, original);
                    copied = at + size;
                }
            } else if (tag == 5 || tag == 6) {
                index++; // a long or double counts as two constants
            }
            at += size;
        }
        out.write(classFile, copied, classFile.length - copied);
        return out.toByteArray();
    }

    /** Size in bytes of the constant at this offset, by its tag (JVM specification, 4.4). */
    private static int constantSize(byte[] classFile, int at) {
        return switch (classFile[at]) {
            case 1 -> 3 + u2(classFile, at + 1);
            case 3, 4, 9, 10, 11, 12, 17, 18 -> 5;
            case 5, 6 -> 9;
            case 7, 8, 16, 19, 20 -> 3;
            case 15 -> 4;
            default -> throw new IllegalStateException("a class file has a constant of tag " + classFile[at]);
        };
    }

    private static void writeText(ByteArrayOutputStream out, String text) {
        out.write(1);
        out.write(text.length() >> 8);
        out.write(text.length());
        out.writeBytes(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    private static int u2(byte[] bytes, int at) {
        return (bytes[at] & 0xff) << 8 | bytes[at + 1] & 0xff;
    }
}
