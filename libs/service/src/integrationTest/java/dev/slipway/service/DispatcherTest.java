package dev.slipway.service;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.slipway.authz.AuthzModel;
import dev.slipway.authz.TokenIssuer;
import dev.slipway.authz.TokenVerifier;
import dev.slipway.contract.Contract;
import dev.slipway.contract.Envelope;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.contract.Operation;
import dev.slipway.contract.Operation.Scope;
import dev.slipway.contract.Problem;
import dev.slipway.contract.RoleRegistry;
import dev.slipway.messaging.Incoming;
import dev.slipway.messaging.KafkaSettings;
import dev.slipway.messaging.Outbox;
import dev.slipway.telemetry.Telemetry;
import dev.slipway.testkit.FreshDatabase;
import dev.slipway.testkit.Proves;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.core.eventbus.ReplyFailure;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import java.net.ConnectException;
import java.nio.charset.StandardCharsets;
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
import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

class DispatcherTest {
    private static final Contract CONTRACT = Contract.load();
    private static final TokenIssuer ISSUER = TokenIssuer.withNewKey("issuer");
    private static final UUID ORG = Ids.next();
    private static final UUID PROJECT = Ids.next();
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final Duration WRITES = Duration.ofSeconds(30);
    private static final Map<String, String> BREAK_GLASS = Map.of("x-break-glass-reason", "a customer called");
    private static final Duration READS = Duration.ofMinutes(5);
    private static Vertx vertx;
    private static Telemetry telemetry;
    private static FreshDatabase fresh;
    private static Database database;

    private final AuthzModel model = new AuthzModel();
    private final AtomicInteger handled = new AtomicInteger();
    private Dispatcher dispatcher;
    private Instant heartbeatAt = NOW;

    @BeforeAll
    static void open() {
        vertx = Vertx.vertx();
        BusCodecs.register(vertx);
        telemetry = Telemetry.start(Map.of());
        fresh = FreshDatabase.create();
        database = await(Database.open(vertx, new DatabaseSettings(fresh.url(), 4), "alpha", false));
    }

    @AfterAll
    static void close() {
        await(database.close());
        await(vertx.close());
        telemetry.close();
        fresh.close();
    }

    @BeforeEach
    void know() {
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

    @Test
    @Proves("1.05")
    void noOperation_isServed_withoutATokenThatMayIt() {
        var operations = CONTRACT.operations().stream()
                .filter(operation -> operation.scope() != Scope.PUBLIC)
                .toList();
        operations.forEach(operation -> dispatcher.serve(operation.id(), this::handle));
        await(dispatcher.open());

        assertThat(operations).isNotEmpty().allSatisfy(operation -> {
            assertThat(code(call(operation.id(), null))).isEqualTo(ErrorCode.TOKEN_MISSING);
            assertThat(code(call(operation.id(), "not.a.token"))).isEqualTo(ErrorCode.TOKEN_INVALID);
            if (operation.scope() != Scope.SELF) {
                assertThat(code(call(operation.id(), token("stranger"))))
                        .isIn(ErrorCode.NOT_FOUND, ErrorCode.INSUFFICIENT_PERMISSIONS);
            }
        });
        assertThat(handled).hasValue(0);
    }

    /** Nobody stands in front of the service here: what is refused, it refuses itself. */
    @Test
    void call_isRefused_onceItsTokenItsPrincipalOrTheKeyIsRevoked() {
        serve(this::handle);
        var jti = Ids.next();
        var end = NOW.plusSeconds(600);
        var revoked = ISSUER.sign(jti, "owner", NOW, end, Map.of());
        var leaver = principal("leaver");
        bind(leaver, "owner", "project");
        for (var token : List.of(revoked, token("leaver"), token("owner"))) {
            assertThat(call("getAppInstance", token).problem()).isNull();
        }

        apply(
                "authz.revocation",
                Json.object().put("kind", "token").put("id", jti.toString()).put("expires_at", end.toString()));
        apply(
                "authz.principal",
                Json.object()
                        .put("principal_id", leaver.toString())
                        .put("actor_type", "user")
                        .put("active", false));

        assertThat(code(call("getAppInstance", revoked))).isEqualTo(ErrorCode.TOKEN_REVOKED);
        assertThat(code(call("getAppInstance", token("leaver")))).isEqualTo(ErrorCode.TOKEN_INVALID);
        assertThat(call("getAppInstance", token("owner")).problem()).isNull();
        apply("authz.signing_key", key().put("revoked", true));
        assertThat(code(call("getAppInstance", token("owner")))).isEqualTo(ErrorCode.TOKEN_REVOKED);
        assertThat(handled).hasValue(4);
    }

    @Test
    void call_isRefused_whenPermissionsAreTooOld_writesBeforeReads() {
        serve(this::handle);
        heartbeat(NOW.minus(WRITES).minusMillis(1));
        assertThat(code(call("createAppInstance", token("owner")))).isEqualTo(ErrorCode.AUTHZ_STALE);
        assertThat(call("getAppInstance", token("owner")).problem()).isNull();

        heartbeat(NOW.minus(READS).minusMillis(1));

        assertThat(code(call("getAppInstance", token("owner")))).isEqualTo(ErrorCode.AUTHZ_STALE);
        assertThat(handled).hasValue(1);
    }

    @Test
    void call_isRefused_whenHeaderAndPathNameDifferentProjects() {
        serve(this::handle);

        var reply = call(
                "getAppInstance",
                token("owner"),
                Map.of("x-project-id", Ids.next().toString()));

        assertThat(code(reply)).isEqualTo(ErrorCode.PROJECT_MISMATCH);
        assertThat(handled).hasValue(0);
    }

    @Test
    void refusal_isAudited_withTheReason() {
        serve(this::handle);

        assertThat(code(call("createAppInstance", token("stranger")))).isEqualTo(ErrorCode.NOT_FOUND);

        var record = Json.trusted(fresh.query("SELECT convert_from(value, 'UTF8') FROM alpha.outbox"));
        assertThat(record.path("event_type").asText()).isEqualTo("audit.recorded");
        assertThat(record.path("correlation_id").asText()).isEqualTo("c-1");
        assertThat(record.at("/payload/result").asText()).isEqualTo("denied");
        assertThat(record.at("/payload/action").asText()).isEqualTo("apps.instance.create");
        assertThat(record.at("/payload/actor/display_name").asText()).isEqualTo("stranger");
        assertThat(record.at("/payload/metadata/verdict").asText()).isEqualTo("not_bound");
    }

    @Test
    @Proves("1.76")
    void platformRole_isRefused_withoutBreakGlass_andATenantsRoleWithIt() {
        serve(this::handle);

        assertThat(code(call("getAppInstance", token("admin")))).isEqualTo(ErrorCode.BREAK_GLASS_REQUIRED);
        assertThat(code(call("getAppInstance", token("owner"), BREAK_GLASS)))
                .isEqualTo(ErrorCode.INSUFFICIENT_PERMISSIONS);
        assertThat(code(call("getAppInstance", token("stranger"), BREAK_GLASS)))
                .isEqualTo(ErrorCode.INSUFFICIENT_PERMISSIONS);

        assertThat(handled).hasValue(0);
        assertThat(fresh.query("""
                        SELECT count(*) FROM alpha.outbox
                        WHERE convert_from(value, 'UTF8')::jsonb #>> '{payload,metadata,break_glass_reason}' = 'a customer called'
                        """)).isEqualTo("2");
    }

    @Test
    @Proves({"1.76", "2.28"})
    void breakGlass_isOnRecordWithItsReason_beforeTheHandlerRuns_evenIfThatFails() {
        serve(request -> {
            assertThat(fresh.query("SELECT count(*) FROM alpha.outbox")).isEqualTo("2");
            assertThat(request.projectId()).isEqualTo(PROJECT);
            assertThat(request.orgId()).isEqualTo(ORG);
            handled.incrementAndGet();
            return Future.failedFuture(new IllegalStateException("the handler fails"));
        });

        assertThat(code(call("getAppInstance", token("admin"), BREAK_GLASS))).isEqualTo(ErrorCode.INTERNAL_ERROR);

        assertThat(handled).hasValue(1);
        assertThat(List.of("audit.recorded", "audit.break_glass.used")).allSatisfy(type -> {
            var record = Json.trusted(fresh.query(
                    "SELECT convert_from(value, 'UTF8') FROM alpha.outbox WHERE event_type = '" + type + "'"));
            assertThat(record.at("/payload/reason").asText()).isEqualTo("a customer called");
            assertThat(record.at("/payload/action").asText()).isEqualTo("apps.instance.read");
            assertThat(record.at("/payload/actor/display_name").asText()).isEqualTo("admin");
            assertThat(record.at("/payload/org_id").asText()).isEqualTo(ORG.toString());
            assertThat(record.at("/payload/project_id").asText()).isEqualTo(PROJECT.toString());
        });
    }

    @Test
    void call_waitsForTheRevisionItsCallerHasSeen() {
        serve(this::handle);

        var waiting = send("getAppInstance", token("newcomer"), Map.of("x-revision", "2"));
        assertThat(call("getAppInstance", token("owner"), Map.of("x-revision", "1"))
                        .problem())
                .isNull();
        assertThat(waiting.isComplete()).isFalse();
        bind(principal("newcomer"), "owner", "project");
        apply("authz.revision", Json.object(), 2);

        assertThat(await(waiting).problem()).isNull();
        assertThat(handled).hasValue(2);
    }

    @Test
    void call_isRefused_whenTheRevisionItsCallerHasSeenDoesNotCome() {
        serve(this::handle);

        var reply = call("getAppInstance", token("owner"), Map.of("x-revision", "9"));

        assertThat(code(reply)).isEqualTo(ErrorCode.AUTHZ_BEHIND);
        assertThat(handled).hasValue(0);
    }

    @Test
    void decisions_areCounted_byOutcomeAndReason_andTimed() {
        serve(this::handle);
        call("getAppInstance", token("owner"));
        call("getAppInstance", token("stranger"));

        var metrics = telemetry.metrics();
        assertThat(metrics.get("slipway.decisions")
                        .tags("service", "alpha", "outcome", "allowed")
                        .counter()
                        .count())
                .isPositive();
        assertThat(metrics.get("slipway.denials")
                        .tags("service", "alpha", "reason", "not_bound")
                        .counter()
                        .count())
                .isPositive();
        assertThat(metrics.get("slipway.authorization")
                        .tags("service", "alpha")
                        .timer()
                        .count())
                .isGreaterThanOrEqualTo(2);
    }

    @Test
    void failure_isToldToNobody_butTheLog() {
        var log = log();
        serve(request -> Future.failedFuture(new IllegalStateException("the password is hunter2")));

        var reply = call("getAppInstance", token("owner"));

        assertThat(reply.problem())
                .isEqualTo(Problem.of(
                        ErrorCode.INTERNAL_ERROR, "Something went wrong on our side. Quote the correlation id."));
        assertThat(new String(reply.body(), StandardCharsets.UTF_8)).isEmpty();
        assertThat(log.list)
                .filteredOn(e -> e.getLevel() == Level.ERROR)
                .singleElement()
                .satisfies(e -> assertThat(e.getThrowableProxy().getMessage()).isEqualTo("the password is hunter2"));
    }

    @Test
    void failure_isAnswered_whenTheHandlerThrows() {
        serve(request -> {
            throw new NullPointerException("oops");
        });

        assertThat(code(call("getAppInstance", token("owner")))).isEqualTo(ErrorCode.INTERNAL_ERROR);
    }

    @Test
    void problem_isTold_whenTheHandlerRefuses() {
        var problem = Problem.of(ErrorCode.APP_INSTANCE_NOT_FOUND, "There is none.");
        serve(request -> Future.failedFuture(problem.asException()));

        assertThat(call("getAppInstance", token("owner")).problem()).isEqualTo(problem);
    }

    @Test
    void outage_isADependencys_whenTheDatabaseIsAway() {
        serve(request -> Future.failedFuture(new ConnectException("Connection refused: db.internal")));

        var reply = call("getAppInstance", token("owner"));

        assertThat(code(reply)).isEqualTo(ErrorCode.DEPENDENCY_UNAVAILABLE);
        assertThat(reply.problem().message()).doesNotContain("db.internal");
    }

    @Test
    void handler_getsWhoCallsAndWhere() {
        serve(request -> {
            assertThat(request.principal().displayName()).isEqualTo("owner");
            assertThat(request.projectId()).isEqualTo(PROJECT);
            assertThat(request.orgId()).isEqualTo(ORG);
            assertThat(request.cause().correlationId()).isEqualTo("c-1");
            return handle(request);
        });

        assertThat(call("getAppInstance", token("owner")).problem()).isNull();
        assertThat(handled).hasValue(1);
    }

    @Test
    void close_takesNoMore_andWaitsForWhatIsInFlight() {
        var answer = Promise.<Reply>promise();
        serve(request -> {
            handled.incrementAndGet();
            return answer.future();
        });
        var inFlight = send("getAppInstance", token("owner"), Map.of());
        eventually(() -> assertThat(handled).hasValue(1));

        var closed = dispatcher.close();

        eventually(() -> assertThat(send("getAppInstance", token("owner"), Map.of())
                        .toCompletionStage()
                        .toCompletableFuture())
                .failsWithin(Duration.ofSeconds(5))
                .withThrowableThat()
                .havingCause()
                .isInstanceOfSatisfying(
                        ReplyException.class, e -> assertThat(e.failureType()).isEqualTo(ReplyFailure.NO_HANDLERS)));
        assertThat(closed.isComplete()).isFalse();
        answer.complete(Reply.of(Json.object()));
        await(closed);
        assertThat(await(inFlight).problem()).isNull();
    }

    private Future<Reply> handle(Request request) {
        handled.incrementAndGet();
        return Future.succeededFuture(Reply.of(Json.object()));
    }

    private void serve(Function<Request, Future<Reply>> handler) {
        dispatcher.serve("getAppInstance", handler);
        dispatcher.serve("createAppInstance", handler);
        await(dispatcher.open());
    }

    private Dispatcher dispatcher() {
        var clock = Clock.fixed(NOW, ZoneOffset.UTC);
        var frame = new Frame(
                CONTRACT,
                model,
                new TokenVerifier(model),
                new KafkaSettings("unused", "", 1, (short) 1, Map.of()),
                new DatabaseSettings(fresh.url(), 4),
                telemetry,
                new Health(),
                clock,
                2,
                false,
                WRITES,
                READS);
        return new Dispatcher(
                vertx, frame, new Outbox(database.transactions(), telemetry.traces(), clock, () -> {}), "alpha");
    }

    @CanIgnoreReturnValue
    private static Reply call(String operation, String token) {
        return call(operation, token, Map.of());
    }

    private static Reply call(String operation, String token, Map<String, String> headers) {
        return await(send(operation, token, headers));
    }

    private static Future<Reply> send(String operation, String token, Map<String, String> headers) {
        var path = new HashMap<String, String>();
        if (CONTRACT.operation(operation).scope() == Scope.PROJECT) {
            path.put("project_id", PROJECT.toString());
        }
        if (CONTRACT.operation(operation).scope() == Operation.Scope.ORGANIZATION) {
            path.put("org_id", ORG.toString());
        }
        var call = new Call(operation, "c-1", token, path, Map.of(), headers, null);
        return vertx.eventBus().<Reply>request(operation, call).map(message -> message.body());
    }

    private static String token(String subject) {
        return ISSUER.sign(subject, NOW, NOW.plusSeconds(600), Map.of());
    }

    private static ErrorCode code(Reply reply) {
        assertThat(reply.problem()).isNotNull();
        return reply.problem().code();
    }

    private static ObjectNode key() {
        var key = Json.object()
                .put("kid", ISSUER.kid())
                .put("issuer", "issuer")
                .put("expires_at", NOW.plusSeconds(3_600).toString());
        return key.set("jwk", Json.trusted(ISSUER.publicJwk()));
    }

    @CanIgnoreReturnValue
    private UUID principal(String subject) {
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

    private void bind(UUID principal, String role, String level) {
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

    private void heartbeat(Instant at) {
        heartbeatAt = at;
        apply("state.heartbeat", Json.object());
    }

    private void apply(String type, ObjectNode payload) {
        apply(type, payload, 1);
    }

    private void apply(String type, ObjectNode payload, long revision) {
        var event = new Envelope(Ids.next(), type, NOW, 1, "c-1", payload.put("revision", revision));
        model.apply(new Incoming("authz.state", 0, 0, heartbeatAt, "k", event.toBytes(), Map.of()));
    }

    private static ListAppender<ILoggingEvent> log() {
        var appender = new ListAppender<ILoggingEvent>();
        appender.start();
        ((Logger) LoggerFactory.getLogger(Dispatcher.class)).addAppender(appender);
        return appender;
    }
}
