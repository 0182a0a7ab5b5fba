package dev.slipway.gateway;

import dev.slipway.authz.AuthzModel;
import dev.slipway.authz.Principal;
import dev.slipway.contract.Contract;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.gateway.EventStream.StreamTimeouts;
import dev.slipway.gateway.GatewayConfig.StreamLimits;
import dev.slipway.messaging.KafkaSettings;
import dev.slipway.service.Call;
import dev.slipway.service.Reply;
import dev.slipway.testkit.TestInfrastructure;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.ext.web.Router;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

class EventStreamRegistryTest {
    private static final String EVENT = "x".repeat(64 * 1024);

    private final Vertx vertx = Vertx.vertx();
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final Map<UUID, UUID> orgByProject = new ConcurrentHashMap<>();
    private final EventStreamRegistry streams = new EventStreamRegistry(
            vertx, new StreamLimits(2, 2, 3), new StreamTimeouts(10, 300), orgByProject::get, meters);
    private final AccessLog accessLog = new AccessLog(
            new KafkaSettings(TestInfrastructure.shared().kafkaBootstrap(), "streams.", 1, (short) 1, Map.of()),
            new AuthzModel(),
            Clock.systemUTC());
    private final List<Call> calls = new CopyOnWriteArrayList<>();

    @AfterEach
    void stop() throws Exception {
        accessLog.stop();
        await(vertx.close());
    }

    @Test
    void start_closesTheStreamAndStopsPolling_whenTheClientDoesNotRead() throws Exception {
        var port = serve(user(), call -> Future.succeededFuture(page(calls.size())));

        try (var reader = connect(port)) {
            eventually(() -> assertThat(dropped()).isEqualTo(1));

            assertThat(open()).isZero();
            var fetched = calls.size();
            assertThat(fetched).isLessThan(1_000);
            assertThat(calls.get(fetched - 1).query()).containsEntry("after", String.valueOf(fetched - 1));
            assertThat(reader.isConnected()).isTrue();
        }
    }

    @Test
    void start_sendsAnErrorEvent_whenAPollFails() throws Exception {
        var port = serve(
                user(),
                call -> Future.succeededFuture(
                        calls.size() == 1
                                ? page(1)
                                : Reply.of(Problem.of(ErrorCode.TOKEN_REVOKED, "The token was revoked."))));

        try (var reader = lines(port)) {
            assertThat(reader.lines())
                    .contains("event: tick", "id: 1", "event: error")
                    .anyMatch(line -> line.contains("\"code\":\"token_revoked\""));
        }
        assertThat(open()).isZero();
    }

    @Test
    void start_isRejected_aboveTheLimits_untilAStreamCloses() throws Exception {
        var one = user();
        var port = serve(one, call -> Future.succeededFuture(emptyPage()));
        var other = serve(user(), call -> Future.succeededFuture(emptyPage()));

        var first = connect(port);
        var second = connect(port);
        eventually(() -> assertThat(open()).isEqualTo(2));
        assertThat(readAll(port)).contains("rate_limited");
        var third = connect(other);
        eventually(() -> assertThat(open()).isEqualTo(3));
        assertThat(readAll(other)).contains("service_unavailable");

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

    /** Two accounts of one tenant must not hold the streams of all tenants. */
    @Test
    void start_isRejected_aboveTheLimitOfTheOrganization() throws Exception {
        var tenant = Ids.next();
        var first = serve(user(), projectOf(tenant), call -> Future.succeededFuture(emptyPage()));
        var second = serve(user(), projectOf(tenant), call -> Future.succeededFuture(emptyPage()));
        var other = serve(user(), projectOf(Ids.next()), call -> Future.succeededFuture(emptyPage()));

        try (var one = connect(first);
                var two = connect(second)) {
            awaitStart(one);
            awaitStart(two);
            assertThat(readAll(second)).startsWith("HTTP/1.1 429 ").contains("rate_limited", "organization has 2");

            try (var another = connect(other)) {
                awaitStart(another);
            }
        }
        eventually(() -> assertThat(open()).isZero());
        try (var again = connect(first)) {
            awaitStart(again);
        }
    }

    /** Strangers could otherwise use up the streams of an organization. */
    @Test
    void start_countsNothingForTheOrganization_untilTheServiceAuthorizesTheStream() throws Exception {
        var project = projectOf(Ids.next());
        var stranger = serve(user(), project, call -> Promise.<Reply>promise().future());
        var member = serve(user(), project, call -> Future.succeededFuture(emptyPage()));

        try (var one = connect(stranger);
                var two = connect(stranger)) {
            eventually(() -> assertThat(open()).isEqualTo(2));
            assertThat(one.isConnected() && two.isConnected()).isTrue();
            try (var third = connect(member)) {
                awaitStart(third);
            }
        }
    }

    private UUID projectOf(UUID tenant) {
        var project = Ids.next();
        orgByProject.put(project, tenant);
        return project;
    }

    private static void awaitStart(Socket socket) throws IOException {
        socket.setSoTimeout(20_000);
        assertThat(new String(socket.getInputStream().readNBytes(15), StandardCharsets.US_ASCII))
                .isEqualTo("HTTP/1.1 200 OK");
    }

    @Test
    void closeAll_endsEveryStreamWithAnErrorEvent() throws Exception {
        var port = serve(user(), call -> Future.succeededFuture(emptyPage()));
        try (var reader = lines(port)) {
            eventually(() -> assertThat(open()).isEqualTo(1));

            streams.closeAll();

            assertThat(reader.lines()).anyMatch(line -> line.contains("service_unavailable"));
        }
    }

    private int serve(Principal principal, Function<Call, Future<Reply>> service) throws Exception {
        return serve(principal, Ids.next(), service);
    }

    private int serve(Principal principal, UUID project, Function<Call, Future<Reply>> service) throws Exception {
        var path = Map.of("project_id", project.toString());
        var correlation = new CorrelationHandler(accessLog, Duration.ofSeconds(5));
        var operation = Contract.load().operation("watchAppInstance");
        var router = Router.router(vertx);
        router.route()
                .handler(correlation)
                .handler(routing -> {
                    var context = RequestContext.of(routing);
                    context.setOperation(operation, path);
                    context.setAuthenticated(principal, "token");
                    var call = new Call("watch", "c-1", "token", path, Map.of(), Map.of(), null);
                    streams.start(context, call, next -> {
                        calls.add(next);
                        return service.apply(next);
                    });
                })
                .failureHandler(new FailureHandler(correlation));
        return await(vertx.createHttpServer().requestHandler(router).listen(0, "127.0.0.1"))
                .actualPort();
    }

    private static Reply page(int number) {
        var body = Json.object().put("position", String.valueOf(number));
        body.putArray("events")
                .addObject()
                .put("event", "tick")
                .put("id", String.valueOf(number))
                .put("data", EVENT);
        return Reply.of(body);
    }

    private static Reply emptyPage() {
        var body = Json.object().put("position", "1");
        body.putArray("events");
        return Reply.of(body);
    }

    private static Principal user() {
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

    private static String readAll(int port) throws IOException {
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
