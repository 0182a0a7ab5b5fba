package dev.slipway.audit.evidence.ingest;

import dev.slipway.contract.Json;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class SecretScannerTest {
    private static final String RANDOM = "x7Kq2mN9pR4sT6vW8yB1";

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "-----BEGIN RSA PRIVATE KEY----- MIIE | private_key",
                "-----BEGIN PRIVATE KEY----- MIIE | private_key",
                "-----BEGIN OPENSSH PRIVATE KEY----- b3B | private_key",
                "apiVersion: v1 users: client-key-data: LS0t | kubeconfig",
                "token eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiIxMjM0NTYifQ.c2lnbmF0dXJlLXNpZ25hdHVyZQ end | json_web_token",
                "glpat-x7Kq2mN9pR4sT6vW8yB1 | access_token",
                "ghp_x7Kq2mN9pR4sT6vW8yB1x7Kq2mN9pR4sT6vW8yB1 | access_token",
                "AKIAIOSFODNN7EXAMPLE | access_token",
                "Authorization: Bearer x7Kq2mN9pR4sT6vW8yB1 | authorization_header",
                "Set-Cookie: session=x7Kq2mN9pR4sT6vW8yB1; Path=/ | cookie",
                "postgres://app:x7Kq2mN9@db.example.com/app | url_credentials",
                "password=x7Kq2mN9pR4s | password",
                "client_secret: x7Kq2mN9pR4s | password",
                "otpauth://totp/Example:ada?secret=JBSWY3DPEHPK3PXP | otp_seed"
            })
    @Proves("C.22")
    void evidence_isRejected_whenItContainsACredential(String text, String pattern) {
        var nested = Json.object();
        nested.putObject("log").putArray("lines").add("fine").add("before " + text + " after");

        assertThatThrownBy(() -> SecretScanner.requireNoSecret("", nested))
                .isInstanceOfSatisfying(SecretException.class, e -> {
                    org.assertj.core.api.Assertions.assertThat(e.pattern().text())
                            .isEqualTo(pattern.strip());
                    org.assertj.core.api.Assertions.assertThat(e.field()).isEqualTo("/log/lines/1");
                })
                .hasMessageNotContaining(RANDOM);
    }

    @ParameterizedTest
    @ValueSource(strings = {"password", "Client-Secret", "api_key", "private_key", "Set-Cookie"})
    void evidence_isRejected_whenAFieldIsACredential(String name) {
        assertThatThrownBy(() -> SecretScanner.requireNoSecret("", Json.object().put(name, "hunter2")))
                .isInstanceOf(SecretException.class);
    }

    @Test
    void evidence_isRejected_withoutRepeatingAFieldNameThatIsACredential() {
        assertThatThrownBy(
                        () -> SecretScanner.requireNoSecret("", Json.object().put("glpat-x7Kq2mN9pR4sT6vW8yB1", "x")))
                .isInstanceOfSatisfying(
                        SecretException.class, e -> org.assertj.core.api.Assertions.assertThat(e.field())
                                .isEqualTo("/content"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SecretScannerTest > evidence_isRejected_whenAFieldIsACredential(String) PASSED",
                "passwords are stored as salted hashes; password: <redacted>",
                "https://ci.example.com/group/project/-/jobs/17",
                "sha256:0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8",
                "git@example.com:group/project.git",
                "the cookie banner and the bearer of the token"
            })
    void evidence_isAccepted_whenItOnlyTalksAboutCredentials(String text) {
        assertThatCode(() -> SecretScanner.requireNoSecret("", Json.object().put("text", text)))
                .doesNotThrowAnyException();
    }
}
