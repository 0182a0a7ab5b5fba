package dev.slipway.conformance;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The adapter under test: a process that the kit starts and kills, or one that is started manually. */
final class AdapterUnderTest implements AutoCloseable {
    private static final int TIMEOUT_SECONDS = 30;

    private final @Nullable String command;
    private final Map<String, String> environment;
    private final Path log;
    /** Stops the adapter if the kit is interrupted. */
    private final Thread shutdownHook = new Thread(this::terminate, "adapter-shutdown");

    private volatile @Nullable Process process;

    /** A null command means that the adapter is started manually. */
    AdapterUnderTest(@Nullable String command, Map<String, String> environment, Path log) {
        this.command = command;
        this.environment = Map.copyOf(environment);
        this.log = log;
        Runtime.getRuntime().addShutdownHook(shutdownHook);
    }

    boolean canBeRestarted() {
        return command != null;
    }

    Path log() {
        return log;
    }

    /** Starts the adapter unless it runs. Returns whether it was started. */
    boolean start() throws IOException {
        if (command == null || isRunning()) {
            return false;
        }
        // exec makes the adapter, not the shell, the process that is killed.
        var builder = new ProcessBuilder("sh", "-c", "exec " + command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
        builder.environment().putAll(environment);
        process = builder.start();
        return true;
    }

    /** Sends SIGKILL to the adapter, but not to processes that it started. */
    void kill() throws InterruptedException {
        var running = process;
        if (running != null) {
            running.destroyForcibly();
            if (!running.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
                throw new IllegalStateException("the adapter (pid " + running.pid() + ") is still alive after SIGKILL");
            }
        }
    }

    /** Returns whether the adapter runs. An adapter that is started manually is assumed to run. */
    boolean isRunning() {
        var started = process;
        return command == null || (started != null && started.isAlive());
    }

    /** Returns why the adapter exited by itself; null while it runs. */
    @Nullable
    String exitReason() {
        var started = process;
        return command == null || started == null || started.isAlive()
                ? null
                : "the adapter exited with code " + started.exitValue() + "; see its output in " + log;
    }

    /** Sends SIGTERM, and SIGKILL after a timeout. */
    @Override
    public void close() throws InterruptedException {
        Runtime.getRuntime().removeShutdownHook(shutdownHook);
        terminate();
        var running = process;
        if (running != null && !running.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
            kill();
        }
    }

    private void terminate() {
        var running = process;
        if (running != null) {
            running.destroy();
        }
    }
}
