package dev.slipway.authz;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.authz.testing.TestKey;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.ProblemException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.UUID;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Tests which tokens are accepted as signed by a trusted key. */
class TokenSignatureTest {
    private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");
    private static final String ISSUER = "https://issuer.example";
    private static TestKey key;
    private static TestKey otherKey;

    private final AuthzModelFixture fixture = new AuthzModelFixture();
    private final TokenVerifier verifier = new TokenVerifier(fixture.model);
    private UUID user;

    @BeforeAll
    static void generateKeys() {
        key = TestKey.generate("k1");
        otherKey = TestKey.generate("k2");
    }

    @BeforeEach
    void trustKey() {
        user = fixture.user(ISSUER, "somebody");
        trust(key, "k1", ISSUER);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", ".", "..", "a.b", "a.b.c", "Bearer x", "eyJhbGciOiJSUzI1NiJ9..", "\u0000.\u0000.\u0000"})
    void verify_isRefused_whenNotAJwt(String token) {
        assertRefused(token);
    }

    @Test
    void verify_isRefused_whenHeaderOrClaimsAreNotJsonObjects() {
        var parts = key.sign(claims()).split("\\.", -1);
        var array = Base64.getUrlEncoder().withoutPadding().encodeToString("[]".getBytes(StandardCharsets.UTF_8));
        var repeated = Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString("{\"alg\":\"RS256\",\"alg\":\"none\",\"kid\":\"k1\"}".getBytes(StandardCharsets.UTF_8));

        assertRefused(array + "." + parts[1] + "." + parts[2]);
        assertRefused(parts[0] + "." + array + "." + parts[2]);
        assertRefused(repeated + "." + parts[1] + "." + parts[2]);
    }

    @Test
    void verify_isRefused_whenUnsigned() {
        var none = key.header("none");

        assertRefused(TestKey.unsigned(none, claims()));
        assertRefused(TestKey.unsigned(none, claims()) + "AAAA");
        assertRefused(TestKey.part(none) + "." + TestKey.part(claims()));
        assertRefused(TestKey.unsigned(key.header("RS256"), claims()));
    }

    @Test
    void verify_isRefused_whenSignedWithThePublicKeyAsSharedSecret() {
        assertRefused(key.sign(key.header("HS256"), claims()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"RS384", "RS512", "PS256"})
    void verify_isRefused_whenTheTrustedKeySignedWithAnotherAlgorithm(String algorithm) {
        assertRefused(key.sign(key.header(algorithm), claims()));
    }

    @Test
    void verify_isRefused_whenTheKeyIsUnknownOrMissing() {
        assertRefused(key.sign(key.header("RS256").put("kid", "k9"), claims()));
        assertRefused(key.sign(key.header("RS256").without("kid"), claims()));
        assertRefused(key.sign(key.header("RS256").put("kid", 1), claims()));
    }

    @Test
    void verify_isRefused_whenSignedWithAnotherKeyThanNamed() {
        assertRefused(otherKey.sign(key.header("RS256"), claims()));
    }

    @Test
    void verify_isRefused_whenTheKeyComesWithTheToken() {
        var header = otherKey.header("RS256").put("kid", "k1");
        header.set("jwk", otherKey.publicJwk());

        assertRefused(otherKey.sign(header, claims()));
    }

    @Test
    void verify_isRefused_whenTheHeaderHasCriticalExtensions() {
        var header = key.header("RS256");
        header.putArray("crit").add("exp");

        assertRefused(key.sign(header, claims()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"JWT", "jwt", "at+jwt", "application/at+jwt"})
    void verify_acceptsTokenTypesOfAccessTokens(String type) {
        var token = key.sign(key.header("RS256").put("typ", type), claims());

        assertThat(verifier.verify(token, NOW).id()).isEqualTo(user);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "logout+jwt", "dpop+jwt", "JWE"})
    void verify_isRefused_whenTheTokenIsOfAnotherType(String type) {
        assertRefused(key.sign(key.header("RS256").put("typ", type), claims()));
    }

    @Test
    void verify_accepts_whenTheHeaderHasNoType() {
        var token = key.sign(key.header("RS256").without("typ"), claims());

        assertThat(verifier.verify(token, NOW).id()).isEqualTo(user);
    }

    @Test
    void verify_isRefused_whenClaimsWereReplaced() {
        var parts = key.sign(claims()).split("\\.", -1);
        var other = key.sign(claims().put("sub", "an-administrator")).split("\\.", -1);

        assertRefused(parts[0] + "." + other[1] + "." + parts[2]);
    }

    @Test
    void verify_isRefused_whenNotCanonicalBase64url() {
        var token = key.sign(claims());
        assertThat(verifier.verify(token, NOW).id()).isEqualTo(user);
        // 256 bytes leave the last character four bits that mean nothing: the next letter decodes to the same
        // signature.
        var last = token.charAt(token.length() - 1);
        var sameSignature = token.substring(0, token.length() - 1) + (char) (last + 1);

        assertRefused(sameSignature);
        assertRefused(token + "=");
        assertRefused(token + "==");
        assertRefused(token + "\n");
        assertRefused(token + ".");
        assertRefused(token.replace('-', '+').replace('_', '/') + "+");
    }

    @Test
    void verify_isRefused_whenTheSignatureIsShortened() {
        var token = key.sign(claims());
        while (!endsInZeroByte(token)) {
            token = key.sign(claims());
        }
        assertThat(verifier.verify(token, NOW).id()).isEqualTo(user);
        var signature = Base64.getUrlDecoder().decode(token.split("\\.", -1)[2]);
        var shorter = java.util.Arrays.copyOf(signature, signature.length - 1);

        assertRefused(token.substring(0, token.lastIndexOf('.') + 1)
                + Base64.getUrlEncoder().withoutPadding().encodeToString(shorter));
    }

    @Test
    void verify_isRefused_whenTheKeyBelongsToAnotherIssuer() {
        trust(otherKey, "k2", "https://other.example");

        assertRefused(otherKey.sign(claims()));
        assertRefused(key.sign(claims().put("iss", TokenVerifier.MACHINE_ISSUER)));
    }

    @Test
    void verify_separatesKeysOfIssuers_whenTheyUseTheSameKeyId() {
        var other = "https://other.example";
        var stranger = fixture.user(other, "somebody");
        trust(otherKey, "k1", other);
        var header = otherKey.header("RS256").put("kid", "k1");

        assertThat(verifier.verify(key.sign(claims()), NOW).id()).isEqualTo(user);
        assertThat(verifier.verify(otherKey.sign(header, claims().put("iss", other)), NOW)
                        .id())
                .isEqualTo(stranger);
        assertRefused(otherKey.sign(header, claims()));
    }

    @Test
    void verify_usesTheModulus_whenTheKeyHasACertificate() {
        var jwk = key.publicJwk();
        jwk.putArray("x5c").add("bm90IGEgY2VydGlmaWNhdGU");
        fixture.key("k1", ISSUER, Json.text(jwk), NOW.plusSeconds(3_600));

        assertThat(verifier.verify(key.sign(claims()), NOW).id()).isEqualTo(user);
        assertRefused(TestKey.part(key.header("none")) + "." + TestKey.part(claims()));
    }

    @Test
    void verify_isRefused_whenLongerThanAllowed() {
        assertRefused(key.sign(claims().put("padding", "x".repeat(8_192))));
    }

    @Test
    void findUnknownKey_namesTheKey_onlyWhenItIsUnknown() {
        assertThat(verifier.findUnknownKey(otherKey.sign(claims())))
                .isEqualTo(new TokenVerifier.KeyReference(ISSUER, "k2"));
        assertThat(verifier.findUnknownKey(key.sign(claims()))).isNull();
        assertThat(verifier.findUnknownKey("garbage")).isNull();
    }

    private static boolean endsInZeroByte(String token) {
        var signature = Base64.getUrlDecoder().decode(token.split("\\.", -1)[2]);
        return signature[signature.length - 1] == 0;
    }

    private void trust(TestKey trusted, String kid, String issuer) {
        fixture.key(kid, issuer, trusted.publicJwkText(), NOW.plusSeconds(3_600));
    }

    private static ObjectNode claims() {
        return TestKey.claims(ISSUER, "somebody", TokenVerifier.AUDIENCE, NOW);
    }

    private void assertRefused(String token) {
        assertThatThrownBy(() -> verifier.verify(token, NOW))
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        e -> assertThat(e.problem().code()).isEqualTo(ErrorCode.TOKEN_INVALID));
    }
}
