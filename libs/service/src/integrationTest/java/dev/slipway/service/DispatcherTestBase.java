package dev.slipway.service;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.slipway.authz.AuthzModel;
import dev.slipway.authz.TokenSigner;
import dev.slipway.authz.TokenVerifier;
import dev.slipway.contract.ApiOperation;
import dev.slipway.contract.ApiOperation.Scope;
import dev.slipway.contract.Contract;
import dev.slipway.contract.Envelope;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.contract.RoleRegistry;
import dev.slipway.messaging.KafkaSettings;
import dev.slipway.messaging.Outbox;
import dev.slipway.messaging.ReceivedRecord;
import dev.slipway.telemetry.Telemetry;
import dev.slipway.testkit.FreshDatabase;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

import static dev.slipway.service.DatabaseTest.await;
import static org.assertj.core.api.Assertions.assertThat;

/** Starts a dispatcher with a database and a permission model of one project. */
abstract class DispatcherTestBase {
    static final Contract CONTRACT = Contract.load();
    static final TokenSigner ISSUER = TokenSigner.withNewKey("issuer");
    static final UUID ORG = Ids.next();
    static final UUID PROJECT = Ids.next();
    static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    static final Duration WRITES = Duration.ofSeconds(30);
    static final Duration READS = Duration.ofMinutes(5);
    private static Vertx vertx;
    static Telemetry telemetry;
    static FreshDatabase fresh;
    private static ServiceDatabase serviceDatabase;

    private final AuthzModel model = new AuthzModel();
    final AtomicInteger handled = new AtomicInteger();
    Dispatcher dispatcher;
    private Instant heartbeatAt = NOW;

    @BeforeAll
    static void open() {
        vertx = Vertx.vertx();
        BusCodecs.register(vertx);
        telemetry = Telemetry.start(Map.of());
        fresh = FreshDatabase.create();
        serviceDatabase = await(ServiceDatabase.open(vertx, new DatabaseSettings(fresh.url(), 4), "alpha", false));
    }

    @AfterAll
    static void close() {
        await(serviceDatabase.close());
        await(vertx.close());
        telemetry.close();
        fresh.close();
    }

    @BeforeEach
    void fillModel() {
        fresh.execute("TRUNCATE alpha.outbox");
        RoleRegistry.load()
                .actions()
                .forEach(action -> apply(
                        "authz.action", Json.object().put("action", action).put("lifecycle", "active")));
        apply("authz.role", role("owner", "apps.instance.read", "apps.instance.create"));
        apply(
                "authz.project",
                Json.object().put("project_id", PROJECT.toString()).put("org_id", ORG.toString()));
        apply(
                "authz.role",
                role("admin", "apps.instance.read", "apps.instance.create").put("level", "platform"));
        principal("stranger");
        bind(principal("owner"), "owner", "project");
        bind(principal("admin"), "admin", "platform");
        apply("authz.signing_key", key());
        apply("authz.revision", Json.object());
        heartbeat(NOW);
        dispatcher = dispatcher();
    }

    @AfterEach
    void stop() {
        await(dispatcher.close());
    }

    Future<Reply> handle(Request request) {
        handled.incrementAndGet();
        return Future.succeededFuture(Reply.of(Json.object()));
    }

    void serve(Function<Request, Future<Reply>> handler) {
        dispatcher.serve("getAppInstance", handler);
        dispatcher.serve("createAppInstance", handler);
        await(dispatcher.open());
    }

    Dispatcher dispatcher() {
        var clock = Clock.fixed(NOW, ZoneOffset.UTC);
        var serviceContext = new ServiceContext(
                CONTRACT,
                model,
                new TokenVerifier(model),
                new KafkaSettings("unused", "", 1, (short) 1, Map.of()),
                new DatabaseSettings(fresh.url(), 4),
                telemetry,
                new AuditActionRegistry(),
                new HealthRegistry(),
                new ServiceRegistry(),
                clock,
                2,
                false,
                WRITES,
                READS,
                Duration.ofHours(1));
        return new Dispatcher(
                vertx,
                serviceContext,
                new Outbox(serviceDatabase.transactions(), telemetry.traces(), clock, () -> {}),
                "alpha");
    }

    @CanIgnoreReturnValue
    static Reply call(String operation, String token) {
        return call(operation, token, Map.of());
    }

    static Reply call(String operation, String token, Map<String, String> headers) {
        return await(send(operation, token, headers));
    }

    static Future<Reply> send(String operation, String token, Map<String, String> headers) {
        var path = new HashMap<String, String>();
        if (CONTRACT.operation(operation).scope() == Scope.PROJECT) {
            path.put("project_id", PROJECT.toString());
        }
        if (CONTRACT.operation(operation).scope() == ApiOperation.Scope.ORGANIZATION) {
            path.put("org_id", ORG.toString());
        }
        var call = new Call(operation, "c-1", token, path, Map.of(), headers, null);
        return vertx.eventBus().<Reply>request(operation, call).map(message -> message.body());
    }

    static String token(String subject) {
        return ISSUER.sign(subject, NOW, NOW.plusSeconds(600), Map.of());
    }

    static ErrorCode code(Reply reply) {
        assertThat(reply.problem()).isNotNull();
        return reply.problem().code();
    }

    static ObjectNode key() {
        var key = Json.object()
                .put("kid", ISSUER.kid())
                .put("issuer", "issuer")
                .put("expires_at", NOW.plusSeconds(3_600).toString());
        return key.set("jwk", Json.parseStoredObject(ISSUER.publicJwk()));
    }

    @CanIgnoreReturnValue
    UUID principal(String subject) {
        var id = Ids.next();
        var payload = Json.object()
                .put("principal_id", id.toString())
                .put("actor_type", "user")
                .put("display_name", subject)
                .put("issuer", "issuer")
                .put("subject", subject)
                .put("org_id", (String) null)
                .put("project_id", (String) null)
                .put("responsible_user_id", id.toString())
                .put("active", true);
        payload.putArray("allowed_actions");
        apply("authz.principal", payload);
        return id;
    }

    void bind(UUID principal, String role, String level) {
        var inProject = level.equals("project");
        apply(
                "authz.binding",
                Json.object()
                        .put("binding_id", Ids.next().toString())
                        .put("principal_id", principal.toString())
                        .put("role", role)
                        .put("level", level)
                        .put("org_id", inProject ? ORG.toString() : null)
                        .put("project_id", inProject ? PROJECT.toString() : null)
                        .put("removed", false));
    }

    private static ObjectNode role(String name, String... actions) {
        var payload = Json.object().put("role", name).put("level", "project");
        List.of(actions).forEach(payload.putArray("actions")::add);
        return payload;
    }

    void heartbeat(Instant at) {
        heartbeatAt = at;
        apply("state.heartbeat", Json.object());
    }

    void apply(String type, ObjectNode payload) {
        apply(type, payload, 1);
    }

    void apply(String type, ObjectNode payload, long revision) {
        var event = new Envelope(Ids.next(), type, NOW, 1, "c-1", payload.put("revision", revision));
        model.apply(new ReceivedRecord("authz.state", 0, 0, heartbeatAt, "k", event.toBytes(), Map.of()));
    }
}
