package dev.slipway.telemetry;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

class TelemetryTest {
    @Test
    void metrics_areSeparate_whenTwoPlatformsRunInOneJvm() throws Exception {
        try (var first = Telemetry.start(Map.of());
                var second = Telemetry.start(Map.of())) {
            var one = first.vertx(new VertxOptions()).build();
            var other = second.vertx(new VertxOptions()).build();

            request(one);
            request(other);

            for (var each : new Telemetry[] {first, second}) {
                eventually(() -> assertThat(each.metrics().scrape())
                        .containsPattern("(?m)^vertx_http_server_requests_total\\{.*} 1\\.0$"));
            }
            await(one.close());
            await(other.close());
        }
    }

    /** Exporters report failures there. */
    @Test
    void javaUtilLogging_isRedirectedToLog() {
        var log = new ListAppender<ILoggingEvent>();
        log.start();
        var logger = (Logger) LoggerFactory.getLogger("some.library");
        logger.addAppender(log);
        try (var telemetry = Telemetry.start(Map.of())) {
            assertThat(telemetry).isNotNull();

            java.util.logging.Logger.getLogger("some.library").warning("cannot export");

            assertThat(log.list)
                    .singleElement()
                    .satisfies(event -> assertThat(event.getFormattedMessage()).isEqualTo("cannot export"))
                    .satisfies(event -> assertThat(event.getLevel()).isEqualTo(Level.WARN));
        } finally {
            logger.detachAppender(log);
        }
    }

    private static void request(Vertx vertx) throws Exception {
        var server = await(vertx.createHttpServer()
                .requestHandler(request -> request.response().end().onFailure(e -> {}))
                .listen(0, "127.0.0.1"));
        var uri = URI.create("http://127.0.0.1:" + server.actualPort() + "/");
        var response =
                HttpClient.newHttpClient().send(HttpRequest.newBuilder(uri).build(), BodyHandlers.discarding());
        assertThat(response.statusCode()).isEqualTo(200);
    }

    private static <T> T await(Future<T> future) throws Exception {
        return future.toCompletionStage().toCompletableFuture().get(20, TimeUnit.SECONDS);
    }
}
