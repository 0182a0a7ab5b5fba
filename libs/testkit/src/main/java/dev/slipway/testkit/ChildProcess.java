package dev.slipway.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A program in a process of its own, to be killed. */
public final class ChildProcess implements AutoCloseable {
    private static final int PATIENCE_SECONDS = 150;

    private final Path output;
    private final Path errors;
    private final Process process;

    /** A Java program: the name of its class, and its arguments. */
    public ChildProcess(Path directory, Map<String, String> environment, String classpath, String... program) {
        this(
                directory,
                environment,
                Stream.concat(ShortLivedJvm.command(384, classpath).stream(), Stream.of(program))
                        .toList());
    }

    /** Its output goes to files in {@code directory}. Of this process's environment it gets what a shell needs and nothing else. */
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

    /** The processes that it has started, and theirs. */
    public List<ProcessHandle> children() {
        return process.descendants().toList();
    }

    /** SIGKILL: it learns nothing of it. */
    public void kill() {
        process.destroyForcibly();
        var ignored = exit();
    }

    /** SIGTERM; answers the exit code. */
    public int terminate() {
        process.destroy();
        return exit();
    }

    /** Whether it ends within so many milliseconds; if not, it goes on. */
    public boolean endsWithin(long milliseconds) {
        try {
            return process.waitFor(milliseconds, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** The exit code, once it has ended by itself. */
    public int exit() {
        if (!endsWithin(TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS))) {
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
