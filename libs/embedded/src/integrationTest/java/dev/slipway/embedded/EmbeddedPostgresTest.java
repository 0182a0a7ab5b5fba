package dev.slipway.embedded;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** JUnit's directories are closed to other users: as root, this is the checkout below /root. */
class EmbeddedPostgresTest {
    @TempDir
    static Path root;

    private static EmbeddedPostgres postgres;

    @BeforeAll
    static void start() {
        postgres = start(0);
    }

    @AfterAll
    static void stop() {
        postgres.close();
    }

    @Test
    void start_isDurableAndListensOnLoopbackOnly() throws SQLException {
        try (var connection = Clients.connect(postgres)) {
            assertThat(Clients.query(connection, "SHOW fsync")).isEqualTo("on");
            assertThat(Clients.query(connection, "SHOW synchronous_commit")).isEqualTo("on");
            assertThat(Clients.query(connection, "SHOW listen_addresses")).isEqualTo("127.0.0.1");
            assertThat(Clients.query(connection, "SHOW unix_socket_directories"))
                    .isEmpty();
            assertThat(Clients.query(connection, "SHOW server_encoding")).isEqualTo("UTF8");
            assertThat(Clients.query(connection, "SELECT current_database() || current_user"))
                    .isEqualTo(postgres.database() + postgres.user());
        }
    }

    @Test
    void connect_isRefused_whenThePasswordIsWrong() {
        assertThatThrownBy(() -> Clients.connect(postgres.uri().replace(postgres.password(), "guess")))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("password authentication failed");
    }

    @Test
    void password_isReadableByNobodyElse() throws IOException {
        var file = root.resolve("postgres/password");

        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        assertThat(file).hasContent(postgres.password());
    }

    @Test
    void restart_keepsDataAndPort() throws SQLException {
        var uri = postgres.uri();
        try (var connection = Clients.connect(uri)) {
            Clients.execute(connection, "CREATE TABLE restarted AS SELECT 'kept' AS word");
        }

        postgres.restart();

        try (var connection = Clients.connect(uri)) {
            assertThat(Clients.query(connection, "SELECT word FROM restarted")).isEqualTo("kept");
        }
    }

    @Test
    void restart_recoversWhatWasCommitted_whenKilled() throws SQLException {
        try (var connection = Clients.connect(postgres)) {
            Clients.execute(connection, "CREATE TABLE killed AS SELECT 'kept' AS word");

            postgres.kill();

            assertThatThrownBy(() -> Clients.query(connection, "SELECT 1")).isInstanceOf(SQLException.class);
        }
        postgres.restart();
        try (var connection = Clients.connect(postgres)) {
            assertThat(Clients.query(connection, "SELECT word FROM killed")).isEqualTo("kept");
        }
    }

    @Test
    void restart_succeeds_whenAStrangerHasTheProcessIdOfAKilledServer() throws Exception {
        postgres.kill();
        var pidFile = root.resolve("postgres/data/postmaster.pid");
        var lines = Files.readAllLines(pidFile);
        lines.set(0, String.valueOf(ProcessHandle.current().pid()));
        Files.write(pidFile, lines);

        postgres.restart();

        try (var connection = Clients.connect(postgres)) {
            assertThat(Clients.query(connection, "SELECT 1")).isEqualTo("1");
        }
    }

    @Test
    void pause_leavesQueriesWithoutAnswer_untilResumed() throws Exception {
        try (var connection = Clients.connect(postgres)) {
            // When
            postgres.pause();
            var answer = CompletableFuture.supplyAsync(() -> {
                try {
                    return Clients.query(connection, "SELECT 'late'");
                } catch (SQLException e) {
                    throw new AssertionError(e);
                }
            });

            // Then
            assertThatThrownBy(() -> answer.get(500, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
            postgres.resume();
            assertThat(answer.get(10, TimeUnit.SECONDS)).isEqualTo("late");
        }
    }

    @Test
    void restart_succeeds_whenPaused() throws SQLException {
        postgres.pause();

        postgres.restart();

        try (var connection = Clients.connect(postgres)) {
            assertThat(Clients.query(connection, "SELECT 1")).isEqualTo("1");
        }
    }

    @Test
    void start_endsTheServerOfAnEarlierRun_whenItStillRuns() throws SQLException {
        var earlier = postgres;

        postgres = start(0);

        assertThat(postgres.password()).isEqualTo(earlier.password());
        assertThatThrownBy(() -> Clients.connect(earlier)).isInstanceOf(SQLException.class);
        try (var connection = Clients.connect(postgres)) {
            assertThat(Clients.query(connection, "SELECT 1")).isEqualTo("1");
        }
        earlier.close();
    }

    @Test
    void start_namesThePort_whenTaken() throws IOException {
        try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThatThrownBy(() -> EmbeddedPostgres.start(
                            root.resolve("other"), root.resolve("binaries"), taken.getLocalPort()))
                    .isInstanceOf(PortInUseException.class)
                    .hasMessage("port " + taken.getLocalPort() + " is already in use");
        }
    }

    private static EmbeddedPostgres start(int port) {
        return EmbeddedPostgres.start(root.resolve("postgres"), root.resolve("binaries"), port);
    }
}
