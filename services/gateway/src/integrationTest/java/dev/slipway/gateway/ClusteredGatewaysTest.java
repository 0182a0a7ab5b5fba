package dev.slipway.gateway;

import dev.slipway.telemetry.Telemetry;
import dev.slipway.testkit.ChildProcess;
import dev.slipway.testkit.FreePorts;
import dev.slipway.testkit.TestInfrastructure;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.PoolOptions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import static dev.slipway.testkit.Eventually.eventually;
import static dev.slipway.testkit.Eventually.eventuallyGet;
import static org.assertj.core.api.Assertions.assertThat;

/** Two gateways on one bus; one of them runs in a process that is killed. */
class ClusteredGatewaysTest {
    private static final int BUCKET = 2 * ClusteredGatewayMain.RATE;
    private static final int BELOW_LIMIT = BUCKET / 2 + 10;
    private static final int ABOVE_LIMIT = 3 * BUCKET;
    private static final String KAFKA = TestInfrastructure.shared().kafkaBootstrap();

    @TempDir
    Path directory;

    private final Telemetry telemetry = Telemetry.start(Map.of());
    private final Vertx clients = Vertx.vertx();
    private int addresses;

    @AfterEach
    void stop() {
        await(clients.close());
        telemetry.close();
    }

    /** Every step uses another client address, with a full bucket, so that the speed of the machine does not matter. */
    @Test
    void rateLimits_areSharedBetweenGateways_andBecomePermissiveWhenOneDies() {
        var ports = FreePorts.find(4);
        var here = ports.get(0);
        var there = ports.get(1);
        // Both start at the same time, because each takes seconds.
        var starting = ClusteredGatewayMain.start(telemetry, KAFKA, here, bus(ports.get(2), ports.get(3)));
        try (var other =
                new ChildProcess(directory, Map.of(), classpath(), program(there, ports.get(3), ports.get(2)))) {
            assertThat(await(starting).isClustered()).isTrue();
            eventually(() -> assertThat(other.output()).as(other.errors()).contains("listening"));
            assertThat(request(here, "127.0.0.1", BELOW_LIMIT)).doesNotContainKey(429);

            // Alone, this gateway would accept all of these requests: the bucket holds more.
            eventually(() -> {
                var address = nextAddress();
                assertThat(request(there, address, ABOVE_LIMIT)).containsKey(429);
                assertThat(request(here, address, BELOW_LIMIT)).containsKey(429);
            });

            var limited = eventuallyGet(() -> {
                var address = nextAddress();
                assertThat(request(there, address, ABOVE_LIMIT)).containsKey(429);
                return address;
            });
            other.kill();
            for (var i = 0; i < 5; i++) {
                assertThat(request(here, nextAddress(), BELOW_LIMIT)).containsOnlyKeys(401);
            }
            eventually(() -> assertThat(request(here, limited, 1)).containsOnlyKeys(401));
        } finally {
            await(await(starting).close());
        }
    }

    /** Returns the number of responses by status: 401 if the limit was not reached, because no request has a token. */
    private Map<Integer, Long> request(int port, String from, int times) {
        var options = new HttpClientOptions().setLocalAddress(from);
        var client = clients.createHttpClient(options, new PoolOptions().setHttp1MaxSize(20));
        var answers = IntStream.range(0, times)
                .mapToObj(i -> client.request(HttpMethod.GET, port, "127.0.0.1", "/api/v1/iam/me")
                        .compose(HttpClientRequest::send)
                        .map(HttpClientResponse::statusCode))
                .toList();
        var statuses = await(Future.all(answers)).<Integer>list();
        await(client.close());
        return statuses.stream().collect(Collectors.groupingBy(status -> status, Collectors.counting()));
    }

    private String nextAddress() {
        return "127.0.1." + ++addresses;
    }

    private static String classpath() {
        return System.getProperty("slipway.gateway.test.classpath");
    }

    private static String[] program(int httpPort, int ownPort, int otherPort) {
        var program = new ArrayList<>(List.of(ClusteredGatewayMain.class.getName(), KAFKA, String.valueOf(httpPort)));
        program.addAll(bus(ownPort, otherPort));
        return program.toArray(String[]::new);
    }

    private static List<String> bus(int own, int other) {
        return List.of(String.valueOf(own), String.valueOf(other));
    }

    private static <T> T await(Future<T> future) {
        try {
            return future.toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
