package dev.slipway.processadapter;

import org.jspecify.annotations.Nullable;

import java.io.File;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/** The directory of one process, and the process. Blocking; calls must not overlap. */
final class ProcessDir {
    private static final long LOG_MAX_BYTES = 8 << 20;

    /**
     * Runs in the child. A hard link is made whole or not at all, and only if there is none: of two that try, whoever started them, one
     * becomes the app and the other ends.
     */
    private static final String CLAIM = """
            echo $$ > pid.$$ && { ln pid.$$ pid; won=$?; rm -f pid.$$; [ $won -eq 0 ]; } || exit 73
            rm -f port
            """;

    private final Path directory;
    private final UUID instance;
    private final Part part;
    private @Nullable Process launched;

    ProcessDir(Path directory, UUID instance, Part part) {
        this.directory = directory;
        this.instance = instance;
        this.part = part;
    }

    Path log() {
        return directory.resolve("log");
    }

    /** First the one that we started, for it has not claimed the directory yet when it is very young. */
    boolean isAlive() throws IOException {
        if (launched != null && launched.isAlive()) {
            return true;
        }
        var owner = owner();
        return owner != null && isOurs(owner);
    }

    /** The pid that claimed the directory, dead or alive. */
    @Nullable
    Long owner() throws IOException {
        try {
            return Long.valueOf(Files.readString(directory.resolve("pid")).strip());
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    private boolean isOurs(long pid) {
        return Processes.belongs(pid, Processes.ofParts(instance, Set.of(part.key())));
    }

    /** Starts the process unless there is one. Answers whether it did. */
    boolean launch(Profile profile, Spec spec) throws IOException {
        if (isAlive()) {
            return false;
        }
        Files.createDirectories(directory);
        // Only a claim that was seen is removed: one made since may be that of a process which an adapter before us has
        // started.
        var dead = owner();
        if (dead != null && !isOurs(dead)) {
            Files.delete(directory.resolve("pid"));
        }
        var words = new ArrayList<>(List.of("sh", "-c", CLAIM + profile.limits().script(), "sh"));
        for (var word : profile.command(part.component())) {
            words.add(word.replace("{port_file}", directory.resolve("port").toString())
                    .replace("{dir}", directory.toString()));
        }
        var builder = new ProcessBuilder(words)
                .directory(directory.toFile())
                .redirectInput(new File("/dev/null"))
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()));
        // The adapter's own environment may hold what is none of an app's business.
        var path = System.getenv("PATH");
        var environment = builder.environment();
        environment.clear();
        environment.putAll(spec.environment());
        environment.put("PATH", path == null ? "/usr/bin:/bin" : path);
        environment.put("HOME", directory.toString());
        environment.put("SLIPWAY_COMPONENT", part.component());
        environment.put(
                "SLIPWAY_MEMBER_ID",
                part.memberId() == null ? "" : part.memberId().toString());
        environment.put(Processes.MARK, instance.toString());
        environment.put(Processes.PART, Processes.part(instance, part.key()));
        launched = builder.start();
        return true;
    }

    /** The port that the process listens on; null until it has said so. */
    @Nullable
    Integer port() throws IOException {
        try {
            return Integer.valueOf(Files.readString(directory.resolve("port")).strip());
        } catch (NoSuchFileException | NumberFormatException e) {
            return null;
        }
    }

    /** What an app prints must not fill the disk: the last part and the one before are kept. It appends, so it goes on at the new end. */
    void boundLog() throws IOException {
        if (Files.exists(log()) && Files.size(log()) > LOG_MAX_BYTES) {
            Files.copy(log(), directory.resolve("log.1"), StandardCopyOption.REPLACE_EXISTING);
            try (var channel = FileChannel.open(log(), StandardOpenOption.WRITE)) {
                channel.truncate(0);
            }
        }
    }

    void remove() throws IOException {
        InstanceDir.remove(directory);
    }
}
