package dev.slipway.gateway;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.Ids;
import dev.slipway.gateway.GatewayConfig.RequestRates;
import dev.slipway.testkit.EventTap;
import dev.slipway.testkit.TestInfrastructure;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

import static dev.slipway.testkit.Eventually.eventuallyGet;
import static org.assertj.core.api.Assertions.assertThat;

/** Floods a gateway with requests that it rejects without knowing the caller. */
class RefusalFloodTest {
    private static final String BOOTSTRAP = TestInfrastructure.shared().kafkaBootstrap();

    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final String prefix = "f" + Ids.next().toString().substring(24) + ".";

    @ParameterizedTest
    @CsvSource({"GET, /nowhere, 404", "GET, /api/v1/nowhere, 404", "PATCH, /api/v1/apps/catalog, 405"})
    void unknownPathsAndMethods_countAgainstTheRateOfTheAddress(String method, String path, int status) {
        try (var gateway = new GatewayUnderTest(new RequestRates(0, 1, 0), prefix)) {
            var statuses = IntStream.range(0, 20)
                    .mapToObj(i -> send(gateway, method, path))
                    .toList();

            assertThat(statuses).containsOnly(status, 429).startsWith(status);
        }
    }

    @Test
    void requestsThatAreNotHttp_countAgainstTheRateOfTheAddress() throws Exception {
        try (var gateway = new GatewayUnderTest(new RequestRates(0, 1, 0), prefix)) {
            for (var i = 0; i < 20; i++) {
                try (var socket = new Socket(InetAddress.getLoopbackAddress(), gateway.port())) {
                    socket.getOutputStream().write("GET / HTTP/9.9\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                    assertThat(socket.getInputStream().readAllBytes()).isNotEmpty();
                }
            }

            assertThat(send(gateway, "GET", "/openapi.json")).isEqualTo(429);
        }
    }

    @Test
    void waitingForARevision_isChargedToTheAddress() {
        try (var gateway = new GatewayUnderTest(new RequestRates(0, 15, 0), prefix)) {
            var token = encode("{\"alg\":\"RS256\",\"kid\":\"unknown\"}") + "." + encode("{\"iss\":\"slipway\"}") + "."
                    + encode("signature");
            var waiting = HttpRequest.newBuilder(URI.create(gateway.url("/api/v1/apps/catalog")))
                    .header("Authorization", "Bearer " + token)
                    .header("X-Revision", "999999999999")
                    .build();
            var answers = Stream.generate(() -> client.sendAsync(waiting, BodyHandlers.discarding()))
                    .limit(10)
                    .toList();

            // The bucket of the address has 30 tokens: enough for ten requests, but not for ten that wait.
            assertThat(answers.stream().map(answer -> answer.join().statusCode()))
                    .contains(429);
        }
    }

    @Test
    void accessLog_recordsAFewRefusals_andTheNumberOfTheOthers() throws Exception {
        createTopic();
        try (var tap = new EventTap(BOOTSTRAP, prefix)) {
            try (var gateway = new GatewayUnderTest(new RequestRates(0, 0, 0), prefix)) {
                for (var i = 0; i < 200; i++) {
                    assertThat(send(gateway, "GET", "/api/v1/nowhere")).isEqualTo(404);
                    assertThat(send(gateway, "GET", "/api/v1/apps/catalog")).isEqualTo(401);
                }
            }
            var calls = eventuallyGet(() -> {
                var found = calls(tap);
                assertThat(requests(found, 404)).isEqualTo(200);
                assertThat(requests(found, 401)).isEqualTo(200);
                return found;
            });

            // A window starts every ten seconds, and a slow machine can take several.
            assertThat(calls).hasSizeLessThan(150);
            assertThat(calls)
                    .allSatisfy(call -> assertThat(call.has("principal_id")).isFalse());
            assertThat(tap.violations()).isEmpty();
        }
    }

    private void createTopic() throws Exception {
        try (var admin = Admin.create(Map.of("bootstrap.servers", BOOTSTRAP))) {
            admin.createTopics(List.of(new NewTopic(prefix + "calls", 1, (short) 1)))
                    .all()
                    .get(30, TimeUnit.SECONDS);
        }
    }

    private static List<JsonNode> calls(EventTap tap) {
        return tap.find(event -> event.topic().equals("calls")).stream()
                .flatMap(event ->
                        StreamSupport.stream(event.payload().path("calls").spliterator(), false))
                .toList();
    }

    private static int requests(List<JsonNode> calls, int status) {
        return calls.stream()
                .filter(call -> call.path("status").asInt() == status)
                .mapToInt(call -> call.path("count").asInt(1))
                .sum();
    }

    private int send(GatewayUnderTest gateway, String method, String path) {
        var request = HttpRequest.newBuilder(URI.create(gateway.url(path)))
                .method(method, BodyPublishers.noBody())
                .build();
        try {
            return client.send(request, BodyHandlers.discarding()).statusCode();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private static String encode(String text) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }
}
