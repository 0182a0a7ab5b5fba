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

/** The temporary directory of JUnit is not accessible to other users, like a checkout below /root. */
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
        try (var connection = TestClients.connect(postgres)) {
            assertThat(TestClients.query(connection, "SHOW fsync")).isEqualTo("on");
            assertThat(TestClients.query(connection, "SHOW synchronous_commit")).isEqualTo("on");
            assertThat(TestClients.query(connection, "SHOW listen_addresses")).isEqualTo("127.0.0.1");
            assertThat(TestClients.query(connection, "SHOW unix_socket_directories"))
                    .isEmpty();
            assertThat(TestClients.query(connection, "SHOW server_encoding")).isEqualTo("UTF8");
            assertThat(TestClients.query(connection, "SELECT current_database() || current_user"))
                    .isEqualTo(postgres.database() + postgres.user());
        }
    }

    @Test
    void connect_fails_whenPasswordIsWrong() {
        assertThatThrownBy(() -> TestClients.connect(postgres.uri().replace(postgres.password(), "guess")))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("password authentication failed");
    }

    @Test
    void passwordFile_isReadableByOwnerOnly() throws IOException {
        var file = root.resolve("postgres/password");

        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        assertThat(file).hasContent(postgres.password());
    }

    @Test
    void restart_keepsDataAndPort() throws SQLException {
        var uri = postgres.uri();
        try (var connection = TestClients.connect(uri)) {
            TestClients.execute(connection, "CREATE TABLE restarted AS SELECT 'kept' AS word");
        }

        postgres.restart();

        try (var connection = TestClients.connect(uri)) {
            assertThat(TestClients.query(connection, "SELECT word FROM restarted"))
                    .isEqualTo("kept");
        }
    }

    @Test
    void restart_recoversCommittedData_whenKilled() throws SQLException {
        try (var connection = TestClients.connect(postgres)) {
            TestClients.execute(connection, "CREATE TABLE killed AS SELECT 'kept' AS word");

            postgres.kill();

            assertThatThrownBy(() -> TestClients.query(connection, "SELECT 1")).isInstanceOf(SQLException.class);
        }
        postgres.restart();
        try (var connection = TestClients.connect(postgres)) {
            assertThat(TestClients.query(connection, "SELECT word FROM killed")).isEqualTo("kept");
        }
    }

    @Test
    void restart_succeeds_whenProcessIdOfKilledServerIsReused() throws Exception {
        postgres.kill();
        var pidFile = root.resolve("postgres/data/postmaster.pid");
        var lines = Files.readAllLines(pidFile);
        lines.set(0, String.valueOf(ProcessHandle.current().pid()));
        Files.write(pidFile, lines);

        postgres.restart();

        try (var connection = TestClients.connect(postgres)) {
            assertThat(TestClients.query(connection, "SELECT 1")).isEqualTo("1");
        }
    }

    @Test
    void pause_suspendsQueries_untilResumed() throws Exception {
        try (var connection = TestClients.connect(postgres)) {
            // When
            postgres.pause();
            var answer = CompletableFuture.supplyAsync(() -> {
                try {
                    return TestClients.query(connection, "SELECT 'late'");
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

        try (var connection = TestClients.connect(postgres)) {
            assertThat(TestClients.query(connection, "SELECT 1")).isEqualTo("1");
        }
    }

    @Test
    void start_terminatesServerOfEarlierRun() throws SQLException {
        var earlier = postgres;

        postgres = start(0);

        assertThat(postgres.password()).isEqualTo(earlier.password());
        assertThatThrownBy(() -> TestClients.connect(earlier)).isInstanceOf(SQLException.class);
        try (var connection = TestClients.connect(postgres)) {
            assertThat(TestClients.query(connection, "SELECT 1")).isEqualTo("1");
        }
        earlier.close();
    }

    @Test
    void start_reportsPort_whenInUse() throws IOException {
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
