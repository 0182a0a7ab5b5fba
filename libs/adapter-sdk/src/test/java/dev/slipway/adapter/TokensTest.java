package dev.slipway.adapter;

import dev.slipway.adapter.PlatformClient.AnswerException;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

class TokensTest {
    @TempDir
    Path home;

    private final Vertx vertx = Vertx.vertx();
    private final Message report =
            ReportMessages.deploying(Samples.command(Samples.deploy(Ids.next())).task(), null, Map.of());
    private HttpServer server;
    private AdapterConfig config;
    private volatile int status = 200;
    private volatile String answer = "{\"access_token\":\"t0ken\",\"token_type\":\"Bearer\",\"expires_in\":300}";
    private volatile Buffer asked = Buffer.buffer();
    private int open;
    private volatile int most;

    @BeforeEach
    void listen() throws Exception {
        server = get(vertx.createHttpServer()
                .requestHandler(request -> request.body()
                        .onSuccess(body -> {
                            asked = body;
                            most = Math.max(most, ++open);
                        })
                        .compose(body -> vertx.timer(2))
                        .compose(later -> {
                            open--;
                            return request.response().setStatusCode(status).end(answer);
                        }))
                .listen(0, "127.0.0.1"));
        var secret = Files.writeString(home.resolve("secret"), "s3cret\n");
        config = new AdapterConfig(
                URI.create("http://127.0.0.1:" + server.actualPort()),
                "unused:1",
                "",
                Map.of(),
                Ids.next(),
                secret,
                home,
                1);
    }

    @AfterEach
    void close() throws Exception {
        get(vertx.close());
    }

    private static <T> T get(Future<T> future) throws Exception {
        return future.toCompletionStage().toCompletableFuture().get(20, TimeUnit.SECONDS);
    }

    private Throwable failure() {
        try {
            return new AssertionError(
                    "handed out " + get(new Tokens(new PlatformClient(vertx, config)).exchange(report)));
        } catch (ExecutionException e) {
            return e.getCause();
        } catch (Exception e) {
            return e;
        }
    }

    @Test
    void exchange_sendsTheCredentialAndTheTask() throws Exception {
        var token = get(new Tokens(new PlatformClient(vertx, config)).exchange(report));

        var body = Json.parse(asked.getBytes());
        assertThat(body.path("adapter_id").asText())
                .isEqualTo(config.adapterId().toString());
        assertThat(body.path("adapter_secret").asText()).isEqualTo("s3cret");
        assertThat(body.path("app_instance_id").asText()).isEqualTo(report.appInstanceId());
        assertThat(body.path("command_id").asText()).isEqualTo(report.commandId());
        assertThat(token.value()).isEqualTo("t0ken");
        assertThat(token).asString().doesNotContain("t0ken");
    }

    @Test
    void exchange_waitsInLine_whenManyAskAtOnce() throws Exception {
        var tokens = new Tokens(new PlatformClient(vertx, config));
        var all = Promise.<Void>promise();

        vertx.runOnContext(ignored -> Future.join(Stream.generate(() -> tokens.exchange(report))
                        .limit(100)
                        .toList())
                .<Void>mapEmpty()
                .onComplete(all));
        get(all.future());

        assertThat(most).isEqualTo(4);
    }

    @Test
    void exchange_isWorthRetryingSoon_whenTheTaskIsUnknownYet() {
        status = 409;
        answer = "{\"code\":\"task_unknown\",\"message\":\"…\",\"correlation_id\":\"c\",\"details\":{}}";

        var failure = failure();

        assertThat(failure).hasMessageContaining("409 task_unknown");
        assertThat(ReportQueue.pauseMs(failure, 1)).isLessThan(20);
        assertThat(ReportQueue.pauseMs(failure, 20)).isGreaterThan(10_000);
    }

    @Test
    void exchange_isRetriedSlowly_whenTheCredentialIsRefused() {
        status = 401;
        answer = "{\"code\":\"unauthenticated\"}";

        var failure = failure();

        assertThat(((AnswerException) failure).isRefusal()).isTrue();
        assertThat(ReportQueue.pauseMs(failure, 1)).isEqualTo(ReportQueue.REFUSED_RETRY_MS);
        assertThat(failure).asString().doesNotContain("s3cret");
    }

    @Test
    void exchange_isWorthRetrying_whenSomethingBetweenAnswersNonsense() {
        status = 200;
        answer = "<html>welcome to the proxy</html>";

        assertThat(((AnswerException) failure()).isRefusal()).isFalse();
    }

    @Test
    void exchange_isWorthRetrying_whenNobodyListens() throws Exception {
        get(server.close());

        assertThat(ReportQueue.pauseMs(failure(), 1)).isLessThan(1_000);
    }

    @Test
    void serves_isFalse_inTheLastHalfMinute() {
        var now = Instant.now();
        var token = new Token("t0ken", "task", now.plusSeconds(60));

        assertThat(token.serves("task", now)).isTrue();
        assertThat(token.serves("another", now)).isFalse();
        assertThat(token.serves("task", now.plusSeconds(30))).isFalse();
    }

    @Test
    void pause_isBounded() {
        assertThat(ReportQueue.pauseMs(new IllegalStateException("broker away"), 1_000_000))
                .isBetween(10_000L, 20_000L);
    }
}
