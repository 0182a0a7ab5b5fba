package dev.slipway.standalone;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.authz.testing.TestKey;
import dev.slipway.contract.Json;
import dev.slipway.testkit.ApiClient.ApiResponse;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import static dev.slipway.standalone.TenantCalls.statusAndCode;
import static dev.slipway.testkit.Eventually.eventually;
import static dev.slipway.testkit.Eventually.eventuallyGet;
import static org.assertj.core.api.Assertions.assertThat;

/** Tests users of a configured issuer whose keys are fetched over HTTP, and rate limits of its logins. */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class IssuersTest {
    private static TestKey first;
    private static TestKey second;
    private static Vertx vertx;
    private static HttpServer server;
    private static String issuer = "";
    private static PlatformUnderTest platform;
    private static volatile String served = "";
    private static volatile int status = 200;

    @BeforeAll
    static void start() {
        first = TestKey.generate("first");
        second = TestKey.generate("second");
        vertx = Vertx.vertx();
        server = PlatformUnderTest.await(vertx.createHttpServer()
                .requestHandler(request -> {
                    var discovery = request.path().equals("/realm/.well-known/openid-configuration");
                    var body = discovery
                            ? Json.text(Json.object().put("issuer", issuer).put("jwks_uri", issuer + "/keys"))
                            : served;
                    request.response().setStatusCode(status).end(body).onFailure(e -> {});
                })
                .listen(0, "127.0.0.1"));
        issuer = "http://127.0.0.1:" + server.actualPort() + "/realm";
        serve(first);
        var issuers = Json.array();
        issuers.addObject()
                .put("issuer", issuer)
                .put("audience", "their-client")
                .put("name_claim", "nickname");
        platform = new PlatformUnderTest(Map.of(
                "SLIPWAY_OIDC_ISSUERS", Json.text(issuers),
                "SLIPWAY_OIDC_REFRESH", "PT1S",
                "SLIPWAY_TOKEN_TTL", "PT4S",
                "SLIPWAY_RATE_PER_PRINCIPAL", "10",
                "SLIPWAY_RATE_PER_ADDRESS", "0",
                "SLIPWAY_RATE_TOKENS_PER_ADDRESS", "200"));
    }

    @AfterAll
    static void stop() {
        assertThat(platform.events().violations()).isEmpty();
        platform.close();
        PlatformUnderTest.await(vertx.close());
    }

    @BeforeEach
    void serveFirstKey() {
        status = 200;
        serve(first);
    }

    @Test
    void revocation_isDeletedWithTombstone_whenExpired() {
        var ended = UUID.randomUUID();
        var current = UUID.randomUUID();
        platform.database()
                .execute("INSERT INTO iam.revocations (id, kind, expires_at) VALUES ('" + ended
                        + "', 'token', now() - interval '2 minutes'), ('" + current
                        + "', 'token', now() + interval '1 hour')");

        eventually(() -> assertThat(platform.events()
                        .find(observedRecord -> observedRecord.topic().equals("authz.state")
                                && observedRecord.key().equals("revocation:" + ended)
                                && observedRecord.event().isMissingNode()))
                .hasSize(1));

        assertThat(platform.database()
                        .query("SELECT string_agg(id::text, ' ') FROM iam.revocations WHERE id IN ('" + ended + "', '"
                                + current + "')"))
                .isEqualTo(current.toString());
        // Whoever follows the topic goes on behind the tombstone.
        assertThat(new TenantCalls(platform).create("after-a-tombstone").orgId())
                .isNotEmpty();
    }

    @Test
    void openSession_createsUserOnce_whenIssuerIsTrusted() {
        var token = token(first, "somebody", UnaryOperator.identity());
        assertThat(me(token)).isEqualTo("401 token_invalid");
        for (var wrong : List.of(
                "garbage",
                token(first, "somebody", claims -> claims.put("aud", "slipway")),
                token(first, "somebody", claims -> claims.put("iss", "http://127.0.0.1:1/other")),
                token(
                        first,
                        "somebody",
                        claims ->
                                claims.put("exp", Instant.now().minusSeconds(60).getEpochSecond())),
                token(second, "somebody", UnaryOperator.identity()),
                platform.token("project_owner"))) {
            assertThat(session(wrong).status()).isEqualTo(401);
        }

        var opened = session(token).expect(200);
        var again = session(token).expect(200);

        assertThat(opened.body().path("created").asBoolean()).isTrue();
        assertThat(opened.text("display_name")).isEqualTo("Some Body");
        eventually(() -> assertThat(me(token)).isEqualTo("200 "));
        assertThat(again.text("principal_id")).isEqualTo(opened.text("principal_id"));
        assertThat(again.body().path("created").asBoolean()).isFalse();
        assertThat(CredentialCalls.listInstances(platform, token))
                .as("a user without a role")
                .isEqualTo("404 not_found");
        eventually(() -> assertThat(platform.events()
                        .find(observedRecord -> observedRecord.type().equals("audit.recorded")
                                && observedRecord
                                        .payload()
                                        .path("action")
                                        .asText()
                                        .equals("iam.user.provision")
                                && observedRecord
                                        .payload()
                                        .path("target_id")
                                        .asText()
                                        .equals(opened.text("principal_id"))))
                .hasSize(1));
    }

    @Test
    void openSession_storesASingleLineName_whenTheTokenHasControlCharacters() {
        var named = token(
                first,
                "hostile-name",
                claims -> claims.put("nickname", "\u001b[2JAda\r\nSet-Cookie: x\u202e" + "y".repeat(200)));
        assertThat(session(named).expect(200).text("display_name")).isEqualTo("[2JAdaSet-Cookie: x" + "y".repeat(101));

        var unnamed = token(first, "invisible-name", claims -> claims.put("nickname", "\u202e\u2066\n"));
        assertThat(session(unnamed).expect(200).text("display_name")).isEqualTo("invisible-name");

        var hostile = token(first, "line\nbreak", UnaryOperator.identity());
        assertThat(session(hostile).expect(401).text("code")).isEqualTo("token_invalid");
    }

    /** Runs after the tests that need the first key. */
    @Test
    @Order(Integer.MAX_VALUE - 1)
    void token_isRejected_whenIssuerReplacedItsKey() {
        var old = token(first, "rotating", UnaryOperator.identity());
        session(old).expect(200);
        eventually(() -> assertThat(me(old)).isEqualTo("200 "));

        serve(second);

        var fresh = token(second, "rotating", UnaryOperator.identity());
        eventually(() -> assertThat(me(fresh)).isEqualTo("200 "));
        eventually(() -> assertThat(me(old)).isEqualTo("401 token_invalid"));
    }

    @Test
    void token_isAccepted_whenIssuerIsUnavailableOrReturnsInvalidKeys() {
        var token = token(first, "patient", UnaryOperator.identity());
        session(token).expect(200);
        eventually(() -> assertThat(me(token)).isEqualTo("200 "));

        for (var nonsense : List.of("garbage", "{\"keys\":[]}", "x".repeat(1 << 20))) {
            served = nonsense;
            var before = failures();
            eventually(() -> assertThat(failures()).isGreaterThan(before));
            assertThat(me(token)).isEqualTo("200 ");
        }
        serve(first);
        status = 503;
        var before = failures();
        eventually(() -> assertThat(failures()).isGreaterThan(before));

        assertThat(me(token)).isEqualTo("200 ");
        assertThat(platform.getManagement("/health/ready"))
                .contains("issuer " + issuer)
                .contains("keys fetched ")
                .contains("the last try failed: answered 503");
        assertThat(platform.getManagement("/metrics")).contains("slipway_issuer_keys_age_seconds");
    }

    @Test
    void call_isRateLimited_whenPrincipalExceedsItsRate() {
        var limited = platform.as("project_member").call("getMe").send();
        for (var i = 0; limited.status() == 200 && i < 1_000; i++) {
            limited = platform.as("project_member").call("getMe").send();
        }

        assertThat(limited.expect(429).text("code")).isEqualTo("rate_limited");
        assertThat(Integer.parseInt(limited.header("Retry-After"))).isPositive();
        platform.as("project_admin").call("getMe").send().expect(200);
        eventually(() -> assertThat(
                        platform.as("project_member").call("getMe").send().status())
                .isEqualTo(200));
        eventually(() -> assertThat(platform.events()
                        .find(observedRecord -> observedRecord.type().equals("audit.recorded")
                                && observedRecord
                                        .payload()
                                        .path("reason")
                                        .asText()
                                        .equals("rate_limited")
                                && observedRecord
                                        .payload()
                                        .at("/actor/display_name")
                                        .asText()
                                        .equals("Demo project member")))
                .singleElement()
                .satisfies(observedRecord -> assertThat(
                                observedRecord.payload().path("action_version").asInt())
                        .as("%s is a registered action", observedRecord.payload())
                        .isPositive()));
    }

    @Test
    void call_isRateLimited_whenPrincipalWaitsForUnreachableRevisions() {
        var waiting = Stream.generate(() -> CompletableFuture.supplyAsync(() -> platform.as("tenant_admin")
                        .call("getMe")
                        .header("X-Revision", "999999999999")
                        .send()))
                .limit(3)
                .toList();

        assertThat(waiting.stream().map(call -> call.join().text("code"))).containsOnly("authz_behind");
        platform.as("tenant_admin").call("getMe").send().expect(429);
    }

    /** Runs last: it uses up the token requests of the address. */
    @Test
    @Order(Integer.MAX_VALUE)
    void exchangeToken_isRateLimited_whenAddressGuessesSecrets() {
        var guess = CredentialCalls.client(UUID.randomUUID().toString(), "sws_guess");
        var tried = 0;
        ApiResponse apiResponse;
        do {
            apiResponse = platform.anonymous()
                    .call("exchangeServiceAccountToken")
                    .body(guess)
                    .send();
            tried++;
        } while (apiResponse.status() == 401 && tried < 200);

        assertThat(apiResponse.text("code")).isEqualTo("rate_limited");
        assertThat(tried).as("far fewer than may ask").isLessThan(100);
        platform.as("project_owner").call("getMe").send().expect(200);
    }

    private static void serve(TestKey key) {
        served = key.jwks();
    }

    private static ApiResponse session(String token) {
        return platform.anonymous()
                .call("openSession")
                .body(Json.object().put("token", token))
                .send();
    }

    private static String me(String token) {
        return eventuallyGet(() -> {
            var apiResponse = platform.anonymous().as(token).call("getMe").send();
            assertThat(apiResponse.status()).isNotEqualTo(429);
            return statusAndCode(apiResponse);
        });
    }

    private static double failures() {
        return platform.getManagement("/metrics")
                .lines()
                .filter(line -> line.startsWith("slipway_issuer_keys_failures_total"))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
                .sum();
    }

    private static String token(TestKey key, String subject, UnaryOperator<ObjectNode> change) {
        var claims =
                TestKey.claims(issuer, subject, "their-client", Instant.now()).put("nickname", "Some Body");
        return key.sign(change.apply(claims));
    }
}
