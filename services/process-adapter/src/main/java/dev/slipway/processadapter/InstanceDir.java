package dev.slipway.processadapter;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;

/** One instance's directory: what is to run, and until when its usage has been reported. Blocking; calls must not overlap. */
final class InstanceDir {
    private static final String SPEC = "spec.json";
    private static final String METERED_UNTIL = "metered-until";

    private final UUID instance;
    private final Path parent;
    private final Path directory;

    InstanceDir(Path parent, UUID instance) {
        this.instance = instance;
        this.parent = parent;
        this.directory = parent.resolve(instance.toString());
    }

    UUID instance() {
        return instance;
    }

    ProcessDir process(Part part) {
        return new ProcessDir(directory.resolve(part.key()), instance, part);
    }

    /** Null when the instance should not run. */
    @Nullable
    Spec spec() throws IOException {
        try {
            return Spec.fromBytes(Files.readAllBytes(directory.resolve(SPEC)));
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    void write(Spec spec) throws IOException {
        write(SPEC, spec.toBytes());
    }

    void removeSpec() throws IOException {
        Files.deleteIfExists(directory.resolve(SPEC));
    }

    /** Null when there is nothing to report, or was not yet. */
    Metering.@Nullable Mark mark() throws IOException {
        try {
            return Metering.Mark.of(Files.readString(directory.resolve(METERED_UNTIL)));
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    void write(Metering.Mark mark) throws IOException {
        write(METERED_UNTIL, mark.text().getBytes(StandardCharsets.UTF_8));
    }

    /** Synced: what was reported has to be true even after a power cut. */
    private void write(String name, byte[] content) throws IOException {
        Files.createDirectories(directory);
        var temporary = directory.resolve(name + ".tmp");
        try (var channel = FileChannel.open(
                temporary, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE)) {
            var bytes = ByteBuffer.wrap(content);
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            channel.force(true);
        }
        Files.move(temporary, directory.resolve(name), StandardCopyOption.ATOMIC_MOVE);
        for (var changed : List.of(directory, parent)) {
            try (var channel = FileChannel.open(changed, StandardOpenOption.READ)) {
                channel.force(true);
            }
        }
    }

    void remove() throws IOException {
        remove(directory);
    }

    static void remove(Path directory) throws IOException {
        if (Files.exists(directory)) {
            try (var files = Files.walk(directory)) {
                for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.deleteIfExists(file);
                }
            }
        }
    }
}
