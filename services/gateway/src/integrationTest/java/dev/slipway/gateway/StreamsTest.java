package dev.slipway.gateway;

import dev.slipway.authz.AuthzModel;
import dev.slipway.authz.Principal;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.contract.ProblemException;
import dev.slipway.gateway.EventStream.Waits;
import dev.slipway.gateway.GatewayConfig.StreamLimits;
import dev.slipway.messaging.KafkaSettings;
import dev.slipway.service.Call;
import dev.slipway.service.Reply;
import dev.slipway.testkit.TestInfrastructure;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** What readers of streams can and cannot do to a gateway. */
class StreamsTest {
    private static final String EVENT = "x".repeat(64 * 1024);

    private final Vertx vertx = Vertx.vertx();
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final Streams streams = new Streams(vertx, new StreamLimits(2, 3), new Waits(10, 300), meters);
    private final CallRecords records = new CallRecords(
            new KafkaSettings(TestInfrastructure.shared().kafkaBootstrap(), "streams.", 1, (short) 1, Map.of()),
            new AuthzModel(),
            Clock.systemUTC());
    private final List<Call> asked = new CopyOnWriteArrayList<>();

    @AfterEach
    void stop() throws Exception {
        records.stop();
        await(vertx.close());
    }

    @Test
    void reader_isDropped_whenItDoesNotRead_andNothingMoreIsFetchedForIt() throws Exception {
        var port = serve(person(), call -> Future.succeededFuture(part(asked.size())));

        try (var reader = connect(port)) {
            eventually(() -> assertThat(dropped()).isEqualTo(1));

            assertThat(open()).isZero();
            var fetched = asked.size();
            assertThat(fetched).isLessThan(1_000);
            assertThat(asked.get(fetched - 1).query()).containsEntry("after", String.valueOf(fetched - 1));
            assertThat(reader.isConnected()).isTrue();
        }
    }

    @Test
    void reader_isToldWhy_whenTheStreamCannotGoOn() throws Exception {
        var port = serve(
                person(),
                call -> Future.succeededFuture(
                        asked.size() == 1
                                ? part(1)
                                : Reply.of(Problem.of(ErrorCode.TOKEN_REVOKED, "It was revoked."))));

        try (var reader = lines(port)) {
            assertThat(reader.lines())
                    .contains("event: tick", "id: 1", "event: error")
                    .anyMatch(line -> line.contains("\"code\":\"token_revoked\""));
        }
        assertThat(open()).isZero();
    }

    @Test
    void stream_isRefused_whenThereAreTooMany_andAllowedAgainWhenOneLeft() throws Exception {
        var one = person();
        var port = serve(one, call -> Future.succeededFuture(quiet()));
        var other = serve(person(), call -> Future.succeededFuture(quiet()));

        var first = connect(port);
        var second = connect(port);
        eventually(() -> assertThat(open()).isEqualTo(2));
        assertThat(refused(port)).contains("rate_limited");
        var third = connect(other);
        eventually(() -> assertThat(open()).isEqualTo(3));
        assertThat(refused(other)).contains("service_unavailable");

        first.close();
        eventually(() -> assertThat(open()).isEqualTo(2));
        try (var again = connect(port)) {
            eventually(() -> assertThat(open()).isEqualTo(3));
            assertThat(again.isConnected()).isTrue();
        }
        second.close();
        third.close();
        eventually(() -> assertThat(open()).isZero());
    }

    @Test
    void everyStream_isEnded_whenTheGatewayStops() throws Exception {
        var port = serve(person(), call -> Future.succeededFuture(quiet()));
        try (var reader = lines(port)) {
            eventually(() -> assertThat(open()).isEqualTo(1));

            streams.endAll();

            assertThat(reader.lines()).anyMatch(line -> line.contains("service_unavailable"));
        }
    }

    private int serve(Principal principal, Function<Call, Future<Reply>> service) throws Exception {
        return await(vertx.createHttpServer()
                        .requestHandler(request -> {
                            var exchange = new Exchange(request, "c-1", records);
                            var call = new Call("watch", "c-1", "token", Map.of(), Map.of(), Map.of(), null);
                            try {
                                streams.start(exchange, principal, call, next -> {
                                    asked.add(next);
                                    return service.apply(next);
                                });
                            } catch (ProblemException e) {
                                exchange.refuse(e.problem());
                            }
                        })
                        .listen(0, "127.0.0.1"))
                .actualPort();
    }

    private static Reply part(int number) {
        var body = Json.object().put("position", String.valueOf(number));
        body.putArray("events")
                .addObject()
                .put("event", "tick")
                .put("id", String.valueOf(number))
                .put("data", EVENT);
        return Reply.of(body);
    }

    private static Reply quiet() {
        var body = Json.object().put("position", "1");
        body.putArray("events");
        return Reply.of(body);
    }

    private static Principal person() {
        var id = Ids.next();
        return Principal.user(id, "Reader");
    }

    private static Socket connect(int port) throws IOException {
        var socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.getOutputStream()
                .write("GET / HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        return socket;
    }

    private static BufferedReader lines(int port) throws IOException {
        return new BufferedReader(new InputStreamReader(connect(port).getInputStream(), StandardCharsets.UTF_8));
    }

    private static String refused(int port) throws IOException {
        try (var socket = connect(port)) {
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private double dropped() {
        return meters.get("slipway.streams.dropped").counter().count();
    }

    private double open() {
        return meters.get("slipway.streams.open").gauge().value();
    }

    private static <T> T await(Future<T> future) throws Exception {
        return future.toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
    }
}
