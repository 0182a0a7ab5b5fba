package dev.slipway.embedded;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** A running {@code postgres} with the processes it forked, and what it says. */
final class PostgresProcess {
    private static final Logger LOG = LoggerFactory.getLogger(PostgresProcess.class);
    private static final int LINES_KEPT = 20;
    private static final long POLL_MS = 5;
    private static final Duration FAST_SHUTDOWN = Duration.ofSeconds(10);

    private final Process process;
    private final Deque<String> lastLines;
    private final Thread keeper;
    private volatile boolean stopping;
    private boolean paused;

    /**
     * The thread that starts the process stays as long as it: Linux sends the parent-death signal at the end of the
     * <em>thread</em>, not of the JVM.
     */
    PostgresProcess(ProcessBuilder command) {
        var started = new CompletableFuture<Process>();
        this.lastLines = new ArrayDeque<>();
        this.keeper = new Thread(
                () -> {
                    try {
                        var own = command.start();
                        started.complete(own);
                        readLog(own);
                        own.waitFor();
                    } catch (IOException | InterruptedException e) {
                        started.completeExceptionally(e); // without effect once it runs
                    }
                },
                "embedded-postgres");
        keeper.setDaemon(true);
        keeper.start();
        try {
            this.process = started.join();
        } catch (CompletionException e) {
            throw new EmbeddedException(
                    "PostgreSQL could not be executed: " + e.getCause() + "; set SLIPWAY_DATABASE_URL to another", e);
        }
    }

    long pid() {
        return process.pid();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** The end of its log; complete when the process has ended. */
    String lastWords() {
        if (!process.isAlive()) {
            awaitKeeper();
        }
        synchronized (lastLines) {
            return String.join(" | ", lastLines);
        }
    }

    /** Ends the sessions of clients and shuts down; killed when that takes too long. */
    void stop() {
        stopping = true;
        if (paused) {
            resume();
        }
        if (process.isAlive()) {
            signal("INT", List.of(process.toHandle()));
            if (!haveEnded(List.of(process.toHandle()), FAST_SHUTDOWN)) {
                LOG.warn("PostgreSQL did not shut down within {}, so it is killed", FAST_SHUTDOWN);
                kill();
            }
        }
    }

    /** Like a power cut: a following start has to recover. */
    void kill() {
        stopping = true;
        var family = family();
        family.forEach(ProcessHandle::destroyForcibly);
        if (!haveEnded(family, FAST_SHUTDOWN)) {
            throw new EmbeddedException("PostgreSQL (process " + pid() + ") could not be killed");
        }
    }

    /** The postmaster first, so that it forks nothing that would be missed. */
    void pause() {
        signal("STOP", List.of(process.toHandle()));
        signal("STOP", family());
        paused = true;
    }

    void resume() {
        signal("CONT", family());
        paused = false;
    }

    /** Ends a server whose JVM was killed. It ends by itself where setpriv is; a stopped one has to be woken. */
    static void end(ProcessHandle orphan) {
        var family = new ArrayList<ProcessHandle>();
        family.add(orphan);
        orphan.descendants().forEach(family::add);
        signal("CONT", family);
        signal("INT", List.of(orphan));
        if (!haveEnded(family, FAST_SHUTDOWN)) {
            family.forEach(ProcessHandle::destroyForcibly);
            if (!haveEnded(family, FAST_SHUTDOWN)) {
                throw new EmbeddedException(
                        "the PostgreSQL of an earlier run, process " + orphan.pid() + ", does not end");
            }
        }
    }

    private List<ProcessHandle> family() {
        var family = new ArrayList<ProcessHandle>();
        family.add(process.toHandle());
        process.descendants().forEach(family::add);
        return family;
    }

    private void readLog(Process own) throws IOException {
        try (var lines = own.inputReader(StandardCharsets.UTF_8)) {
            for (var line = lines.readLine(); line != null; line = lines.readLine()) {
                synchronized (lastLines) {
                    lastLines.addLast(line);
                    if (lastLines.size() > LINES_KEPT) {
                        lastLines.removeFirst();
                    }
                }
                if (line.startsWith("PANIC") || (line.startsWith("FATAL") && !stopping)) {
                    LOG.warn("PostgreSQL: {}", line);
                } else {
                    LOG.debug("PostgreSQL: {}", line);
                }
            }
        }
    }

    private void awaitKeeper() {
        try {
            keeper.join(FAST_SHUTDOWN.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static boolean haveEnded(List<ProcessHandle> processes, Duration limit) {
        var deadlineNs = System.nanoTime() + limit.toNanos();
        while (!processes.stream().allMatch(PostgresProcess::hasEnded)) {
            if (System.nanoTime() > deadlineNs) {
                return false;
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(POLL_MS));
        }
        return true;
    }

    /** A zombie has ended too: in a container there may be nobody to reap the children of a killed server. */
    private static boolean hasEnded(ProcessHandle process) {
        if (!process.isAlive()) {
            return true;
        }
        try {
            var stat = Files.readString(Path.of("/proc", String.valueOf(process.pid()), "stat"));
            return stat.startsWith(" Z", stat.lastIndexOf(')') + 1);
        } catch (IOException e) {
            return true;
        }
    }

    /** By the shell, which always has kill built in: Java sends only TERM and KILL. */
    private static void signal(String signal, List<ProcessHandle> processes) {
        var command = new ArrayList<>(List.of("sh", "-c", "kill -s \"$@\" 2>/dev/null", "sh", signal));
        processes.forEach(each -> command.add(String.valueOf(each.pid())));
        try {
            new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start()
                    .waitFor(); // its status does not matter: a process may have just ended
        } catch (IOException e) {
            throw new EmbeddedException("sh, which sends signals to PostgreSQL, could not be executed", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new EmbeddedException("interrupted while sending a signal to PostgreSQL", e);
        }
    }
}
