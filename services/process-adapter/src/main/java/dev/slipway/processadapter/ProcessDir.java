package dev.slipway.processadapter;

import org.jspecify.annotations.Nullable;

import java.io.File;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/** The directory of one process, and the process itself. Methods block and must not overlap. */
final class ProcessDir {
    private static final long LOG_MAX_BYTES = 8 << 20;

    /**
     * Runs in the child process. Creating a hard link is atomic and fails if the link exists, so of two concurrent launches exactly one
     * becomes the app and the other exits. The app's own user opens the log: the adapter, which may be root, must not follow a link there.
     */
    private static final String CLAIM = """
            exec >> log 2>&1
            echo $$ > pid.$$ && { ln pid.$$ pid; won=$?; rm -f pid.$$; [ $won -eq 0 ]; } || exit 73
            rm -f port
            """;

    private final Path directory;
    private final UUID instance;
    private final ProcessSpec processSpec;
    private @Nullable Process child;

    ProcessDir(Path directory, UUID instance, ProcessSpec processSpec) {
        this.directory = directory;
        this.instance = instance;
        this.processSpec = processSpec;
    }

    Path log() {
        return directory.resolve("log");
    }

    /** Checks the child first, because a new process has not claimed the directory yet. */
    boolean isAlive() throws IOException {
        if (child != null && child.isAlive()) {
            return true;
        }
        var owner = ownerPid();
        return owner != null && isOwnProcess(owner);
    }

    /** Returns the pid that claimed the directory, dead or alive. */
    @Nullable
    Long ownerPid() throws IOException {
        try {
            return Long.valueOf(Files.readString(directory.resolve("pid")).strip());
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    private boolean isOwnProcess(long pid) {
        return ProcessTable.matches(pid, ProcessTable.byProcesses(instance, Set.of(processSpec.key())));
    }

    /** Tells the other processes of the instance that this one accepts no new work. */
    void markDrained() throws IOException {
        Files.createDirectories(directory);
        Files.writeString(directory.resolve(EchoClusterController.DRAINED), "");
    }

    /** Starts the process unless it runs. Returns whether it was started. */
    boolean launch(LaunchProfile profile, InstanceSpec spec, AppAccount account) throws IOException {
        if (isAlive()) {
            return false;
        }
        Files.createDirectories(directory);
        account.changeOwner(directory);
        // Removes only a claim that was read: a newer one may belong to a process that an earlier adapter started.
        var dead = ownerPid();
        if (dead != null && !isOwnProcess(dead)) {
            Files.delete(directory.resolve("pid"));
        }
        var words = new ArrayList<>(List.of("sh", "-c", CLAIM + profile.limits().launchScript(), "sh"));
        for (var word : profile.command(processSpec.component())) {
            words.add(word.replace("{port_file}", directory.resolve("port").toString())
                    .replace("{dir}", directory.toString()));
        }
        var builder = new ProcessBuilder(account.wrapCommand(words))
                .directory(directory.toFile())
                .redirectInput(new File("/dev/null"))
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD);
        // The adapter's environment may contain secrets and is not passed on.
        var path = System.getenv("PATH");
        var environment = builder.environment();
        environment.clear();
        environment.putAll(spec.environment());
        environment.put("PATH", path == null ? "/usr/bin:/bin" : path);
        environment.put("HOME", directory.toString());
        environment.put("SLIPWAY_COMPONENT", processSpec.component());
        environment.put(
                "SLIPWAY_MEMBER_ID",
                processSpec.memberId() == null ? "" : processSpec.memberId().toString());
        environment.put(ProcessTable.INSTANCE_VARIABLE, instance.toString());
        environment.put(ProcessTable.PROCESS_VARIABLE, ProcessTable.processVariable(instance, processSpec.key()));
        child = builder.start();
        return true;
    }

    /** Returns the port of the process; null until it has written its port file. */
    @Nullable
    Integer port() throws IOException {
        try {
            return Integer.valueOf(Files.readString(directory.resolve("port")).strip());
        } catch (NoSuchFileException | NumberFormatException e) {
            return null;
        }
    }

    /** Limits the log to two files. The app appends, so it continues at the new end after truncation. */
    void rotateLog() throws IOException {
        if (Files.isRegularFile(log(), LinkOption.NOFOLLOW_LINKS) && Files.size(log()) > LOG_MAX_BYTES) {
            Files.copy(
                    log(), directory.resolve("log.1"), StandardCopyOption.REPLACE_EXISTING, LinkOption.NOFOLLOW_LINKS);
            try (var channel = FileChannel.open(log(), StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS)) {
                channel.truncate(0);
            }
        }
    }

    void remove() throws IOException {
        InstanceDir.remove(directory);
    }
}
