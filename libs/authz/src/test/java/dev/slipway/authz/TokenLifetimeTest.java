package dev.slipway.authz;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.authz.testing.TestKey;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.ProblemException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.UnaryOperator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The maximum lifetime of other issuers' tokens. */
class TokenLifetimeTest {
    private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");
    private static final Duration CENTURY = Duration.ofDays(36_500);
    private static final Duration DAY = TokenVerifier.USER_TOKEN_MAX_LIFETIME;
    private static final String ISSUER = "https://issuer.example";

    private final TestKey key = TestKey.generate("k1");
    private final AuthzModelFixture fixture = new AuthzModelFixture();
    private final TokenVerifier verifier = new TokenVerifier(fixture.model);
    private UUID user;

    @BeforeEach
    void trustKey() {
        user = fixture.user(ISSUER, "somebody");
        fixture.key("k1", ISSUER, key.publicJwkText(), NOW.plus(CENTURY));
    }

    @Test
    void verify_isRefused_whenTheTokenLivesTooLong() {
        assertRefused(verifier, expiring(CENTURY, UnaryOperator.identity()));
        assertRefused(verifier, expiring(CENTURY, claims -> claims.without("iat")));
        assertRefused(verifier, expiring(DAY.plusMinutes(1), UnaryOperator.identity()));
        assertThat(verifier.verify(expiring(DAY, UnaryOperator.identity()), NOW).id())
                .isEqualTo(user);
    }

    @Test
    void verify_isRefused_whenALongTokenIsDatedForward() {
        var issuedAt = NOW.plus(CENTURY).minusSeconds(60).getEpochSecond();

        assertRefused(verifier, expiring(CENTURY, claims -> claims.put("iat", issuedAt)
                .put("nbf", NOW.getEpochSecond())));
    }

    @Test
    void verify_isRefused_whenALongTokenHasAlmostExpired() {
        var issuedAt = NOW.minus(CENTURY.dividedBy(2)).getEpochSecond();

        assertRefused(verifier, expiring(Duration.ofMinutes(1), claims -> claims.put("iat", issuedAt)));
    }

    @Test
    void maximum_isSettable_andDoesNotApplyToOwnTokens() {
        var strict = new TokenVerifier(fixture.model, TokenVerifier.AUDIENCE, Duration.ofMinutes(1));
        var signer = TokenSigner.withNewKey(TokenVerifier.MACHINE_ISSUER);
        fixture.key(signer.kid(), signer.issuer(), signer.publicJwk(), NOW.plus(CENTURY));
        var account = fixture.serviceAccount(UUID.randomUUID(), List.of());

        assertRefused(strict, expiring(Duration.ofMinutes(2), UnaryOperator.identity()));
        assertThat(strict.verify(signer.sign(account.toString(), NOW, NOW.plusSeconds(600), Map.of()), NOW)
                        .id())
                .isEqualTo(account);
    }

    private String expiring(Duration after, UnaryOperator<ObjectNode> change) {
        var claims = TestKey.claims(ISSUER, "somebody", TokenVerifier.AUDIENCE, NOW)
                .put("exp", NOW.plus(after).getEpochSecond());
        return key.sign(change.apply(claims));
    }

    private static void assertRefused(TokenVerifier by, String token) {
        assertThatThrownBy(() -> by.verify(token, NOW)).isInstanceOfSatisfying(ProblemException.class, e -> assertThat(
                        e.problem().code())
                .isEqualTo(ErrorCode.TOKEN_INVALID));
    }
}
