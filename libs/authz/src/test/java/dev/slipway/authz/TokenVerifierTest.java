package dev.slipway.authz;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSSigner;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.PlainJWT;
import com.nimbusds.jwt.SignedJWT;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Ids;
import dev.slipway.contract.ProblemException;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.UnaryOperator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class TokenVerifierTest {
    private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");
    private static final Instant EXPIRES = NOW.plus(Duration.ofMinutes(10));
    private static final String ISSUER = "https://issuer.example";
    private static RSAKey key;
    private static RSAKey otherKey;

    private final World world = new World();
    private final TokenVerifier verifier = new TokenVerifier(world.model);
    private UUID user;

    @BeforeAll
    static void makeKeys() throws JOSEException {
        key = new RSAKeyGenerator(2048).keyID("k1").generate();
        otherKey = new RSAKeyGenerator(2048).keyID("k2").generate();
    }

    @BeforeEach
    void trust() {
        user = world.user(ISSUER, "somebody");
        trust(key, "k1", ISSUER, NOW.plus(Duration.ofHours(1)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", ".", "..", "a.b", "a.b.c", "Bearer x", "eyJhbGciOiJSUzI1NiJ9..", "\u0000.\u0000.\u0000"})
    void verify_isRefused_whenItIsNoJwt(String token) {
        assertRefused(token, ErrorCode.TOKEN_INVALID);
    }

    @Test
    void verify_isRefused_whenItIsNotSigned() {
        var plain = new PlainJWT(claims(UnaryOperator.identity())).serialize();

        assertRefused(plain, ErrorCode.TOKEN_INVALID);
        // The same said in the header of a token that has the place for a signature.
        var header = com.nimbusds.jose.util.Base64URL.encode("{\"alg\":\"none\",\"kid\":\"k1\"}");
        var body = plain.split("\\.", -1)[1];
        assertRefused(header + "." + body + ".", ErrorCode.TOKEN_INVALID);
        assertRefused(header + "." + body + ".AAAA", ErrorCode.TOKEN_INVALID);
    }

    @Test
    void verify_isRefused_whenThePublicKeyWasUsedAsASharedSecret() throws JOSEException {
        var secret = key.toPublicJWK().toRSAPublicKey().getEncoded();

        assertRefused(
                sign(JWSAlgorithm.HS256, "k1", new MACSigner(secret), claims(UnaryOperator.identity())),
                ErrorCode.TOKEN_INVALID);
    }

    @ParameterizedTest
    @ValueSource(strings = {"RS384", "RS512", "PS256"})
    void verify_isRefused_whenTheTrustedKeySignedByAnotherAlgorithm(String algorithm) throws JOSEException {
        assertRefused(
                sign(JWSAlgorithm.parse(algorithm), "k1", new RSASSASigner(key), claims(UnaryOperator.identity())),
                ErrorCode.TOKEN_INVALID);
    }

    @Test
    void verify_isRefused_whenTheKeyIsUnknownOrNotNamed() throws JOSEException {
        var signer = new RSASSASigner(key);
        var claims = claims(UnaryOperator.identity());

        assertRefused(sign(JWSAlgorithm.RS256, "k9", signer, claims), ErrorCode.TOKEN_INVALID);
        assertRefused(sign(JWSAlgorithm.RS256, null, signer, claims), ErrorCode.TOKEN_INVALID);
    }

    @Test
    void verify_isRefused_whenSignedByAnotherKeyThanTheOneNamed() throws JOSEException {
        assertRefused(
                sign(JWSAlgorithm.RS256, "k1", new RSASSASigner(otherKey), claims(UnaryOperator.identity())),
                ErrorCode.TOKEN_INVALID);
    }

    @Test
    void verify_isRefused_whenAnythingInItWasChanged() throws JOSEException {
        var parts = token(UnaryOperator.identity()).split("\\.", -1);
        var other = token(claims -> claims.subject("an-administrator")).split("\\.", -1);

        assertRefused(parts[0] + "." + other[1] + "." + parts[2], ErrorCode.TOKEN_INVALID);
    }

    @Test
    void verify_isRefused_whenTheKeyIsOfAnotherIssuer() throws JOSEException {
        trust(otherKey, "k2", "https://other.example", NOW.plusSeconds(3_600));

        // Signed with a key that is trusted, but not for the issuer that the token names.
        assertRefused(
                sign(JWSAlgorithm.RS256, "k2", new RSASSASigner(otherKey), claims(UnaryOperator.identity())),
                ErrorCode.TOKEN_INVALID);
        assertRefused(token(claims -> claims.issuer(TokenVerifier.MACHINE_ISSUER)), ErrorCode.TOKEN_INVALID);
    }

    @Test
    void verify_isRefused_whenItIsForAnotherAudience() throws JOSEException {
        assertRefused(token(claims -> claims.audience("another-platform")), ErrorCode.TOKEN_INVALID);
        assertRefused(token(claims -> claims.audience((String) null)), ErrorCode.TOKEN_INVALID);
    }

    @Test
    void verify_isRefused_whenSubjectExpiryOrIdIsMissing() throws JOSEException {
        assertRefused(token(claims -> claims.subject(null)), ErrorCode.TOKEN_INVALID);
        assertRefused(token(claims -> claims.expirationTime(null)), ErrorCode.TOKEN_INVALID);
        assertRefused(token(claims -> claims.jwtID(null)), ErrorCode.TOKEN_INVALID);
    }

    @Test
    void verify_isRefused_whenTheSubjectIsUnknown() throws JOSEException {
        assertRefused(token(claims -> claims.subject("stranger")), ErrorCode.TOKEN_INVALID);
    }

    @Test
    void verify_isRefused_whenTooLong() throws JOSEException {
        assertRefused(token(claims -> claims.claim("padding", "x".repeat(8_192))), ErrorCode.TOKEN_INVALID);
    }

    @Test
    void verify_isRefused_whenExpired_alsoWhenItsSignatureIsKnown() throws JOSEException {
        var token = token(UnaryOperator.identity());
        assertThat(verifier.verify(token, EXPIRES.plusSeconds(5)).id()).isEqualTo(user);

        assertRefused(token, EXPIRES.plusSeconds(6), ErrorCode.TOKEN_EXPIRED);
    }

    @Test
    void verify_isRefused_whenItIsNotYetValid() throws JOSEException {
        var later = token(claims -> claims.notBeforeTime(Date.from(NOW.plusSeconds(60))));

        assertRefused(later, ErrorCode.TOKEN_INVALID);
        assertThat(verifier.verify(later, NOW.plusSeconds(55)).id()).isEqualTo(user);
    }

    @Test
    void verify_isRefused_whenIssuedInTheFuture() throws JOSEException {
        assertRefused(token(claims -> claims.issueTime(Date.from(NOW.plusSeconds(60)))), ErrorCode.TOKEN_INVALID);
    }

    @Test
    void verify_isRefused_whenThePrincipalWasDeactivated_thoughTheSignatureIsKnown() throws JOSEException {
        var token = token(UnaryOperator.identity());
        assertThat(verifier.verify(token, NOW).id()).isEqualTo(user);

        world.deactivate(user);

        assertRefused(token, ErrorCode.TOKEN_INVALID);
    }

    @Test
    void verify_isRefused_whenTheKeyWasWithdrawn_thoughTheSignatureIsKnown() throws JOSEException {
        var token = token(UnaryOperator.identity());
        assertThat(verifier.verify(token, NOW).id()).isEqualTo(user);

        trust(key, "k1", ISSUER, NOW.minusSeconds(1));

        assertRefused(token, ErrorCode.TOKEN_INVALID);
    }

    @Test
    void verify_bindsNoTask_whenAnotherIssuerClaimsOne() throws JOSEException {
        var token = token(claims -> claims.claim("app_instance_id", Ids.next().toString())
                .claim("adapter_id", Ids.next().toString())
                .claim("command_id", Ids.next().toString())
                .claim("scope", "apps.instance.report"));

        assertThat(verifier.verify(token, NOW).task()).isNull();
    }

    @Test
    void verify_bindsTheTask_whenSlipwaySignedIt() {
        var issuer = machineIssuer();
        var account = world.serviceAccount(Ids.next(), List.of());
        var adapter = Ids.next();
        var instance = Ids.next();
        var command = Ids.next();
        var token = issuer.sign(
                account.toString(),
                NOW,
                EXPIRES,
                Map.of(
                        "adapter_id", adapter.toString(),
                        "app_instance_id", instance.toString(),
                        "command_id", command.toString(),
                        "scope", "apps.instance.report apps.instance.read"));

        var principal = verifier.verify(token, NOW);

        assertThat(principal.id()).isEqualTo(account);
        assertThat(principal.task())
                .isEqualTo(new Principal.Task(
                        adapter, instance, command, Set.of("apps.instance.report", "apps.instance.read")));
    }

    @Test
    void verify_isRefused_whenATaskIsIncomplete() {
        var issuer = machineIssuer();
        var account = world.serviceAccount(Ids.next(), List.of());
        var whole = Map.of(
                "adapter_id", Ids.next().toString(),
                "app_instance_id", Ids.next().toString(),
                "command_id", Ids.next().toString(),
                "scope", "apps.instance.report");

        for (var missing : List.of("adapter_id", "command_id", "scope")) {
            var claims = new java.util.HashMap<>(whole);
            claims.remove(missing);
            assertRefused(issuer.sign(account.toString(), NOW, EXPIRES, claims), ErrorCode.TOKEN_INVALID);
        }
    }

    @Test
    void verify_isRefused_whenAMachinesSubjectIsNoId() {
        assertRefused(machineIssuer().sign("somebody", NOW, EXPIRES, Map.of()), ErrorCode.TOKEN_INVALID);
    }

    @Test
    void verify_isRefused_whenTheTokenWasRevoked_thoughTheSignatureIsKnown() throws JOSEException {
        var jti = Ids.next();
        var token = token(claims -> claims.jwtID(jti.toString()));
        var other = token(UnaryOperator.identity());
        assertThat(verifier.verify(token, NOW).id()).isEqualTo(user);

        world.revoke("token", jti, EXPIRES);

        assertRefused(token, ErrorCode.TOKEN_REVOKED);
        assertThat(verifier.verify(other, NOW).id()).isEqualTo(user);
    }

    @Test
    void verify_isRefused_whenATokenThatIsNamedByNoUuidWasRevoked() throws JOSEException {
        var token = token(claims -> claims.jwtID("any name"));
        var id = verifier.subject(token, NOW).id();

        world.revoke("token", id, EXPIRES);

        assertRefused(token, ErrorCode.TOKEN_REVOKED);
        assertThat(verifier.verify(token(claims -> claims.jwtID("another name")), NOW)
                        .id())
                .isEqualTo(user);
    }

    @Test
    void verify_isRefused_whenTheCredentialWasRevoked_forEveryTokenMadeWithIt() {
        var issuer = machineIssuer();
        var account = world.serviceAccount(Ids.next(), List.of("a.read"));
        var credential = Ids.next();
        var claims = Map.of("credential_id", credential.toString(), "scope", "a.read");
        var tokens = List.of(
                issuer.sign(account.toString(), NOW, EXPIRES, claims),
                issuer.sign(account.toString(), NOW, EXPIRES, claims));
        var other = issuer.sign(
                account.toString(),
                NOW,
                EXPIRES,
                Map.of("credential_id", Ids.next().toString(), "scope", "a.read"));
        tokens.forEach(token -> assertThat(verifier.verify(token, NOW).id()).isEqualTo(account));

        world.revoke("credential", credential, EXPIRES);

        tokens.forEach(token -> assertRefused(token, ErrorCode.TOKEN_REVOKED));
        assertThat(verifier.verify(other, NOW).id()).isEqualTo(account);
    }

    @Test
    void verify_isRefused_whenTheKeyWasRevoked() throws JOSEException {
        var token = token(UnaryOperator.identity());
        assertThat(verifier.verify(token, NOW).id()).isEqualTo(user);

        world.revokedKey("k1", ISSUER, key.toPublicJWK().toJSONString(), NOW.plusSeconds(3_600));

        assertRefused(token, ErrorCode.TOKEN_REVOKED);
        assertThat(world.model.trusts(ISSUER, "k1")).isFalse();
    }

    @Test
    void verify_looksUpOneOfAHundredThousandRevocations_andDropsThoseThatEnded() throws JOSEException {
        for (var i = 0; i < 100_000; i++) {
            world.revoke("token", new UUID(7, i), NOW.plusSeconds(i < 99_000 ? 60 : 600));
        }
        var token = token(claims -> claims.jwtID(new UUID(7, 99_999).toString()));
        assertRefused(token, ErrorCode.TOKEN_REVOKED);
        assertThat(world.model.revocationCount()).isEqualTo(100_000);

        world.heartbeat(0, NOW.plusSeconds(180));

        assertThat(world.model.revocationCount()).isEqualTo(1_000);
        assertRefused(token, ErrorCode.TOKEN_REVOKED);
    }

    @Test
    void verify_narrowsToTheScope_ofMachines_andOfNoPersonFromOutside() throws JOSEException {
        var issuer = machineIssuer();
        var account = world.serviceAccount(Ids.next(), List.of());
        var scoped = issuer.sign(account.toString(), NOW, EXPIRES, Map.of("scope", "a.read a.write"));
        var without = issuer.sign(account.toString(), NOW, EXPIRES, Map.of());
        var foreign = token(claims -> claims.claim("scope", "openid profile"));

        assertThat(verifier.verify(scoped, NOW).tokenActions()).containsExactlyInAnyOrder("a.read", "a.write");
        assertThat(verifier.verify(scoped, NOW).tokenAllows("a.read")).isTrue();
        assertThat(verifier.verify(scoped, NOW).tokenAllows("a.delete")).isFalse();
        assertThat(verifier.verify(without, NOW).tokenActions()).isEmpty();
        assertThat(verifier.verify(foreign, NOW).tokenActions()).isNull();
    }

    @Test
    @Proves("3.103")
    void verify_leavesNothing_toAMachineOfAnOutsideIssuer_withoutAScope() throws JOSEException {
        world.serviceAccount(Ids.next(), List.of("a.read"), ISSUER, "machine");

        var without = verifier.verify(token(claims -> claims.subject("machine")), NOW);
        var scoped =
                verifier.verify(token(claims -> claims.subject("machine").claim("scope", " a.read  a.read b")), NOW);
        var odd = verifier.verify(token(claims -> claims.subject("machine").claim("scope", List.of("a.read"))), NOW);

        assertThat(without.tokenActions()).isEmpty();
        assertThat(odd.tokenActions()).isEmpty();
        assertThat(scoped.tokenActions()).containsExactlyInAnyOrder("a.read", "b");
    }

    @Test
    void verify_isRefused_whenItIsOfAnotherEnvironment() {
        var here = new TokenVerifier(world.model, "slipway-production");
        var account = world.serviceAccount(Ids.next(), List.of());
        var staging = machineIssuer();
        var production = TokenIssuer.withNewKey(TokenVerifier.MACHINE_ISSUER, "slipway-production");
        world.key(production.kid(), production.issuer(), production.publicJwk(), NOW.plusSeconds(3_600));

        assertThat(here.verify(production.sign(account.toString(), NOW, EXPIRES, Map.of()), NOW)
                        .id())
                .isEqualTo(account);
        assertThatThrownBy(() -> here.verify(staging.sign(account.toString(), NOW, EXPIRES, Map.of()), NOW))
                .isInstanceOf(ProblemException.class);
    }

    @Test
    void verify_holdsEachIssuerToItsOwnAudience() throws JOSEException {
        world.keyFor("their-client", "k1", ISSUER, key.toPublicJWK().toJSONString(), NOW.plusSeconds(3_600));

        assertRefused(token(UnaryOperator.identity()), ErrorCode.TOKEN_INVALID);
        assertThat(verifier.verify(token(claims -> claims.audience("their-client")), NOW)
                        .id())
                .isEqualTo(user);
    }

    @Test
    void verify_keepsTheKeysOfIssuersApart_whenTwoHaveOneName() throws JOSEException {
        var other = "https://other.example";
        var stranger = world.user(other, "somebody");
        trust(otherKey, "k1", other, NOW.plusSeconds(3_600));

        assertThat(verifier.verify(token(UnaryOperator.identity()), NOW).id()).isEqualTo(user);
        var theirs = sign(JWSAlgorithm.RS256, "k1", new RSASSASigner(otherKey), claims(c -> c.issuer(other)));
        assertThat(verifier.verify(theirs, NOW).id()).isEqualTo(stranger);
        assertRefused(
                sign(JWSAlgorithm.RS256, "k1", new RSASSASigner(otherKey), claims(UnaryOperator.identity())),
                ErrorCode.TOKEN_INVALID);
    }

    private TokenIssuer machineIssuer() {
        var issuer = TokenIssuer.withNewKey(TokenVerifier.MACHINE_ISSUER);
        world.key(issuer.kid(), issuer.issuer(), issuer.publicJwk(), NOW.plusSeconds(3_600));
        return issuer;
    }

    private void trust(RSAKey trusted, String kid, String issuer, Instant expiresAt) {
        world.key(kid, issuer, trusted.toPublicJWK().toJSONString(), expiresAt);
    }

    private static String token(UnaryOperator<JWTClaimsSet.Builder> change) throws JOSEException {
        return sign(JWSAlgorithm.RS256, "k1", new RSASSASigner(key), claims(change));
    }

    private static JWTClaimsSet claims(UnaryOperator<JWTClaimsSet.Builder> change) {
        return change.apply(new JWTClaimsSet.Builder()
                        .issuer(ISSUER)
                        .subject("somebody")
                        .audience(TokenVerifier.AUDIENCE)
                        .issueTime(Date.from(NOW))
                        .expirationTime(Date.from(EXPIRES))
                        .jwtID(Ids.next().toString()))
                .build();
    }

    private static String sign(JWSAlgorithm algorithm, String kid, JWSSigner signer, JWTClaimsSet claims)
            throws JOSEException {
        var header = new JWSHeader.Builder(algorithm)
                .keyID(kid)
                .type(JOSEObjectType.JWT)
                .build();
        var jwt = new SignedJWT(header, claims);
        jwt.sign(signer);
        return jwt.serialize();
    }

    private void assertRefused(String token, ErrorCode code) {
        assertRefused(token, NOW, code);
    }

    private void assertRefused(String token, Instant at, ErrorCode code) {
        assertThatThrownBy(() -> verifier.verify(token, at))
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        e -> assertThat(e.problem().code()).isEqualTo(code));
    }
}
