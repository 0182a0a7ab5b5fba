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

/** The directory of one instance: its spec and the end of its reported usage. Methods block and must not overlap. */
final class InstanceDir {
    private static final String SPEC = "spec.json";
    private static final String METERED_UNTIL = "metered-until";

    private final UUID instanceId;
    private final Path parent;
    private final Path directory;

    InstanceDir(Path parent, UUID instance) {
        this.instanceId = instance;
        this.parent = parent;
        this.directory = parent.resolve(instance.toString());
    }

    UUID instanceId() {
        return instanceId;
    }

    ProcessDir process(ProcessSpec processSpec) {
        return new ProcessDir(directory.resolve(processSpec.key()), instanceId, processSpec);
    }

    /** Returns null if the instance should not run. */
    @Nullable
    InstanceSpec readSpec() throws IOException {
        try {
            return InstanceSpec.fromBytes(Files.readAllBytes(directory.resolve(SPEC)));
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    void write(InstanceSpec spec) throws IOException {
        write(SPEC, spec.toBytes());
    }

    void removeSpec() throws IOException {
        Files.deleteIfExists(directory.resolve(SPEC));
    }

    /** Returns null if no usage has been recorded. */
    MeteringState.@Nullable MeteringMark readMark() throws IOException {
        try {
            return MeteringState.MeteringMark.of(Files.readString(directory.resolve(METERED_UNTIL)));
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    void write(MeteringState.MeteringMark meteringMark) throws IOException {
        write(METERED_UNTIL, meteringMark.text().getBytes(StandardCharsets.UTF_8));
    }

    /** Synced to disk, because reported state must survive a power failure. */
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
