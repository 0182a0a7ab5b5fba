package dev.slipway.processadapter;

import org.jspecify.annotations.Nullable;

import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;

/** One instance's directory and the process that belongs to it. Blocking; calls must not overlap. */
final class InstanceDir {
    private static final long LOG_MAX_BYTES = 8 << 20;

    /**
     * Runs in the child. A hard link is made whole or not at all, and only if there is none: of two that try, whoever started them, one
     * becomes the app and the other ends.
     */
    private static final String CLAIM = """
            echo $$ > pid.$$ && { ln pid.$$ pid; won=$?; rm -f pid.$$; [ $won -eq 0 ]; } || exit 73
            rm -f port
            exec "$@"
            """;

    private final UUID instance;
    private final Path parent;
    private final Path directory;
    private @Nullable Process launched;

    InstanceDir(Path parent, UUID instance) {
        this.instance = instance;
        this.parent = parent;
        this.directory = parent.resolve(instance.toString());
    }

    UUID instance() {
        return instance;
    }

    /** Null when the instance should not run. */
    @Nullable
    Spec spec() throws IOException {
        try {
            return requireSpec();
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    Spec requireSpec() throws IOException {
        return Spec.fromBytes(Files.readAllBytes(file("spec.json")));
    }

    /** Synced: an instance that was reported to run has to be launched again even after a power cut. */
    void write(Spec spec) throws IOException {
        Files.createDirectories(directory);
        var temporary = file("spec.json.tmp");
        try (var channel = FileChannel.open(
                temporary, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE)) {
            var bytes = ByteBuffer.wrap(spec.toBytes());
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            channel.force(true);
        }
        Files.move(temporary, file("spec.json"), StandardCopyOption.ATOMIC_MOVE);
        for (var changed : List.of(directory, parent)) {
            try (var channel = FileChannel.open(changed, StandardOpenOption.READ)) {
                channel.force(true);
            }
        }
    }

    void removeSpec() throws IOException {
        Files.deleteIfExists(file("spec.json"));
    }

    /** First the one that we started, for it has not claimed the directory yet when it is very young. */
    boolean isAlive() throws IOException {
        if (launched != null && launched.isAlive()) {
            return true;
        }
        var owner = owner();
        return owner != null && Processes.belongs(owner, instance);
    }

    /** The pid that claimed the directory, dead or alive. */
    private @Nullable Long owner() throws IOException {
        try {
            return Long.valueOf(Files.readString(file("pid")).strip());
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    /** Starts the process unless there is one. */
    void launch(List<String> profile, Spec spec) throws IOException {
        if (isAlive()) {
            return;
        }
        // Only a claim that was seen is removed: one made since may be that of a process which an adapter before us has
        // started.
        var dead = owner();
        if (dead != null && !Processes.belongs(dead, instance)) {
            Files.delete(file("pid"));
        }
        var words = new ArrayList<>(List.of("sh", "-c", CLAIM, "sh"));
        for (var word : profile) {
            words.add(word.replace("{port_file}", file("port").toString()).replace("{dir}", directory.toString()));
        }
        var builder = new ProcessBuilder(words)
                .directory(directory.toFile())
                .redirectInput(new File("/dev/null"))
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(file("log").toFile()));
        // The adapter's own environment may hold what is none of an app's business.
        var path = System.getenv("PATH");
        builder.environment().clear();
        builder.environment().putAll(spec.environment());
        builder.environment().put("PATH", path == null ? "/usr/bin:/bin" : path);
        builder.environment().put("HOME", directory.toString());
        builder.environment().put(Processes.MARK, instance.toString());
        launched = builder.start();
    }

    /** The port that the process listens on; null until it has said so. */
    @Nullable
    Integer port() throws IOException {
        try {
            return Integer.valueOf(Files.readString(file("port")).strip());
        } catch (NoSuchFileException | NumberFormatException e) {
            return null;
        }
    }

    /** What an app prints must not fill the disk. It appends, so it goes on at the new end. */
    void boundLog() throws IOException {
        var log = file("log");
        if (Files.exists(log) && Files.size(log) > LOG_MAX_BYTES) {
            try (var channel = FileChannel.open(log, StandardOpenOption.WRITE)) {
                channel.truncate(0);
            }
        }
    }

    void remove() throws IOException {
        if (Files.exists(directory)) {
            try (var files = Files.walk(directory)) {
                for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.deleteIfExists(file);
                }
            }
        }
    }

    private Path file(String name) {
        return directory.resolve(name);
    }
}
