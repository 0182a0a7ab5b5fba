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
 * Runs a durable PostgreSQL server as a child process on 127.0.0.1. The server stops with this JVM.
 *
 * <p>Started by root, it runs under another account. The data directory may be below a directory that this account cannot access, such as
 * /root: it is the working directory of the server, which refers to it as {@code /proc/self/cwd}.
 */
public final class EmbeddedPostgres implements AutoCloseable {
    private static final String NAME = "slipway";
    private static final String WORKING_DIRECTORY = "/proc/self/cwd";
    private static final Duration START = Duration.ofSeconds(60);
    private static final long POLL_MS = 5;
    /** Key stretching slows down every connection and only protects guessable passwords. Ours are random. */
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
            "autovacuum_naptime=10s", // removes deleted outbox rows before they fill many pages
            "track_commit_timestamp=on", // allows measuring the delay between commit and event
            "io_method=sync", // I/O workers would be three more processes
            "timezone=UTC",
            "log_timezone=UTC",
            "log_line_prefix=",
            "log_checkpoints=off",
            // Clients receive their errors; logging them would write user data to the log.
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
     * Starts with the existing data of the directory, or initializes a new cluster.
     *
     * @param port 0 for any free port; the caller must pass the same port after a restart of the JVM to keep it
     */
    public static EmbeddedPostgres start(Path dataDirectory, Path binariesDirectory, int port) {
        var directory = dataDirectory.toAbsolutePath().normalize();
        var account = ServerAccount.forData(directory.resolve("data"));
        var home = PostgresBinaries.unpack(binariesDirectory.toAbsolutePath().normalize(), account);
        try {
            Files.createDirectories(directory);
            Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
            account.changeOwner(directory);
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

    /** Returns the URI including the password. Do not log it. */
    public String uri() {
        return "postgresql://" + user() + ":" + password + "@" + LoopbackPort.HOST + ":" + port() + "/" + database();
    }

    /** Restarts the server on the same port, also after {@link #kill()}. All sessions are closed. */
    public synchronized void restart() {
        stop();
        try {
            launch(port);
        } catch (IOException e) {
            throw new EmbeddedException("PostgreSQL could not be started again in " + directory + ": " + e, e);
        }
    }

    /** Suspends the server and all sessions, like an overloaded machine: clients get neither an answer nor an error. */
    public synchronized void pause() {
        requireServer().pause();
    }

    public synchronized void resume() {
        requireServer().resume();
    }

    /** Sends SIGKILL to all server processes. {@link #restart()} then recovers the data. */
    public synchronized void kill() {
        requireServer().kill();
        server = null;
    }

    @Override
    public synchronized void close() {
        stop();
    }

    private PostgresProcess requireServer() {
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
                throw new EmbeddedException("the PostgreSQL data directory exists but its password file " + file
                        + " is missing; restore the file");
            }
            var random = new byte[24];
            new SecureRandom().nextBytes(random);
            var fresh = directory.resolve("password.new");
            Files.deleteIfExists(fresh);
            Files.createFile(fresh, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            Files.writeString(fresh, HexFormat.of().formatHex(random));
            Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
        }
        account.hideFromServer(file); // other programs may run as the same user as the server
        return Files.readString(file).strip();
    }

    /** Initializes a temporary directory and renames it at the end, so that a kill in between leaves no incomplete cluster. */
    private void initialize() throws IOException {
        if (Files.exists(data)) {
            return;
        }
        var unfinished = directory.resolve("data.new");
        PostgresBinaries.delete(unfinished);
        Files.createDirectory(
                unfinished, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        account.changeOwner(unfinished);
        var passwordFile = unfinished.resolveSibling("password.initdb");
        writePassword(passwordFile);
        // Synchronizes to disk once at the end instead of in every step.
        run(
                unfinished,
                "",
                List.of(
                        executable("initdb"),
                        "--pgdata=" + WORKING_DIRECTORY,
                        "--username=" + NAME,
                        "--pwfile=../password.initdb",
                        "--auth=scram-sha-256",
                        "--set=" + NO_STRETCHING,
                        "--encoding=UTF8",
                        "--locale=C",
                        "--no-sync"));
        Files.delete(passwordFile);
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

    /** Writes the password for initdb, which runs as the user of the server. */
    private void writePassword(Path file) throws IOException {
        Files.deleteIfExists(file);
        Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(file, password);
        account.changeOwner(file);
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
                throw new EmbeddedException("PostgreSQL could not be initialized: " + errorLines(output)
                        + "; set SLIPWAY_DATABASE_URL to use an external server");
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
            throw new EmbeddedException("interrupted while initializing PostgreSQL", e);
        }
    }

    /** Returns the output of initdb from the first error on. */
    private static String errorLines(String output) {
        var lines = output.strip().lines().map(String::strip).toList();
        var first = lines.stream()
                .filter(line -> line.contains("error:") || line.contains("FATAL:"))
                .findFirst();
        return String.join(" | ", lines.subList(first.map(lines::indexOf).orElse(0), lines.size()));
    }

    private void launch(int wantedPort) throws IOException {
        var deadlineNs = System.nanoTime() + START.toNanos();
        terminatePredecessor();
        if (wantedPort != 0) {
            LoopbackPort.requireFree(wantedPort);
        }
        while (true) {
            port = wantedPort == 0 ? LoopbackPort.findFree() : wantedPort;
            var attempt = new PostgresProcess(process(data, serverCommand()));
            if (isReady(attempt, deadlineNs)) {
                server = attempt;
                return;
            }
            attempt.kill();
            var log = attempt.lastLogLines();
            var portTaken = log.contains("Address already in use");
            if (portTaken && wantedPort != 0) {
                throw new PortInUseException(wantedPort);
            }
            // Sessions of a killed server end a moment later and keep its shared memory until then.
            var again = portTaken || log.contains("is still in use");
            if (!again || System.nanoTime() > deadlineNs) {
                throw new EmbeddedException("PostgreSQL did not start in " + data + ": " + log);
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(POLL_MS * 10));
        }
    }

    private List<String> serverCommand() {
        var command =
                new ArrayList<>(List.of(executable("postgres"), "-D", WORKING_DIRECTORY, "-p", String.valueOf(port)));
        SETTINGS.forEach(setting -> command.addAll(List.of("-c", setting)));
        command.addAll(List.of("-c", dataMarker()));
        return command;
    }

    /** Returns a setting without effect that identifies the data directory in the process list. */
    private String dataMarker() {
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
     * Terminates the server of an earlier JVM that was killed, if it still runs. If its process id now belongs to another process, deletes
     * the pid file, because PostgreSQL would assume that the server is running.
     */
    private void terminatePredecessor() throws IOException {
        var lines = pidFile();
        if (lines.isEmpty()) {
            return;
        }
        var predecessor = ProcessHandle.of(Long.parseLong(lines.get(0).strip()));
        if (predecessor.isEmpty()) {
            return;
        }
        var commandLine = Path.of("/proc", String.valueOf(predecessor.get().pid()), "cmdline");
        if (readIfExists(commandLine).contains(dataMarker())) {
            PostgresProcess.terminateOrphan(predecessor.get());
        } else {
            Files.deleteIfExists(data.resolve("postmaster.pid"));
        }
    }

    private List<String> pidFile() throws IOException {
        return readIfExists(data.resolve("postmaster.pid")).lines().toList();
    }

    private static String readIfExists(Path file) throws IOException {
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
        var process = new ProcessBuilder(account.wrapCommand(command))
                .directory(workingDirectory.toFile())
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                .redirectErrorStream(true);
        var path = System.getenv("PATH");
        process.environment().clear(); // PGOPTIONS, LANG and similar variables would change the server
        process.environment().put("PATH", path == null ? "/usr/bin:/bin" : path);
        return process;
    }
}
