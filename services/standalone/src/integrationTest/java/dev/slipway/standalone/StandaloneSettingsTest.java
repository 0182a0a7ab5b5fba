package dev.slipway.standalone;

import dev.slipway.settings.Settings.InvalidSettingsException;
import dev.slipway.testkit.TestCertificate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;

import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

/** Tests invalid settings, which are reported together, and TLS. */
class StandaloneSettingsTest {
    @TempDir
    private Path directory;

    @Test
    void settings_areRefusedTogether_whenSeveralAreWrong() {
        var wrong = new HashMap<>(Map.of(
                "SLIPWAY_HTTP_PORT", "eighty",
                "SLIPWAY_MANAGEMENT_PORT", "70000",
                "SLIPWAY_SERVICES", "iam,process-adapter,gatewy",
                "SLIPWAY_DEMO", "yes",
                "SLIPWAY_REPLY_TIMEOUT", "10 seconds",
                "SLIPWAY_AUTHZ_BUDGET_WRITES", "PT0S",
                "SLIPWAY_DATABASE_URL", "mysql://user:hunter2@localhost/slipway",
                "SLIPWAY_FIRST_ADMINISTRATOR", "somebody",
                "SLIPWAY_TLS_CERTIFICATE_FILE", "/nowhere/tls.crt",
                "SLIPWAY_KAFKA_CLIENT_FILE", "/nowhere/client.properties"));
        wrong.put("SLIPWAY_KEY_ENCRYPTION_KEY", "c2hvcnQ=");
        wrong.put("SLIPWAY_OIDC_ISSUERS", "/nowhere/issuers.json");
        wrong.put("SLIPWAY_RATE_PER_PRINCIPAL", "-1");
        wrong.put("SLIPWAY_DATABASE_CA_FILE", "/nowhere/ca.pem");
        wrong.put("SLIPWAY_ADAPTER_ID", "me");
        wrong.put("SLIPWAY_BASE_URL", "ftp://slipway");
        wrong.put("SLIPWAY_LOG", "/var/log/slipway.log");
        wrong.put("SLIPWAY_LOG_LEVEL", "LOUD");
        wrong.put("SLIPWAY_PROCESS_ADAPTER_MAX_CHILDREN", "many");

        assertThatThrownBy(() -> StandaloneConfig.from(wrong))
                .isInstanceOfSatisfying(InvalidSettingsException.class, e -> {
                    assertThat(e.errors())
                            .hasSize(wrong.size() + 3) // two pairs are not whole, and the adapter has no secret
                            .anyMatch(fault -> fault.contains("SLIPWAY_KAFKA_BOOTSTRAP and SLIPWAY_DATABASE_URL"));
                    wrong.keySet().forEach(name -> assertThat(e.errors())
                            .as("%s in %s", name, e.errors())
                            .anyMatch(fault -> fault.contains(name)));
                    assertThat(e.getMessage()).doesNotContain("hunter2");
                });
    }

    @Test
    void settings_areRefused_whenProductionHasNoKeyForItsSigningKeys() {
        var production = Map.of(
                "SLIPWAY_KAFKA_BOOTSTRAP", "kafka:9092",
                "SLIPWAY_DATABASE_URL", "postgresql://user:password@localhost/slipway");

        assertThatThrownBy(() -> StandaloneConfig.from(production))
                .hasMessageContaining("SLIPWAY_KEY_ENCRYPTION_KEY")
                .hasMessageContaining("SLIPWAY_RECORD_KEYS_DIRECTORY");

        var without = new HashMap<>(production);
        without.put("SLIPWAY_SERVICES", "gateway");
        without.put("SLIPWAY_RECORD_KEYS_DIRECTORY", directory.toString());
        assertThat(StandaloneConfig.from(without).iam().keyEncryptionKey()).isNull();
    }

    @Test
    void settings_areRefused_whenProductionHasNoCredentialForItsProcessAdapter() {
        var production = new HashMap<>(Map.of(
                "SLIPWAY_KAFKA_BOOTSTRAP", "kafka:9092",
                "SLIPWAY_DATABASE_URL", "postgresql://user:password@localhost/slipway",
                "SLIPWAY_RECORD_KEYS_DIRECTORY", directory.toString(),
                "SLIPWAY_SERVICES", "gateway,process-adapter"));

        assertThatThrownBy(() -> StandaloneConfig.from(production))
                .isInstanceOfSatisfying(
                        InvalidSettingsException.class,
                        e -> assertThat(e.errors()).singleElement(as(STRING)).contains("SLIPWAY_SERVICES"));

        production.put("SLIPWAY_ADAPTER_ID", UUID.randomUUID().toString());
        assertThatThrownBy(() -> StandaloneConfig.from(production)).hasMessageContaining("SLIPWAY_ADAPTER_SECRET_FILE");

        production.put("SLIPWAY_ADAPTER_SECRET_FILE", "/run/secrets/adapter");
        assertThat(StandaloneConfig.from(production).runs("process-adapter")).isTrue();
    }

    @Test
    void settings_areRefused_whenTheEmbeddedDatabaseIsToBeVerified() throws Exception {
        var authority = Files.writeString(directory.resolve("ca.pem"), "");

        assertThatThrownBy(() -> StandaloneConfig.from(Map.of("SLIPWAY_DATABASE_CA_FILE", authority.toString())))
                .hasMessageContaining("SLIPWAY_DATABASE_URL");
    }

    @ParameterizedTest
    @CsvSource({"verify-full, SLIPWAY_DATABASE_CA_FILE", "verify-ca, SLIPWAY_DATABASE_CA_FILE", "on, sslmode=require"})
    void settings_areRefused_whenTheUrlAsksForWhatCannotBeDone(String mode, String said) {
        var wrong = Map.of(
                "SLIPWAY_SERVICES", "gateway",
                "SLIPWAY_KAFKA_BOOTSTRAP", "kafka:9092",
                "SLIPWAY_DATABASE_URL", "postgresql://user:hunter2@localhost/slipway?sslmode=" + mode);

        assertThatThrownBy(() -> StandaloneConfig.from(wrong))
                .hasMessageContaining(said)
                .hasMessageNotContaining("hunter2");
    }

    @Test
    void settings_areRefused_whenATlsFileCannotBeRead() {
        var wrong = Map.of("SLIPWAY_TLS_CERTIFICATE_FILE", "/nowhere/a.crt", "SLIPWAY_TLS_KEY_FILE", "/nowhere/a.key");

        assertThatThrownBy(() -> StandaloneConfig.from(wrong))
                .isInstanceOfSatisfying(
                        InvalidSettingsException.class,
                        e -> assertThat(e.errors()).hasSize(2).allMatch(fault -> fault.contains("/nowhere/a.")));
    }

    @Test
    void gateway_speaksTls_whenGivenACertificateAndAKey() throws Exception {
        var own = TestCertificate.in(directory, "127.0.0.1");
        try (var platform = new PlatformUnderTest(Map.of(
                "SLIPWAY_TLS_CERTIFICATE_FILE", own.certificateFile().toString(),
                "SLIPWAY_TLS_KEY_FILE", own.keyFile().toString()))) {
            var url = platform.platform().baseUrl();
            assertThat(url).startsWith("https://");
            var request = HttpRequest.newBuilder(URI.create(url + "/api/v1/iam/me"))
                    .header("Authorization", "Bearer " + platform.token("project_viewer"))
                    .build();

            var answer =
                    HttpClient.newBuilder().sslContext(trusting(own)).build().send(request, BodyHandlers.ofString());
            var plain = RawHttp.exchange(platform.platform().httpPort(), "GET /api/v1/iam/me HTTP/1.1");

            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(answer.body()).contains("Demo project viewer");
            assertThat(answer.sslSession()).isPresent();
            assertThat(plain.status()).as("an answer in the clear").isZero();
        }
    }

    private static SSLContext trusting(TestCertificate own) throws GeneralSecurityException, java.io.IOException {
        var trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry("gateway", own.certificate());
        var managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        managers.init(trusted);
        var context = SSLContext.getInstance("TLS");
        context.init(null, managers.getTrustManagers(), null);
        return context;
    }
}
