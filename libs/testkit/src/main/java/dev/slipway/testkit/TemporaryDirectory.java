package dev.slipway.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Comparator;

/** A temporary directory that is deleted by its owner; JUnit would delete its own too early. */
public record TemporaryDirectory(Path path) implements AutoCloseable {
    public static TemporaryDirectory named(String prefix) {
        try {
            return new TemporaryDirectory(Files.createTempDirectory(prefix));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Lets other users enter a directory of a test: if the tests run as root, the apps of the process adapter run as another user. */
    public static void openToOthers(Path directory) {
        var root = Path.of(System.getProperty("java.io.tmpdir"));
        try {
            Files.createDirectories(directory);
            for (var step = directory;
                    step != null && step.startsWith(root) && !step.equals(root);
                    step = step.getParent()) {
                var permissions = Files.getPosixFilePermissions(step);
                if (permissions.add(PosixFilePermission.OTHERS_EXECUTE)) {
                    Files.setPosixFilePermissions(step, permissions);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        try (var files = Files.walk(path)) {
            for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
