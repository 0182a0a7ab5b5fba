package dev.slipway.gateway;

import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.ErrorEnvelope;
import dev.slipway.contract.Problem;
import dev.slipway.contract.ProblemException;
import dev.slipway.gateway.GatewayConfig.RequestRates;
import dev.slipway.messaging.KafkaSettings;
import dev.slipway.service.AuditActionRegistry;
import dev.slipway.testkit.TestInfrastructure;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonObject;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

class RateLimiterTest {
    private static final String BUS = "slipway.gateway.rates";

    private final Vertx vertx = Vertx.vertx();
    private final RateLimitAudit audit = new RateLimitAudit(
            new KafkaSettings(TestInfrastructure.shared().kafkaBootstrap(), "limits.", 1, (short) 1, Map.of()),
            new AuditActionRegistry(),
            Clock.systemUTC());
    private final HttpClient http = HttpClient.newHttpClient();

    @AfterEach
    void stop() throws Exception {
        audit.stop();
        await(vertx.close());
    }

    @Test
    void checkAddress_rejects_whenOtherGatewaysUsedUpTheRate() throws Exception {
        var port = serve(limits(new RequestRates(0, 5, 0)));
        assertThat(get(port).statusCode()).isEqualTo(200);

        vertx.eventBus().publish(BUS, usage("another", "addresses", 1_000_000));

        eventually(() -> {
            var answer = get(port);
            assertThat(answer.statusCode()).isEqualTo(429);
            assertThat(answer.headers().firstValue("Retry-After")).isPresent();
        });
        // The debt of a bucket is bounded.
        eventually(() -> assertThat(get(port).statusCode()).isEqualTo(200));
    }

    @Test
    void startSharing_publishesUsage_andIgnoresInvalidMessages() throws Exception {
        var received = new CopyOnWriteArrayList<JsonObject>();
        await(vertx.eventBus()
                .<JsonObject>consumer(BUS, message -> received.add(message.body()))
                .completion());
        var port = serve(limits(new RequestRates(0, 1_000, 0)));

        for (var i = 0; i < 3; i++) {
            assertThat(get(port).statusCode()).isEqualTo(200);
        }

        eventually(() -> assertThat(received.stream()
                        .mapToInt(body -> body.getJsonObject("addresses").getInteger("127.0.0.1", 0))
                        .sum())
                .isEqualTo(3));
        vertx.eventBus().publish(BUS, new JsonObject().put("from", "a stranger"));
        vertx.eventBus().publish(BUS, usage("a stranger", "addresses", "many"));
        assertThat(get(port).statusCode()).isEqualTo(200);
    }

    @Test
    void penalizeFailure_countsAWrongSecretAsManyRequests() throws Exception {
        var limits = limits(new RequestRates(0, 100, 0));
        var port = serve(limits, Problem.of(ErrorCode.CREDENTIAL_INVALID, "wrong"));

        var statuses = new CopyOnWriteArrayList<Integer>();
        do {
            statuses.add(get(port).statusCode());
        } while (statuses.get(statuses.size() - 1) != 429 && statuses.size() < 100);

        assertThat(statuses).contains(429).hasSizeLessThan(30);
    }

    private RateLimiter limits(RequestRates requestRates) {
        return new RateLimiter(requestRates, true, audit, new SimpleMeterRegistry());
    }

    private int serve(RateLimiter limits, Problem... answer) throws Exception {
        limits.startSharing(vertx);
        return await(vertx.createHttpServer()
                        .requestHandler(request -> {
                            try {
                                limits.checkAddress(request);
                                List.of(answer).forEach(problem -> limits.penalizeFailure(request, problem));
                                end(request, 200);
                            } catch (ProblemException e) {
                                end(request, ErrorEnvelope.status(e.problem()));
                            }
                        })
                        .listen(0, "127.0.0.1"))
                .actualPort();
    }

    private static void end(HttpServerRequest request, int status) {
        request.response().setStatusCode(status).end().onFailure(e -> {});
    }

    private HttpResponse<String> get(int port) throws Exception {
        return http.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/"))
                        .build(),
                BodyHandlers.ofString());
    }

    private static JsonObject usage(String from, String kind, Object spent) {
        var body = new JsonObject().put("from", from);
        for (var each : List.of("principals", "addresses", "exchanges")) {
            body.put(each, new JsonObject());
        }
        body.getJsonObject(kind).put("127.0.0.1", spent);
        return body;
    }

    private static <T> T await(Future<T> future) throws Exception {
        return future.toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
    }
}
