package dev.slipway.audit.evidence;

import dev.slipway.audit.evidence.ingest.EvidenceContent;
import io.vertx.core.Future;
import io.vertx.core.Vertx;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;

/** Stores content in files of a directory that only the owner can read. A file is complete or does not exist. */
public final class FileObjectStore implements ObjectStore {
    private static final int PREFIX_LENGTH = 2;

    /** Outlasts the request that stores content and then records evidence of it. */
    private static final Duration UNCOMMITTED = Duration.ofHours(1);

    private final Vertx vertx;
    private final Path directory;

    public FileObjectStore(Vertx vertx, Path directory) {
        this.vertx = vertx;
        this.directory = directory;
    }

    @Override
    public Future<Void> put(String digest, byte[] content) {
        return vertx.executeBlocking(
                () -> {
                    write(path(digest), content);
                    return null;
                },
                false);
    }

    @Override
    public Future<byte[]> get(String digest) {
        return vertx.executeBlocking(
                () -> {
                    var content = Files.readAllBytes(path(digest));
                    if (!EvidenceContent.digest(content).equals(digest)) {
                        throw new IllegalStateException("the stored content of " + digest + " was changed");
                    }
                    return content;
                },
                false);
    }

    @Override
    public Future<Void> delete(String digest) {
        return vertx.executeBlocking(
                () -> {
                    delete(path(digest));
                    return null;
                },
                false);
    }

    /** Moves the file away before it looks at the time: a concurrent write then creates a new file, or has set the time before. */
    private static void delete(Path target) throws IOException {
        if (!Files.exists(target)) {
            return;
        }
        var removed = Files.createTempFile(target.toAbsolutePath().getParent(), "old", ".tmp");
        try {
            Files.move(target, removed, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            var storedAt = Files.getLastModifiedTime(removed).toInstant();
            if (storedAt.isAfter(Instant.now().minus(UNCOMMITTED))) {
                Files.move(removed, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            }
        } finally {
            Files.deleteIfExists(removed);
        }
    }

    private Path path(String digest) {
        var hex = digest.substring(digest.indexOf(':') + 1);
        return directory.resolve(hex.substring(0, PREFIX_LENGTH)).resolve(hex.substring(PREFIX_LENGTH));
    }

    private static void write(Path target, byte[] content) throws IOException {
        if (touch(target)) {
            return;
        }
        var folder = target.toAbsolutePath().getParent();
        var ownerOnly = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
        Files.createDirectories(folder, ownerOnly);
        var temporary = Files.createTempFile(folder, "new", ".tmp");
        try {
            try (var channel = FileChannel.open(temporary, StandardOpenOption.WRITE)) {
                var buffer = ByteBuffer.wrap(content);
                while (buffer.hasRemaining()) {
                    channel.write(buffer);
                }
                channel.force(true);
            }
            Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            try (var parent = FileChannel.open(folder, StandardOpenOption.READ)) {
                parent.force(true); // so that the name survives a crash too
            }
        } finally {
            Files.deleteIfExists(temporary);
        }
    }

    /** Sets the time of an existing file to now, so that it is not deleted. Returns whether it exists. */
    private static boolean touch(Path target) throws IOException {
        try {
            Files.setLastModifiedTime(target, FileTime.from(Instant.now()));
            return true;
        } catch (NoSuchFileException e) {
            return false;
        }
    }
}
