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

/** Controls a running {@code postgres} server, its child processes and its log. */
final class PostgresProcess {
    private static final Logger LOG = LoggerFactory.getLogger(PostgresProcess.class);
    private static final int MAX_LOG_LINES = 20;
    private static final long POLL_MS = 5;
    private static final Duration FAST_SHUTDOWN = Duration.ofSeconds(10);

    private final Process process;
    private final Deque<String> lastLines;
    private final Thread ownerThread;
    private volatile boolean stopping;
    private boolean paused;

    /**
     * Starts the process in a thread that lives as long as the process, because Linux sends the parent-death signal when the
     * <em>thread</em> ends, not the JVM.
     */
    PostgresProcess(ProcessBuilder command) {
        var started = new CompletableFuture<Process>();
        this.lastLines = new ArrayDeque<>();
        this.ownerThread = new Thread(
                () -> {
                    try {
                        var own = command.start();
                        started.complete(own);
                        readLog(own);
                        own.waitFor();
                    } catch (IOException | InterruptedException e) {
                        started.completeExceptionally(e); // no effect if the process has started
                    }
                },
                "embedded-postgres");
        ownerThread.setDaemon(true);
        ownerThread.start();
        try {
            this.process = started.join();
        } catch (CompletionException e) {
            throw new EmbeddedException(
                    "PostgreSQL could not be executed: " + e.getCause()
                            + "; set SLIPWAY_DATABASE_URL to use an external server",
                    e);
        }
    }

    long pid() {
        return process.pid();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Returns the last lines of the log; complete if the process has ended. */
    String lastLogLines() {
        if (!process.isAlive()) {
            awaitOwnerThread();
        }
        synchronized (lastLines) {
            return String.join(" | ", lastLines);
        }
    }

    /** Closes all sessions and shuts the server down; kills it after a timeout. */
    void stop() {
        stopping = true;
        if (paused) {
            resume();
        }
        if (process.isAlive()) {
            signal("INT", List.of(process.toHandle()));
            if (!haveEnded(List.of(process.toHandle()), FAST_SHUTDOWN)) {
                LOG.warn("PostgreSQL did not shut down within {}; killing it", FAST_SHUTDOWN);
                kill();
            }
        }
    }

    /** Kills all processes. The next start has to recover. */
    void kill() {
        stopping = true;
        var family = processTree();
        family.forEach(ProcessHandle::destroyForcibly);
        if (!haveEnded(family, FAST_SHUTDOWN)) {
            throw new EmbeddedException("PostgreSQL (process " + pid() + ") could not be killed");
        }
    }

    /** Suspends the postmaster first, so that it cannot start further processes. */
    void pause() {
        signal("STOP", List.of(process.toHandle()));
        signal("STOP", processTree());
        paused = true;
    }

    void resume() {
        signal("CONT", processTree());
        paused = false;
    }

    /** Terminates a server whose JVM was killed. With setpriv it ends by itself, unless it is suspended. */
    static void terminateOrphan(ProcessHandle orphan) {
        var family = new ArrayList<ProcessHandle>();
        family.add(orphan);
        orphan.descendants().forEach(family::add);
        signal("CONT", family);
        signal("INT", List.of(orphan));
        if (!haveEnded(family, FAST_SHUTDOWN)) {
            family.forEach(ProcessHandle::destroyForcibly);
            if (!haveEnded(family, FAST_SHUTDOWN)) {
                throw new EmbeddedException(
                        "PostgreSQL of an earlier run (process " + orphan.pid() + ") could not be terminated");
            }
        }
    }

    private List<ProcessHandle> processTree() {
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
                    if (lastLines.size() > MAX_LOG_LINES) {
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

    private void awaitOwnerThread() {
        try {
            ownerThread.join(FAST_SHUTDOWN.toMillis());
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

    /** Returns true for a zombie too: in a container there may be no init process that reaps it. */
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

    /** Sends a signal with the shell, because Java can only send TERM and KILL. */
    private static void signal(String signal, List<ProcessHandle> processes) {
        var command = new ArrayList<>(List.of("sh", "-c", "kill -s \"$@\" 2>/dev/null", "sh", signal));
        processes.forEach(each -> command.add(String.valueOf(each.pid())));
        try {
            new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start()
                    .waitFor(); // the exit status is irrelevant: a process may have just ended
        } catch (IOException e) {
            throw new EmbeddedException("sh could not be executed to send a signal to PostgreSQL", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new EmbeddedException("interrupted while sending a signal to PostgreSQL", e);
        }
    }
}
