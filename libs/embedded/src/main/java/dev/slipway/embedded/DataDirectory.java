package dev.slipway.embedded;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;

/**
 * Locks a directory for one process at a time.
 *
 * <p>The operating system releases the lock when the process ends, so nothing has to be cleaned up after kill -9.
 */
public final class DataDirectory implements AutoCloseable {
    private final Path path;
    private final FileChannel lockFile;

    private DataDirectory(Path path, FileChannel lockFile) {
        this.path = path;
        this.lockFile = lockFile;
    }

    public static DataDirectory open(Path directory) {
        var absolute = directory.toAbsolutePath().normalize();
        try {
            Files.createDirectories(absolute);
            var lockFile =
                    FileChannel.open(absolute.resolve(".lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            if (tryLock(lockFile) == null) {
                lockFile.close();
                throw new EmbeddedException("the data directory " + absolute
                        + " is in use by another process; stop it, or choose another directory");
            }
            return new DataDirectory(absolute.toRealPath(), lockFile);
        } catch (FileAlreadyExistsException e) {
            throw new EmbeddedException("the data directory " + absolute + " is not a directory", e);
        } catch (IOException e) {
            throw new EmbeddedException(
                    "the data directory " + absolute + " is not writable by user " + System.getProperty("user.name")
                            + "; make it writable, or choose another directory",
                    e);
        }
    }

    /** Lets only the owner enter the directory, so that others can read nothing in it, regardless of the permissions of the files. */
    static void restrictToOwner(Path directory) {
        try {
            Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
        } catch (IOException e) {
            throw new EmbeddedException("the permissions of " + directory + " could not be restricted to its owner", e);
        }
    }

    public Path path() {
        return path;
    }

    @Override
    public void close() {
        try {
            lockFile.close();
        } catch (IOException e) {
            throw new EmbeddedException("the lock of the data directory " + path + " could not be released", e);
        }
    }

    private static @Nullable FileLock tryLock(FileChannel lockFile) throws IOException {
        try {
            return lockFile.tryLock();
        } catch (OverlappingFileLockException e) {
            return null; // held by this JVM
        }
    }
}
