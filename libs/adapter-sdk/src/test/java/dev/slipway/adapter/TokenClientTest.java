package dev.slipway.adapter;

import dev.slipway.adapter.PlatformClient.PlatformResponseException;
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

class TokenClientTest {
    @TempDir
    Path home;

    private final Vertx vertx = Vertx.vertx();
    private final Message report = ReportMessages.deploying(
            SampleCommands.command(SampleCommands.deploy(Ids.next())).task(), null, Map.of());
    private HttpServer server;
    private AdapterConfig config;
    private volatile int status = 200;
    private volatile String responseBody = "{\"access_token\":\"t0ken\",\"token_type\":\"Bearer\",\"expires_in\":300}";
    private volatile Buffer requestBody = Buffer.buffer();
    private int open;
    private volatile int most;

    @BeforeEach
    void listen() throws Exception {
        server = get(vertx.createHttpServer()
                .requestHandler(request -> request.body()
                        .onSuccess(body -> {
                            requestBody = body;
                            most = Math.max(most, ++open);
                        })
                        .compose(body -> vertx.timer(2))
                        .compose(later -> {
                            open--;
                            return request.response().setStatusCode(status).end(responseBody);
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
                    "handed out " + get(new TokenClient(new PlatformClient(vertx, config)).exchangeForTask(report)));
        } catch (ExecutionException e) {
            return e.getCause();
        } catch (Exception e) {
            return e;
        }
    }

    @Test
    void exchangeForTask_sendsCredentialAndTask() throws Exception {
        var token = get(new TokenClient(new PlatformClient(vertx, config)).exchangeForTask(report));

        var body = Json.parse(requestBody.getBytes());
        assertThat(body.path("adapter_id").asText())
                .isEqualTo(config.adapterId().toString());
        assertThat(body.path("adapter_secret").asText()).isEqualTo("s3cret");
        assertThat(body.path("app_instance_id").asText())
                .isEqualTo(report.subject().id().toString());
        assertThat(body.path("command_id").asText()).isEqualTo(report.commandId());
        assertThat(token.value()).isEqualTo("t0ken");
        assertThat(token).asString().doesNotContain("t0ken");
    }

    @Test
    void exchangeForTask_queuesRequests_whenManyAreConcurrent() throws Exception {
        var tokenClient = new TokenClient(new PlatformClient(vertx, config));
        var all = Promise.<Void>promise();

        vertx.runOnContext(ignored -> Future.join(Stream.generate(() -> tokenClient.exchangeForTask(report))
                        .limit(100)
                        .toList())
                .<Void>mapEmpty()
                .onComplete(all));
        get(all.future());

        assertThat(most).isEqualTo(4);
    }

    @Test
    void exchangeForTask_isRetriedSoon_whenTaskIsUnknown() {
        status = 409;
        responseBody = "{\"code\":\"task_unknown\",\"message\":\"…\",\"correlation_id\":\"c\",\"details\":{}}";

        var failure = failure();

        assertThat(failure).hasMessageContaining("409 task_unknown");
        assertThat(ReportQueue.retryDelayMs(failure, 1)).isLessThan(20);
        assertThat(ReportQueue.retryDelayMs(failure, 20)).isGreaterThan(10_000);
    }

    @Test
    void exchangeForTask_isRetriedSlowly_whenCredentialIsRejected() {
        status = 401;
        responseBody = "{\"code\":\"unauthenticated\"}";

        var failure = failure();

        assertThat(((PlatformResponseException) failure).isCredentialRejected()).isTrue();
        assertThat(ReportQueue.retryDelayMs(failure, 1)).isEqualTo(ReportQueue.CREDENTIAL_RETRY_MS);
        assertThat(failure).asString().doesNotContain("s3cret");
    }

    @Test
    void exchangeForTask_isRetried_whenResponseIsUnreadable() {
        status = 200;
        responseBody = "<html>welcome to the proxy</html>";

        assertThat(((PlatformResponseException) failure()).isCredentialRejected())
                .isFalse();
    }

    @Test
    void exchangeForTask_isRetried_whenConnectionIsRefused() throws Exception {
        get(server.close());

        assertThat(ReportQueue.retryDelayMs(failure(), 1)).isLessThan(1_000);
    }

    @Test
    void isValidFor_isFalse_inLastThirtySeconds() {
        var now = Instant.now();
        var token = new Token("t0ken", "task", now.plusSeconds(60));

        assertThat(token.isValidFor("task", now)).isTrue();
        assertThat(token.isValidFor("another", now)).isFalse();
        assertThat(token.isValidFor("task", now.plusSeconds(30))).isFalse();
    }

    @Test
    void retryDelay_isLimited() {
        assertThat(ReportQueue.retryDelayMs(new IllegalStateException("broker away"), 1_000_000))
                .isBetween(10_000L, 20_000L);
    }
}
