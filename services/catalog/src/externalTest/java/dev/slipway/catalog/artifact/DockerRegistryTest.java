package dev.slipway.catalog.artifact;

import dev.slipway.catalog.artifact.credential.CredentialIssuer.CredentialRequest;
import dev.slipway.catalog.artifact.credential.CredentialIssuer.Lease;
import dev.slipway.catalog.artifact.credential.RegistryTokenIssuer;
import dev.slipway.catalog.artifact.credential.RegistryTokenKey;
import dev.slipway.catalog.artifact.source.SourceLocation;
import dev.slipway.testkit.Eventually;
import dev.slipway.testkit.RegistryPusher;
import dev.slipway.testkit.TestCertificate;
import io.vertx.core.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/** The registry test cases against Debian's docker-registry, configured to accept tokens that this service signs. */
class DockerRegistryTest extends RegistryCases {
    private static final Path PROGRAM = Path.of("/usr/bin/docker-registry");
    private static final String SERVICE = "registry-under-test";
    private static final Duration A_MINUTE = Duration.ofMinutes(1);
    private static RegistryTokenKey key;
    private static Process registry;
    private static int port;

    @BeforeAll
    static void start(@TempDir Path directory) throws IOException {
        if (!Files.isExecutable(PROGRAM)) {
            throw new AssertionError("The package docker-registry is missing: apt-get install docker-registry");
        }
        var certificate = TestCertificate.in(directory);
        key = RegistryTokenKey.parse(
                Files.readString(certificate.keyFile()), Files.readString(certificate.certificateFile()));
        port = freePort();
        var config = Files.writeString(directory.resolve("config.yml"), """
                version: 0.1
                log: {level: error, accesslog: {disabled: true}}
                storage: {filesystem: {rootdirectory: %s}}
                http: {addr: '127.0.0.1:%d'}
                auth:
                  token: {realm: 'http://127.0.0.1:%d/token', service: %s, issuer: slipway, rootcertbundle: %s}
                """.formatted(
                        directory.resolve("data"), port, port, SERVICE, certificate.certificateFile()));
        registry = new ProcessBuilder(PROGRAM.toString(), "serve", config.toString())
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("log.txt").toFile())
                .start();
        Eventually.eventually(() -> {
            assertThat(registry.isAlive())
                    .as(Files.readString(directory.resolve("log.txt")))
                    .isTrue();
            new Socket(InetAddress.getLoopbackAddress(), port).close();
        });
    }

    @AfterAll
    static void stop() {
        registry.destroy();
    }

    @Override
    String host() {
        return "127.0.0.1:" + port;
    }

    @Override
    boolean takesTokens() {
        return true;
    }

    @Override
    Future<String> pullToken(SourceLocation at) {
        return token(at.path(), List.of("pull"), Clock.systemUTC());
    }

    @Override
    RegistryPusher pusher(String repository) {
        return new RegistryPusher(
                "http://" + host(), await(token(repository, List.of("pull", "push"), Clock.systemUTC())));
    }

    @Test
    void token_isValidForItsRepositoryAndActions_untilItExpires() {
        var repository = repository();
        var url = "http://" + host();
        pusher(repository).image(repository, "v1", "content");
        var longAgo = Clock.fixed(Instant.now().minus(Duration.ofHours(1)), ZoneOffset.UTC);

        var puller = new RegistryPusher(url, await(token(repository, List.of("pull"), Clock.systemUTC())));
        assertThat(puller.tryReadManifest(repository, "manifests/v1")).isEqualTo(200);
        assertThat(puller.tryStartUpload(repository)).isEqualTo(401);
        assertThat(puller.tryReadManifest(repository(), "manifests/v1")).isEqualTo(401);
        var late = new RegistryPusher(url, await(token(repository, List.of("pull"), longAgo)));
        assertThat(late.tryReadManifest(repository, "manifests/v1")).isEqualTo(401);
        assertThat(new RegistryPusher(url, null).tryReadManifest(repository, "manifests/v1"))
                .isEqualTo(401);
    }

    private static Future<String> token(String repository, List<String> actions, Clock clock) {
        return new RegistryTokenIssuer(vertx, key, "slipway", clock)
                .issue(new CredentialRequest("tester", SERVICE, repository, actions, A_MINUTE))
                .map(Lease::token);
    }

    private static int freePort() throws IOException {
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
