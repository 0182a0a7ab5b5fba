package dev.slipway.authz;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.authz.testing.TestKey;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Problem;
import dev.slipway.contract.ProblemException;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.UnaryOperator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Tests the principal that a correctly signed token represents, and when the token stops being valid. */
class TokenVerifierTest {
    private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");
    private static final Instant EXPIRES = NOW.plus(Duration.ofMinutes(10));
    private static final String ISSUER = "https://issuer.example";
    private static TestKey key;

    private final AuthzModelFixture fixture = new AuthzModelFixture();
    private final TokenVerifier verifier = new TokenVerifier(fixture.model);
    private UUID user;

    @BeforeAll
    static void generateKey() {
        key = TestKey.generate("k1");
    }

    @BeforeEach
    void trustKey() {
        user = fixture.user(ISSUER, "somebody");
        fixture.key("k1", ISSUER, key.publicJwkText(), NOW.plus(Duration.ofHours(1)));
    }

    @Test
    void verify_isRefused_whenIssuedForAnotherAudience() {
        assertRefused(token(claims -> claims.put("aud", "another-platform")), ErrorCode.TOKEN_INVALID);
        assertRefused(token(claims -> claims.without("aud")), ErrorCode.TOKEN_INVALID);
        assertRefused(token(claims -> claims.set("aud", claims.arrayNode().add("other"))), ErrorCode.TOKEN_INVALID);
    }

    @Test
    void verify_accepts_whenOneOfSeveralAudiencesMatches() {
        var token = token(
                claims -> claims.set("aud", claims.arrayNode().add("other").add(TokenVerifier.AUDIENCE)));

        assertThat(verifier.verify(token, NOW).id()).isEqualTo(user);
    }

    @Test
    void verify_isRefused_whenSubjectExpiryOrIdIsMissing() {
        for (var required : List.of("sub", "exp", "jti")) {
            assertRefused(token(claims -> claims.without(required)), ErrorCode.TOKEN_INVALID);
            assertRefused(token(claims -> claims.put(required, true)), ErrorCode.TOKEN_INVALID);
        }
    }

    @Test
    void verifyIdentity_isRefused_whenTheSubjectIsNotASingleLine() {
        for (var subject : List.of("", "a\nb", "\u001b[31mred", "\u202egpj.exe", "x".repeat(513))) {
            var token = token(claims -> claims.put("sub", subject));
            assertThatThrownBy(() -> verifier.verifyIdentity(token, NOW))
                    .isInstanceOfSatisfying(ProblemException.class, e -> assertThat(e.problem())
                            .extracting(Problem::code, Problem::message)
                            .containsExactly(
                                    ErrorCode.TOKEN_INVALID,
                                    "The token's sub must be a single line of 1 to 512 characters."));
        }
        assertThat(verifier.verifyIdentity(token(claims -> claims.put("sub", "Zoë|研究")), NOW)
                        .subject())
                .isEqualTo("Zoë|研究");
    }

    @Test
    void verify_isRefused_whenATimeIsNoTime() {
        assertRefused(token(claims -> claims.put("exp", "tomorrow")), ErrorCode.TOKEN_INVALID);
        assertRefused(token(claims -> claims.put("exp", Long.MAX_VALUE)), ErrorCode.TOKEN_INVALID);
        assertRefused(token(claims -> claims.put("nbf", "yesterday")), ErrorCode.TOKEN_INVALID);
        assertRefused(token(claims -> claims.put("iat", -1)), ErrorCode.TOKEN_INVALID);
    }

    @Test
    void verify_isRefused_whenTheSubjectIsUnknown() {
        assertRefused(token(claims -> claims.put("sub", "stranger")), ErrorCode.TOKEN_INVALID);
    }

    @Test
    void verify_isRefused_whenExpired_alsoWhenTheSignatureIsCached() {
        var token = token(UnaryOperator.identity());
        assertThat(verifier.verify(token, EXPIRES.plusSeconds(5)).id()).isEqualTo(user);

        assertRefused(token, EXPIRES.plusSeconds(6), ErrorCode.TOKEN_EXPIRED);
    }

    @Test
    void verify_isRefused_whenNotYetValid() {
        var later = token(claims -> claims.put("nbf", NOW.plusSeconds(60).getEpochSecond()));

        assertRefused(later, ErrorCode.TOKEN_INVALID);
        assertThat(verifier.verify(later, NOW.plusSeconds(55)).id()).isEqualTo(user);
    }

    @Test
    void verify_isRefused_whenIssuedInTheFuture() {
        assertRefused(
                token(claims -> claims.put("iat", NOW.plusSeconds(60).getEpochSecond())), ErrorCode.TOKEN_INVALID);
    }

    @Test
    void verify_isRefused_whenThePrincipalWasDeactivated_thoughTheSignatureIsCached() {
        var token = token(UnaryOperator.identity());
        assertThat(verifier.verify(token, NOW).id()).isEqualTo(user);

        fixture.deactivate(user);

        assertRefused(token, ErrorCode.TOKEN_INVALID);
    }

    @Test
    void verify_isRefused_whenTheKeyExpired_thoughTheSignatureIsCached() {
        var token = token(UnaryOperator.identity());
        assertThat(verifier.verify(token, NOW).id()).isEqualTo(user);

        fixture.key("k1", ISSUER, key.publicJwkText(), NOW.minusSeconds(1));

        assertRefused(token, ErrorCode.TOKEN_INVALID);
    }

    @Test
    void verify_bindsNoTask_whenAnotherIssuerClaimsOne() {
        var token = token(claims -> claims.put("app_instance_id", Ids.next().toString())
                .put("adapter_id", Ids.next().toString())
                .put("command_id", Ids.next().toString())
                .put("scope", "apps.instance.report"));

        assertThat(verifier.verify(token, NOW).task()).isNull();
    }

    @Test
    void verify_bindsTheTask_whenSlipwaySignedIt() {
        var signer = machineSigner();
        var account = fixture.serviceAccount(Ids.next(), List.of());
        var adapter = Ids.next();
        var instance = Ids.next();
        var command = Ids.next();
        var token = signer.sign(
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
                        adapter,
                        Principal.Task.APP_INSTANCE,
                        instance,
                        command,
                        Set.of("apps.instance.report", "apps.instance.read")));
    }

    @Test
    void verify_returnsTheTask_ofASharedRuntimesOperator() {
        var signer = machineSigner();
        var account = fixture.serviceAccount(Ids.next(), List.of());
        var adapter = Ids.next();
        var runtime = Ids.next();
        var command = Ids.next();
        var claims = Map.of(
                "adapter_id", adapter.toString(),
                "shared_runtime_id", runtime.toString(),
                "scope", "apps.shared_runtime.report");
        var withCommand = new HashMap<>(claims);
        withCommand.put("command_id", command.toString());

        assertThat(verifier.verify(signer.sign(account.toString(), NOW, EXPIRES, withCommand), NOW)
                        .task())
                .isEqualTo(new Principal.Task(
                        adapter,
                        Principal.Task.SHARED_RUNTIME,
                        runtime,
                        command,
                        Set.of("apps.shared_runtime.report")));
        assertThat(verifier.verify(signer.sign(account.toString(), NOW, EXPIRES, claims), NOW)
                        .task())
                .isNull();
    }

    @Test
    void verify_isRefused_whenATaskIsIncomplete() {
        var signer = machineSigner();
        var account = fixture.serviceAccount(Ids.next(), List.of());
        var complete = Map.of(
                "adapter_id", Ids.next().toString(),
                "app_instance_id", Ids.next().toString(),
                "command_id", Ids.next().toString(),
                "scope", "apps.instance.report");

        for (var missing : List.of("adapter_id", "command_id", "scope")) {
            var claims = new HashMap<>(complete);
            claims.remove(missing);
            assertRefused(signer.sign(account.toString(), NOW, EXPIRES, claims), ErrorCode.TOKEN_INVALID);
        }
    }

    @Test
    void verify_isRefused_whenAMachinesSubjectIsNotAnId() {
        assertRefused(machineSigner().sign("somebody", NOW, EXPIRES, Map.of()), ErrorCode.TOKEN_INVALID);
    }

    @Test
    void verify_isRefused_whenTheTokenWasRevoked_thoughTheSignatureIsCached() {
        var jti = Ids.next();
        var token = token(claims -> claims.put("jti", jti.toString()));
        var other = token(UnaryOperator.identity());
        assertThat(verifier.verify(token, NOW).id()).isEqualTo(user);

        fixture.revoke("token", jti, EXPIRES);

        assertRefused(token, ErrorCode.TOKEN_REVOKED);
        assertThat(verifier.verify(other, NOW).id()).isEqualTo(user);
    }

    @Test
    void verify_isRefused_whenATokenWithoutAUuidWasRevoked() {
        var token = token(claims -> claims.put("jti", "any name"));
        var id = verifier.verifyIdentity(token, NOW).id();

        fixture.revoke("token", id, EXPIRES);

        assertRefused(token, ErrorCode.TOKEN_REVOKED);
        assertThat(verifier.verify(token(claims -> claims.put("jti", "another name")), NOW)
                        .id())
                .isEqualTo(user);
    }

    @Test
    void verify_isRefused_forEveryTokenOfACredential_whenTheCredentialWasRevoked() {
        var signer = machineSigner();
        var account = fixture.serviceAccount(Ids.next(), List.of("a.read"));
        var credential = Ids.next();
        var claims = Map.of("credential_id", credential.toString(), "scope", "a.read");
        var tokens = List.of(
                signer.sign(account.toString(), NOW, EXPIRES, claims),
                signer.sign(account.toString(), NOW, EXPIRES, claims));
        var other = signer.sign(
                account.toString(),
                NOW,
                EXPIRES,
                Map.of("credential_id", Ids.next().toString(), "scope", "a.read"));
        tokens.forEach(token -> assertThat(verifier.verify(token, NOW).id()).isEqualTo(account));

        fixture.revoke("credential", credential, EXPIRES);

        tokens.forEach(token -> assertRefused(token, ErrorCode.TOKEN_REVOKED));
        assertThat(verifier.verify(other, NOW).id()).isEqualTo(account);
    }

    @Test
    void verify_isRefused_whenTheKeyWasRevoked() {
        var token = token(UnaryOperator.identity());
        assertThat(verifier.verify(token, NOW).id()).isEqualTo(user);

        fixture.revokedKey("k1", ISSUER, key.publicJwkText(), NOW.plusSeconds(3_600));

        assertRefused(token, ErrorCode.TOKEN_REVOKED);
        assertThat(fixture.model.isKeyTrusted(ISSUER, "k1")).isFalse();
    }

    @Test
    void verify_findsOneOfAHundredThousandRevocations_andExpiredOnesAreDeleted() {
        for (var i = 0; i < 100_000; i++) {
            fixture.revoke("token", new UUID(7, i), NOW.plusSeconds(i < 99_000 ? 60 : 600));
        }
        var token = token(claims -> claims.put("jti", new UUID(7, 99_999).toString()));
        assertRefused(token, ErrorCode.TOKEN_REVOKED);
        assertThat(fixture.model.revocationCount()).isEqualTo(100_000);

        fixture.heartbeat(0, NOW.plusSeconds(180));

        assertThat(fixture.model.revocationCount()).isEqualTo(1_000);
        assertRefused(token, ErrorCode.TOKEN_REVOKED);
    }

    @Test
    void verify_limitsMachinesToTheScope_andNotUsersOfExternalIssuers() {
        var signer = machineSigner();
        var account = fixture.serviceAccount(Ids.next(), List.of());
        var scoped = signer.sign(account.toString(), NOW, EXPIRES, Map.of("scope", "a.read a.write"));
        var without = signer.sign(account.toString(), NOW, EXPIRES, Map.of());
        var external = token(claims -> claims.put("scope", "openid profile"));

        assertThat(verifier.verify(scoped, NOW).tokenActions()).containsExactlyInAnyOrder("a.read", "a.write");
        assertThat(verifier.verify(scoped, NOW).tokenAllows("a.read")).isTrue();
        assertThat(verifier.verify(scoped, NOW).tokenAllows("a.delete")).isFalse();
        assertThat(verifier.verify(without, NOW).tokenActions()).isEmpty();
        assertThat(verifier.verify(external, NOW).tokenActions()).isNull();
    }

    @Test
    @Proves("3.103")
    void verify_allowsNothing_toAMachineOfAnExternalIssuer_withoutScope() {
        var projectId = Ids.next();
        fixture.action("a.read", "active");
        fixture.role("service_account", "machine", List.of("a.read"));
        fixture.project(projectId, Ids.next());
        fixture.serviceAccount(projectId, List.of("a.read"), ISSUER, "machine");

        var without = verifier.verify(token(claims -> claims.put("sub", "machine")), NOW);
        var scoped =
                verifier.verify(token(claims -> claims.put("sub", "machine").put("scope", " a.read  a.read b")), NOW);
        var odd = verifier.verify(
                token(claims -> claims.put("sub", "machine")
                        .set("scope", claims.arrayNode().add("a.read"))),
                NOW);

        assertThat(without.tokenActions()).isEmpty();
        assertThat(odd.tokenActions()).isEmpty();
        assertThat(scoped.tokenActions()).containsExactlyInAnyOrder("a.read", "b");
        var authorizer = new Authorizer(fixture.model);
        assertThat(authorizer
                        .decide(without, "a.read", ResourceScope.project(projectId), NOW)
                        .verdict())
                .isEqualTo(Decision.Verdict.OUT_OF_TOKEN_SCOPE);
        assertThat(authorizer
                        .decide(scoped, "a.read", ResourceScope.project(projectId), NOW)
                        .allowed())
                .isTrue();
    }

    @Test
    void verify_isRefused_whenIssuedForAnotherEnvironment() {
        var here = new TokenVerifier(fixture.model, "slipway-production", TokenVerifier.USER_TOKEN_MAX_LIFETIME);
        var account = fixture.serviceAccount(Ids.next(), List.of());
        var staging = machineSigner();
        var production = TokenSigner.withNewKey(TokenVerifier.MACHINE_ISSUER, "slipway-production");
        fixture.key(production.kid(), production.issuer(), production.publicJwk(), NOW.plusSeconds(3_600));

        assertThat(here.verify(production.sign(account.toString(), NOW, EXPIRES, Map.of()), NOW)
                        .id())
                .isEqualTo(account);
        assertThatThrownBy(() -> here.verify(staging.sign(account.toString(), NOW, EXPIRES, Map.of()), NOW))
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        e -> assertThat(e.problem().code()).isEqualTo(ErrorCode.TOKEN_INVALID));
    }

    @Test
    void verify_requiresTheAudienceOfEachIssuer() {
        fixture.keyFor("their-client", "k1", ISSUER, key.publicJwkText(), NOW.plusSeconds(3_600));

        assertRefused(token(UnaryOperator.identity()), ErrorCode.TOKEN_INVALID);
        assertThat(verifier.verify(token(claims -> claims.put("aud", "their-client")), NOW)
                        .id())
                .isEqualTo(user);
    }

    private TokenSigner machineSigner() {
        var signer = TokenSigner.withNewKey(TokenVerifier.MACHINE_ISSUER);
        fixture.key(signer.kid(), signer.issuer(), signer.publicJwk(), NOW.plusSeconds(3_600));
        return signer;
    }

    private static String token(UnaryOperator<ObjectNode> change) {
        return key.sign(change.apply(TestKey.claims(ISSUER, "somebody", TokenVerifier.AUDIENCE, NOW)));
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
