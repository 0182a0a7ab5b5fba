package bootstrap;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Pattern;

/** One line of artifacts.txt: a jar by its Maven coordinates, and the only content accepted for it. */
record Artifact(String group, String name, String version, String sha256) {
    private static final Pattern LINE = Pattern.compile("([^:\\s]+):([^:\\s]+):([^:\\s]+) ([0-9a-f]{64})");

    static List<Artifact> readAll(Path pins) throws IOException, BootstrapException {
        var artifacts = new ArrayList<Artifact>();
        for (var line : Files.readAllLines(pins)) {
            if (line.isBlank() || line.startsWith("#")) {
                continue;
            }
            var matcher = LINE.matcher(line.strip());
            if (!matcher.matches()) {
                throw new BootstrapException("this line of " + pins + " is no pin: " + line);
            }
            artifacts.add(new Artifact(matcher.group(1), matcher.group(2), matcher.group(3), matcher.group(4)));
        }
        return artifacts;
    }

    String fileName() {
        return name + "-" + version + ".jar";
    }

    void verifyIn(Path directory) throws IOException, BootstrapException {
        var file = directory.resolve(fileName());
        if (!Files.isRegularFile(file)) {
            throw new BootstrapException("Maven did not deliver " + this);
        }
        var found = sha256Of(file);
        if (!found.equals(sha256)) {
            throw new BootstrapException(this + " has the wrong checksum (SHA-256 " + found + " instead of " + sha256
                    + "), so delete it from Maven's local repository and try again");
        }
    }

    private static String sha256Of(Path file) throws IOException {
        try (var in = Files.newInputStream(file)) {
            var digest = MessageDigest.getInstance("SHA-256");
            var buffer = new byte[1 << 16];
            for (int count; (count = in.read(buffer)) >= 0; ) {
                digest.update(buffer, 0, count);
            }
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    @Override
    public String toString() {
        return group + ":" + name + ":" + version;
    }
}
