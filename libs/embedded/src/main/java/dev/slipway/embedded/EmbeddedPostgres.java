package dev.slipway.embedded;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A durable PostgreSQL server as a child process, on 127.0.0.1 only, that ends with this JVM.
 *
 * <p>As root it runs under another account. Its data may still be below a directory that this account cannot enter,
 * such as /root: the server gets it as its working directory and names it {@code /proc/self/cwd}.
 */
public final class EmbeddedPostgres implements AutoCloseable {
    private static final String NAME = "slipway";
    private static final String WORKING_DIRECTORY = "/proc/self/cwd";
    private static final Duration START = Duration.ofSeconds(60);
    private static final long POLL_MS = 5;
    /** Makes a guess cost much, and each connection with it. These passwords are random: nobody comes near one by guessing. */
    private static final String NO_STRETCHING = "scram_iterations=1";

    private static final List<String> SETTINGS = List.of(
            NO_STRETCHING,
            "listen_addresses=" + LoopbackPort.HOST,
            "unix_socket_directories=",
            "fsync=on",
            "synchronous_commit=on",
            "max_connections=200",
            "shared_buffers=64MB",
            "max_wal_size=512MB",
            "min_wal_size=64MB",
            "wal_level=minimal",
            "max_wal_senders=0",
            "max_logical_replication_workers=0",
            "autovacuum_naptime=10s", // what an outbox leaves behind is swept before it is many pages
            "track_commit_timestamp=on", // says how long after its commit something was seen
            "io_method=sync", // its workers cost three processes
            "timezone=UTC",
            "log_timezone=UTC",
            "log_line_prefix=",
            "log_checkpoints=off",
            // An application hears of its errors; here they would put its data into the log.
            "log_min_messages=log",
            "log_min_error_statement=panic");

    private final Path directory;
    private final Path data;
    private final Path home;
    private final ServerAccount account;
    private final String password;
    private int port;
    private @Nullable PostgresProcess server;

    private EmbeddedPostgres(Path directory, Path home, ServerAccount account, String password) {
        this.directory = directory;
        this.data = directory.resolve("data");
        this.home = home;
        this.account = account;
        this.password = password;
    }

    /**
     * Starts on what the data directory holds, or on a new cluster.
     *
     * @param port 0 for a free one; keeping it over restarts of the JVM is the caller's matter
     */
    public static EmbeddedPostgres start(Path dataDirectory, Path binariesDirectory, int port) {
        var directory = dataDirectory.toAbsolutePath().normalize();
        var account = ServerAccount.forData(directory.resolve("data"));
        var home = PostgresBinaries.unpack(binariesDirectory.toAbsolutePath().normalize(), account);
        try {
            Files.createDirectories(directory);
            Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
            account.own(directory);
            var postgres = new EmbeddedPostgres(directory.toRealPath(), home, account, password(directory, account));
            postgres.initialize();
            postgres.launch(port);
            return postgres;
        } catch (IOException e) {
            throw new EmbeddedException("PostgreSQL could not be prepared in " + directory + ": " + e, e);
        }
    }

    public synchronized int port() {
        return port;
    }

    public String user() {
        return NAME;
    }

    public String password() {
        return password;
    }

    public String database() {
        return NAME;
    }

    /** With the password in it: not for logs. */
    public String uri() {
        return "postgresql://" + user() + ":" + password + "@" + LoopbackPort.HOST + ":" + port() + "/" + database();
    }

    /** Ends every session and comes back on the same port, also after {@link #kill()}. */
    public synchronized void restart() {
        stop();
        try {
            launch(port);
        } catch (IOException e) {
            throw new EmbeddedException("PostgreSQL could not be started again in " + directory + ": " + e, e);
        }
    }

    /** Freezes the server with all its sessions, as an overloaded machine would: nobody gets an answer or an error. */
    public synchronized void pause() {
        running().pause();
    }

    public synchronized void resume() {
        running().resume();
    }

    /** SIGKILL to all of its processes; {@link #restart()} then recovers. */
    public synchronized void kill() {
        running().kill();
        server = null;
    }

    @Override
    public synchronized void close() {
        stop();
    }

    private PostgresProcess running() {
        if (server == null) {
            throw new EmbeddedException("PostgreSQL is not running");
        }
        return server;
    }

    private void stop() {
        if (server != null) {
            server.stop();
            server = null;
        }
    }

    private static String password(Path directory, ServerAccount account) throws IOException {
        var file = directory.resolve("password");
        if (!Files.exists(file)) {
            if (Files.exists(directory.resolve("data"))) {
                throw new EmbeddedException(
                        "the data of PostgreSQL is there but its password " + file + " is missing; put it back");
            }
            var random = new byte[24];
            new SecureRandom().nextBytes(random);
            var fresh = directory.resolve("password.new");
            Files.deleteIfExists(fresh);
            Files.createFile(fresh, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            Files.writeString(fresh, HexFormat.of().formatHex(random));
            Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
        }
        account.own(file); // initdb reads it
        return Files.readString(file).strip();
    }

    /** In another directory that gets its name when it is complete: a kill in between leaves no half cluster. */
    private void initialize() throws IOException {
        if (Files.exists(data)) {
            return;
        }
        var unfinished = directory.resolve("data.new");
        PostgresBinaries.delete(unfinished);
        Files.createDirectory(
                unfinished, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        account.own(unfinished);
        // Waits for the disk once, at the end, instead of at every step.
        run(
                unfinished,
                "",
                List.of(
                        executable("initdb"),
                        "--pgdata=" + WORKING_DIRECTORY,
                        "--username=" + NAME,
                        "--pwfile=../password",
                        "--auth=scram-sha-256",
                        "--set=" + NO_STRETCHING,
                        "--encoding=UTF8",
                        "--locale=C",
                        "--no-sync"));
        run(
                unfinished,
                "CREATE DATABASE " + NAME + " STRATEGY file_copy\n",
                List.of(
                        executable("postgres"),
                        "--single",
                        "-D",
                        WORKING_DIRECTORY,
                        "-c",
                        "fsync=off",
                        "-c",
                        "exit_on_error=on",
                        "postgres"));
        run(unfinished, "", List.of(executable("initdb"), "--pgdata=" + WORKING_DIRECTORY, "--sync-only"));
        Files.move(unfinished, data, StandardCopyOption.ATOMIC_MOVE);
    }

    private void run(Path workingDirectory, String input, List<String> command) throws IOException {
        var process = process(workingDirectory, command)
                .redirectInput(ProcessBuilder.Redirect.PIPE)
                .start();
        try (var stdin = process.getOutputStream()) {
            stdin.write(input.getBytes(StandardCharsets.UTF_8));
        }
        var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            if (!process.waitFor(START.toSeconds(), TimeUnit.SECONDS) || process.exitValue() != 0) {
                process.destroyForcibly();
                throw new EmbeddedException("PostgreSQL could not be initialized: " + complaint(output)
                        + "; set SLIPWAY_DATABASE_URL to use another");
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
            throw new EmbeddedException("interrupted while initializing PostgreSQL", e);
        }
    }

    /** Of all that initdb tells, the part that is about the failure. */
    private static String complaint(String output) {
        var lines = output.strip().lines().map(String::strip).toList();
        var first = lines.stream()
                .filter(line -> line.contains("error:") || line.contains("FATAL:"))
                .findFirst();
        return String.join(" | ", lines.subList(first.map(lines::indexOf).orElse(0), lines.size()));
    }

    private void launch(int wantedPort) throws IOException {
        var deadlineNs = System.nanoTime() + START.toNanos();
        endPredecessor();
        if (wantedPort != 0) {
            LoopbackPort.requireFree(wantedPort);
        }
        while (true) {
            port = wantedPort == 0 ? LoopbackPort.free() : wantedPort;
            var attempt = new PostgresProcess(process(data, serverCommand()));
            if (isReady(attempt, deadlineNs)) {
                server = attempt;
                return;
            }
            attempt.kill();
            var words = attempt.lastWords();
            var portTaken = words.contains("Address already in use");
            if (portTaken && wantedPort != 0) {
                throw new PortInUseException(wantedPort);
            }
            // Sessions of a killed server end a moment after it, and hold its shared memory until then.
            var again = portTaken || words.contains("is still in use");
            if (!again || System.nanoTime() > deadlineNs) {
                throw new EmbeddedException("PostgreSQL did not start in " + data + ": " + words);
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(POLL_MS * 10));
        }
    }

    private List<String> serverCommand() {
        var command =
                new ArrayList<>(List.of(executable("postgres"), "-D", WORKING_DIRECTORY, "-p", String.valueOf(port)));
        SETTINGS.forEach(setting -> command.addAll(List.of("-c", setting)));
        command.addAll(List.of("-c", mark()));
        return command;
    }

    /** Means nothing to the server. In the process list it tells whose data this is, to us and to people. */
    private String mark() {
        return "slipway.data=" + data;
    }

    private boolean isReady(PostgresProcess attempt, long deadlineNs) throws IOException {
        while (attempt.isAlive() && System.nanoTime() < deadlineNs) {
            var lines = pidFile();
            if (lines.size() > 7
                    && lines.get(0).equals(String.valueOf(attempt.pid()))
                    && lines.get(7).strip().equals("ready")) {
                return true;
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(POLL_MS));
        }
        return false;
    }

    /**
     * After a kill -9 of the JVM its server may not have ended yet. The other way round, the process id in the file may
     * meanwhile belong to a stranger, which PostgreSQL would take for a live server.
     */
    private void endPredecessor() throws IOException {
        var lines = pidFile();
        if (lines.isEmpty()) {
            return;
        }
        var predecessor = ProcessHandle.of(Long.parseLong(lines.get(0).strip()));
        if (predecessor.isEmpty()) {
            return;
        }
        var commandLine = Path.of("/proc", String.valueOf(predecessor.get().pid()), "cmdline");
        if (readIfThere(commandLine).contains(mark())) {
            PostgresProcess.end(predecessor.get());
        } else {
            Files.deleteIfExists(data.resolve("postmaster.pid"));
        }
    }

    private List<String> pidFile() throws IOException {
        return readIfThere(data.resolve("postmaster.pid")).lines().toList();
    }

    private static String readIfThere(Path file) throws IOException {
        try {
            return Files.readString(file);
        } catch (NoSuchFileException e) {
            return "";
        }
    }

    private String executable(String name) {
        return home.resolve("bin").resolve(name).toString();
    }

    private ProcessBuilder process(Path workingDirectory, List<String> command) {
        var process = new ProcessBuilder(account.command(command))
                .directory(workingDirectory.toFile())
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                .redirectErrorStream(true);
        var path = System.getenv("PATH");
        process.environment().clear(); // PGOPTIONS, LANG and their like would change the server
        process.environment().put("PATH", path == null ? "/usr/bin:/bin" : path);
        return process;
    }
}
