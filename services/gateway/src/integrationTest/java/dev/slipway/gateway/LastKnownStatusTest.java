package dev.slipway.gateway;

import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.service.Reply;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.concurrent.atomic.AtomicReference;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests the public status while its service fails, and the secret of notifications. */
class LastKnownStatusTest {
    private static final String STATUS = "/api/v1/status";
    private static final String ETAG = "W/\"1\"";
    private static final HttpClient HTTP =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private static final AtomicReference<Reply> REPLY = new AtomicReference<>(status("ready"));

    private static GatewayUnderTest gateway;

    @BeforeAll
    static void start() {
        gateway = new GatewayUnderTest();
        gateway.serve("getPublicStatus", call -> REPLY.get());
        gateway.serve(
                "receiveAlertmanagerWebhook",
                call -> Reply.of(Json.object().put("token", call.token()).put("verified", false)));
    }

    @AfterAll
    static void stop() {
        gateway.close();
    }

    @Test
    void status_isCacheable_andNotModified_whenItsETagIsKnown() throws Exception {
        REPLY.set(status("ready"));
        var first = get(null);
        assertThat(first.statusCode()).isEqualTo(200);
        assertThat(first.headers().firstValue("Cache-Control")).hasValue("public, max-age=15");
        assertThat(first.headers().firstValue("ETag")).hasValue(ETAG);
        assertThat(get(ETAG).statusCode()).isEqualTo(304);
    }

    @ParameterizedTest
    @EnumSource(names = {"SERVICE_UNAVAILABLE", "DEPENDENCY_UNAVAILABLE", "TIMEOUT"})
    void status_isTheLastKnown_whenItsServiceIsUnavailable(ErrorCode failure) throws Exception {
        REPLY.set(status("degraded"));
        assertThat(get(null).body()).contains("degraded");
        REPLY.set(Reply.of(Problem.of(failure, "unavailable")));

        var last = get(null);

        assertThat(last.statusCode()).isEqualTo(200);
        assertThat(last.body()).contains("degraded");
    }

    @Test
    void status_isTheFailure_whenItIsNoOutage() throws Exception {
        REPLY.set(status("ready"));
        assertThat(get(null).statusCode()).isEqualTo(200);
        REPLY.set(Reply.of(Problem.of(ErrorCode.INTERNAL_ERROR, "a bug")));
        assertThat(get(null).statusCode()).isEqualTo(500);
    }

    @Test
    void secret_isPassedToTheService_ofAPublicOperation() throws Exception {
        var notification =
                "{\"version\":\"4\",\"groupKey\":\"g\",\"status\":\"firing\",\"alerts\":[{\"status\":\"firing\","
                        + "\"labels\":{\"text\":\"" + "x".repeat(8_000)
                        + "\"},\"startsAt\":\"2026-11-18T10:00:00Z\",\"fingerprint\":\"f\"},"
                        + "{\"status\":\"firing\",\"labels\":{\"text\":\"" + "y".repeat(8_100)
                        + "\"},\"startsAt\":\"2026-11-18T10:00:00Z\",\"fingerprint\":\"g\"}]}";
        var request = HttpRequest.newBuilder(URI.create(gateway.url("/api/v1/platform/status/alerts")))
                .header("Authorization", "Bearer a-shared-secret")
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(notification))
                .build();

        var response = HTTP.send(request, BodyHandlers.ofString());

        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        assertThat(response.body()).contains("a-shared-secret");
    }

    private static Reply status(String text) {
        return Reply.of(Json.object().put("status", text)).withETag(ETAG);
    }

    private static HttpResponse<String> get(@Nullable String etag) throws IOException, InterruptedException {
        var request = HttpRequest.newBuilder(URI.create(gateway.url(STATUS)));
        if (etag != null) {
            request.header("If-None-Match", etag);
        }
        return HTTP.send(request.build(), BodyHandlers.ofString());
    }
}
