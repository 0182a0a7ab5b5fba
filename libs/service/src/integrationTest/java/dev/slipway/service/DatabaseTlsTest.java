package dev.slipway.service;

import dev.slipway.embedded.EmbeddedPostgres;
import dev.slipway.testkit.TestCertificate;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** A database that accepts only TLS connections. */
class DatabaseTlsTest {
    private static TestCertificate certificate;
    private static EmbeddedPostgres server;
    private static Vertx vertx;

    @TempDir
    private static Path directory;

    @BeforeAll
    static void start() throws IOException {
        certificate = TestCertificate.in(directory.resolve("server"), "127.0.0.1");
        server = EmbeddedPostgres.start(directory.resolve("postgres"), directory.resolve("binaries"), 0);
        var data = directory.resolve("postgres/data");
        give(data, "server.crt", certificate.certificateFile());
        give(data, "server.key", certificate.keyFile());
        Files.writeString(data.resolve("postgresql.conf"), "\nssl = on\n", StandardOpenOption.APPEND);
        var rules = data.resolve("pg_hba.conf");
        Files.writeString(rules, Files.readString(rules).replaceAll("(?m)^host\\b", "hostssl"));
        server.restart();
        vertx = Vertx.vertx();
    }

    /** PostgreSQL rejects a key file that others can read, and may run as another user. */
    private static void give(Path data, String name, Path file) throws IOException {
        var copy = Files.copy(file, data.resolve(name));
        Files.setPosixFilePermissions(copy, PosixFilePermissions.fromString("rw-------"));
        Files.setOwner(copy, Files.getOwner(data));
    }

    @AfterAll
    static void stop() throws Exception {
        await(vertx.close());
        server.close();
    }

    private static <T> T await(Future<T> future) throws Exception {
        return future.toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
    }

    @Test
    void connections_areEncrypted() throws Exception {
        isEncrypted(new DatabaseSettings(
                server.uri(), 2, certificate.certificateFile().toString()));
    }

    @Test
    void connections_areEncrypted_whenUrlRequiresIt() throws Exception {
        isEncrypted(new DatabaseSettings(server.uri() + "?sslmode=require", 2));
    }

    private static void isEncrypted(DatabaseSettings settings) throws Exception {
        var serviceDatabase = await(ServiceDatabase.open(vertx, settings, "alpha", false));

        for (var client : List.of(serviceDatabase.transactions(), serviceDatabase.reads())) {
            var encrypted = await(client.query("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()")
                    .execute());
            assertThat(encrypted.iterator().next().getBoolean(0)).isTrue();
        }
        await(serviceDatabase.close());
    }

    @Test
    void connection_fails_whenCertificateHasAnotherIssuer() {
        var stranger = TestCertificate.in(directory.resolve("stranger"), "127.0.0.1");
        var settings =
                new DatabaseSettings(server.uri(), 2, stranger.certificateFile().toString());

        assertThatThrownBy(() -> await(settings.tryConnection(vertx))).hasMessageContaining("SSL");
    }

    @Test
    void connection_fails_whenHostNameDiffers() {
        var elsewhere = server.uri().replace("127.0.0.1", "localhost");
        var settings =
                new DatabaseSettings(elsewhere, 2, certificate.certificateFile().toString());

        assertThatThrownBy(() -> await(settings.tryConnection(vertx))).hasMessageContaining("SSL");
    }
}
