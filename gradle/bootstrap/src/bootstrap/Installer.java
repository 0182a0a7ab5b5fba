package bootstrap;

import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Comparator;

/**
 * Moves the installation to where the wrapper and Gradle look for it. Each step is a rename or the creation of one file,
 * and the marker that makes the wrapper trust the directory comes last, so stopping anywhere does no harm.
 */
final class Installer {
    /** Detects a complete installation; a wrapper that was interrupted while unpacking leaves none. */
    private static final String FINISHED = ".assembled";

    private Installer() {
    }

    static void install(Path made, Path home, Path marker) throws IOException {
        Files.createDirectories(home.getParent());
        if (!Files.exists(made.resolve(FINISHED))) {
            Files.createFile(made.resolve(FINISHED));
        }
        if (!Files.exists(home.resolve(FINISHED))) {
            delete(home);
            try {
                Files.move(made, home, StandardCopyOption.ATOMIC_MOVE);
            } catch (FileSystemException e) {
                // without a lock another process may have been faster, and its work is as good as ours
                if (!Files.exists(home.resolve(FINISHED))) {
                    throw e;
                }
            }
        }
        createIfMissing(marker);
    }

    /** Spares Gradle the minute it takes to generate this jar for the first build with gradleApi(). */
    static void seedApiJar(Path apiJar, Path seed) throws IOException {
        if (!Files.exists(seed)) {
            Files.createDirectories(seed.getParent());
            Files.move(apiJar, seed, StandardCopyOption.ATOMIC_MOVE);
        }
    }

    private static void createIfMissing(Path file) throws IOException {
        try {
            Files.createFile(file);
        } catch (FileAlreadyExistsException e) {
            return; // as wanted
        }
    }

    private static void delete(Path directory) throws IOException {
        if (!Files.exists(directory)) {
            return;
        }
        try (var files = Files.walk(directory)) {
            for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (DirectoryNotEmptyException e) {
            throw new IOException("something else is writing to " + directory, e);
        }
    }
}
