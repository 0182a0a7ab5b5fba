package dev.slipway.adapter;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/**
 * Persists one file per instance, replaced atomically and synced, so that after a crash it has either the old or the new content. All
 * methods block.
 */
final class Journal {
    private static final String SUFFIX = ".json";

    private final Path directory;
    private volatile @Nullable FileChannel lock;
    private volatile String id = "";

    Journal(Path directory) {
        this.directory = directory;
    }

    /** Locks the directory for this process and reads all instance logs. */
    List<InstanceLog> open() throws IOException {
        // Readable by the owner only, because the configuration in a command can be confidential.
        Files.createDirectories(
                directory, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        acquireLock();
        id = readOrCreateId();
        var logs = new ArrayList<InstanceLog>();
        try (var files = Files.newDirectoryStream(directory, "*" + SUFFIX)) {
            for (var file : files) {
                logs.add(read(file));
            }
        }
        return logs;
    }

    /** Returns the id of this journal, which stays the same across restarts and is unique. */
    String id() {
        return id;
    }

    private String readOrCreateId() throws IOException {
        var file = directory.resolve("id");
        if (!Files.exists(file)) {
            var temporary = directory.resolve("id.tmp");
            Files.writeString(temporary, UUID.randomUUID().toString());
            Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
        }
        return Files.readString(file).strip();
    }

    /** Two adapters on one journal would execute every command twice. */
    private void acquireLock() throws IOException {
        var channel = FileChannel.open(directory.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        try {
            if (channel.tryLock() != null) {
                lock = channel;
                return;
            }
        } catch (OverlappingFileLockException e) {
            // Held by another adapter in this process.
        }
        channel.close();
        throw new IOException("another adapter uses the journal directory " + directory);
    }

    private static InstanceLog read(Path file) throws IOException {
        try {
            return InstanceLogJson.read(Files.readAllBytes(file));
        } catch (IOException | RuntimeException e) {
            throw new IOException("damaged journal file: " + file, e);
        }
    }

    void write(InstanceLog log) throws IOException {
        requireOpen();
        var file = file(log.appInstanceId());
        var temporary = file.resolveSibling(file.getFileName() + ".tmp");
        var options = Set.of(StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE);
        var ownerOnly = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
        try (var channel = FileChannel.open(temporary, options, ownerOnly)) {
            var bytes = ByteBuffer.wrap(InstanceLogJson.write(log));
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            channel.force(true);
        }
        Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
        syncDirectory();
    }

    void remove(UUID appInstanceId) throws IOException {
        requireOpen();
        Files.deleteIfExists(file(appInstanceId));
    }

    void close() throws IOException {
        var held = lock;
        lock = null;
        if (held != null) {
            held.close();
        }
    }

    private void requireOpen() throws IOException {
        if (lock == null) {
            throw new IOException("the journal is closed");
        }
    }

    private Path file(UUID appInstanceId) {
        return directory.resolve(appInstanceId + SUFFIX);
    }

    /** Without this, a rename may be lost in a power failure. */
    private void syncDirectory() throws IOException {
        try (var channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }
}
