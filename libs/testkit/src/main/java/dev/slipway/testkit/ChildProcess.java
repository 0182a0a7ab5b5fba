package dev.slipway.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A program in a separate process, which a test can kill. */
public final class ChildProcess implements AutoCloseable {
    private static final int PATIENCE_SECONDS = 150;

    private final Path output;
    private final Path errors;
    private final Process process;

    /** Starts a Java program: its main class and its arguments. */
    public ChildProcess(Path directory, Map<String, String> environment, String classpath, String... program) {
        this(
                directory,
                environment,
                Stream.concat(ShortLivedJvm.command(384, classpath).stream(), Stream.of(program))
                        .toList());
    }

    /** Starts a command. Its output goes to files in {@code directory}; it gets only the environment variables that a shell needs. */
    public ChildProcess(Path directory, Map<String, String> environment, List<String> command) {
        try {
            Files.createDirectories(directory);
            output = Files.createTempFile(directory, "output", ".txt");
            errors = Files.createTempFile(directory, "errors", ".txt");
            var builder = new ProcessBuilder(command)
                    .directory(directory.toFile())
                    .redirectOutput(output.toFile())
                    .redirectError(errors.toFile());
            builder.environment().keySet().retainAll(List.of("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR"));
            builder.environment().putAll(environment);
            process = builder.start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public String output() {
        return read(output);
    }

    public String errors() {
        return read(errors);
    }

    public long pid() {
        return process.pid();
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** Returns the descendants of the process. */
    public List<ProcessHandle> children() {
        return process.descendants().toList();
    }

    /** Kills the process with SIGKILL. */
    public void kill() {
        process.destroyForcibly();
        var ignored = exit();
    }

    /** Sends SIGTERM and returns the exit code. */
    public int terminate() {
        process.destroy();
        return exit();
    }

    /** Returns whether the process ends within the given milliseconds. */
    public boolean awaitExit(long milliseconds) {
        try {
            return process.waitFor(milliseconds, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Waits until the process ends by itself, and returns its exit code. */
    public int exit() {
        if (!awaitExit(TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS))) {
            throw new AssertionError("process " + process.pid() + " did not end; it said:\n" + output() + errors());
        }
        return process.exitValue();
    }

    @Override
    public void close() {
        var children = children();
        kill();
        children.forEach(ProcessHandle::destroyForcibly);
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
