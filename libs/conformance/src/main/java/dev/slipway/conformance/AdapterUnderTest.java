package dev.slipway.conformance;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The adapter: a process that the kit starts and kills, or one that somebody else looks after. */
final class AdapterUnderTest implements AutoCloseable {
    private static final int PATIENCE_SECONDS = 30;

    private final @Nullable String command;
    private final Map<String, String> environment;
    private final Path log;
    /** A kit that is interrupted leaves no adapter behind. */
    private final Thread atExit = new Thread(this::end, "end of the adapter");

    private volatile @Nullable Process process;

    /** Without a command it is started by hand. */
    AdapterUnderTest(@Nullable String command, Map<String, String> environment, Path log) {
        this.command = command;
        this.environment = Map.copyOf(environment);
        this.log = log;
        Runtime.getRuntime().addShutdownHook(atExit);
    }

    boolean canBeRestarted() {
        return command != null;
    }

    Path log() {
        return log;
    }

    /** Starts it unless it runs; answers whether it did. */
    boolean start() throws IOException {
        if (command == null || isRunning()) {
            return false;
        }
        // exec: the process that is killed has to be the adapter, not the shell that read its command line.
        var builder = new ProcessBuilder("sh", "-c", "exec " + command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
        builder.environment().putAll(environment);
        process = builder.start();
        return true;
    }

    /** SIGKILL. What the adapter has started lives on. */
    void kill() throws InterruptedException {
        var running = process;
        if (running != null) {
            running.destroyForcibly();
            if (!running.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                throw new IllegalStateException("the adapter, process " + running.pid() + ", cannot be killed");
            }
        }
    }

    /** What the platform can tell: one that is started by hand is taken to run. */
    boolean isRunning() {
        var started = process;
        return command == null || (started != null && started.isAlive());
    }

    /** Why it ended without being told to; null while it runs. */
    @Nullable
    String ending() {
        var started = process;
        return command == null || started == null || started.isAlive()
                ? null
                : "the adapter ended by itself with " + started.exitValue() + "; its output is in " + log;
    }

    /** SIGTERM, and what it takes if that is not enough. */
    @Override
    public void close() throws InterruptedException {
        Runtime.getRuntime().removeShutdownHook(atExit);
        end();
        var running = process;
        if (running != null && !running.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            kill();
        }
    }

    private void end() {
        var running = process;
        if (running != null) {
            running.destroy();
        }
    }
}
