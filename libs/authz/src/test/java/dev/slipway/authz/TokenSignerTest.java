package dev.slipway.authz;

import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class TokenSignerTest {
    private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");
    private static TokenSigner signer;

    private final AuthzModelFixture fixture = new AuthzModelFixture();

    @BeforeAll
    static void generateKey() {
        signer = TokenSigner.withNewKey(TokenVerifier.MACHINE_ISSUER);
    }

    @Test
    void sign_writesHeaderAndClaims() {
        var jti = UUID.fromString("01930000-0000-7000-8000-000000000001");

        var token =
                ParsedToken.parse(signer.sign(jti, "subject", NOW, NOW.plusSeconds(600), Map.of("scope", "a.read")));

        assertThat(Json.text(token.header()))
                .isEqualTo(Json.text(
                        Json.object().put("typ", "JWT").put("alg", "RS256").put("kid", signer.kid())));
        assertThat(Json.text(token.claims()))
                .isEqualTo(Json.text(Json.object()
                        .put("iss", "slipway")
                        .put("sub", "subject")
                        .put("aud", "slipway")
                        .put("iat", NOW.getEpochSecond())
                        .put("exp", NOW.plusSeconds(600).getEpochSecond())
                        .put("jti", jti.toString())
                        .put("scope", "a.read")));
    }

    @Test
    void publicJwk_hasNoPrivateParameters() {
        assertThat(Json.parseStoredObject(signer.publicJwk()).fieldNames())
                .toIterable()
                .containsExactlyInAnyOrder("kty", "e", "use", "kid", "alg", "n");
        assertThat(signer.toString())
                .doesNotContain(
                        Json.parseStoredObject(signer.privateJwk()).path("d").asText());
    }

    @Test
    void withKey_signsAsBefore_withAStoredKey() {
        fixture.key(signer.kid(), signer.issuer(), signer.publicJwk(), NOW.plusSeconds(3_600));
        var account = fixture.serviceAccount(Ids.next(), List.of());
        var restored = TokenSigner.withKey(signer.issuer(), TokenVerifier.AUDIENCE, signer.privateJwk());

        var token = restored.sign(account.toString(), NOW, NOW.plusSeconds(600), Map.of());

        assertThat(new TokenVerifier(fixture.model).verify(token, NOW).id()).isEqualTo(account);
        assertThat(restored.kid()).isEqualTo(signer.kid());
    }

    /** Such a key would make the provider write unsigned tokens. */
    @ParameterizedTest
    @ValueSource(strings = {"d", "p", "q", "dp", "dq", "qi", "n", "e"})
    void withKey_isRefused_whenAParameterIsMissing(String parameter) {
        var jwk = Json.parseStoredObject(signer.privateJwk());
        jwk.remove(parameter);

        assertThatIllegalArgumentException()
                .isThrownBy(() -> TokenSigner.withKey(signer.issuer(), TokenVerifier.AUDIENCE, Json.text(jwk)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "garbage", "[]", "{}"})
    void withKey_isRefused_whenNotAKey(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TokenSigner.withKey(signer.issuer(), TokenVerifier.AUDIENCE, text));
    }
}
