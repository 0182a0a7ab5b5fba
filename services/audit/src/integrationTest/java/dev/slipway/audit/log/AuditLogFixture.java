package dev.slipway.audit.log;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.slipway.audit.log.domain.LogId;
import dev.slipway.audit.log.domain.LogOrigin;
import dev.slipway.audit.log.domain.Witness;
import dev.slipway.authz.Principal;
import dev.slipway.contract.Envelope;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.messaging.ChangeContext;
import dev.slipway.messaging.InboxConsumer.ReceivedEvent;
import dev.slipway.messaging.Outbox;
import dev.slipway.messaging.ReceivedRecord;
import dev.slipway.service.AuditActionRegistry;
import dev.slipway.service.AuditResult;
import dev.slipway.service.AuditTrail;
import dev.slipway.service.AuditTrail.AuditEntry;
import dev.slipway.service.Call;
import dev.slipway.service.DatabaseSettings;
import dev.slipway.service.KeyCipher;
import dev.slipway.service.Mutations;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import dev.slipway.service.ServiceDatabase;
import dev.slipway.telemetry.Telemetry;
import dev.slipway.testkit.FreshDatabase;
import dev.slipway.testkit.TestClock;
import io.opentelemetry.context.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** The audit log on a real database, without the other services: audit records are passed to its consumer directly. */
final class AuditLogFixture implements AutoCloseable {
    static final UUID ORG = UUID.fromString("01900000-0000-7000-8000-000000000001");
    static final LogId LOG = LogId.of(ORG);
    static final Duration ROTATION = Duration.ofDays(90);
    static final Duration OVERLAP = Duration.ofDays(7);

    final FreshDatabase database;
    final AuditLogConsumer consumer;
    final AuditLogApi api;
    final TileApi tiles;
    final LogKeyRing keys;
    final RetentionSweep retention;
    final LegalHoldApi holds;
    private final CheckpointStore checkpoints;
    private final TreeReader trees;
    private final TestClock clock = new TestClock();
    private final Telemetry telemetry = Telemetry.start(Map.of());
    private final Vertx vertx =
            telemetry.vertx(new VertxOptions().setEventLoopPoolSize(2)).build();
    private final ServiceDatabase service;
    private final Outbox outbox;
    private final CheckpointSigner signer;

    AuditLogFixture() {
        this(FreshDatabase.create(), KeyCipher.generateKey());
    }

    AuditLogFixture(String origin) {
        this(FreshDatabase.create(), KeyCipher.generateKey(), origin);
    }

    AuditLogFixture(FreshDatabase database, String encryptionKey) {
        this(database, encryptionKey, LogOrigin.DEFAULT);
    }

    private AuditLogFixture(FreshDatabase database, String encryptionKey, String origin) {
        this.database = database;
        service = await(ServiceDatabase.open(vertx, new DatabaseSettings(database.url(), 4, null), "audit", false));
        outbox = new Outbox(service.transactions(), telemetry.traces(), clock, () -> {});
        var logs = new AuditLogStore(service.reads());
        checkpoints = new CheckpointStore(service.reads());
        keys = new LogKeyRing(
                vertx,
                checkpoints,
                outbox,
                new KeyCipher(encryptionKey),
                new LogKeyRing.Settings(new LogOrigin(origin), ROTATION, OVERLAP),
                clock);
        signer = new CheckpointSigner(vertx, checkpoints, logs, keys, outbox, clock);
        consumer = new AuditLogConsumer(logs, signer::onAppending);
        var entries = new AuditEntryStore(service.reads());
        trees = new TreeReader(entries);
        api = new AuditLogApi(entries, trees, checkpoints, keys, new AuditActionRegistry(), new Mutations(outbox));
        tiles = new TileApi(entries, trees, checkpoints);
        var retentionStore = new RetentionStore(service.reads());
        retention = new RetentionSweep(vertx, retentionStore, outbox);
        holds = new LegalHoldApi(retentionStore, new Mutations(outbox));
        await(signer.start());
        await(retention.start());
    }

    @CanIgnoreReturnValue
    static <T> T await(Future<T> future) {
        try {
            return future.toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    Cosigner cosigner(List<Witness> witnesses) {
        return new Cosigner(vertx, checkpoints, trees, new WitnessClient(vertx), witnesses);
    }

    void applyRegistry(Envelope snapshot) {
        var record = new ReceivedRecord("catalog.state", 0, 0, Instant.now(), "key", snapshot.toBytes(), Map.of());
        await(outbox.transaction(
                context(), unit -> retention.apply(unit, List.of(new ReceivedEvent(record, snapshot)))));
    }

    /** Sets the clock forward and lets the keys rotate. */
    void advance(Duration by) {
        clock.advance(by);
        await(keys.refresh());
    }

    /** Returns audit records of an organization. */
    static List<ReceivedEvent> records(UUID orgId, int count) {
        var events = new ArrayList<ReceivedEvent>();
        for (var i = 0; i < count; i++) {
            events.add(event(orgId, "target-" + i));
        }
        return events;
    }

    static ReceivedEvent event(UUID orgId, String targetId) {
        var metadata = Json.object().put("app_slug", "echo").put("count", 7).put("email", "ada@example.test");
        var entry = new AuditEntry("apps.instance.create", "app_instance", targetId, orgId, null, metadata);
        var actor = AuditTrail.actor(Principal.user(Ids.next(), "Ada Lovelace"));
        return event(AuditTrail.payload(actor, entry, AuditResult.SUCCESS, null));
    }

    static ReceivedEvent event(ObjectNode payload) {
        var envelope = new Envelope(Ids.next(), "audit.recorded", Instant.now(), 1, "correlation", payload);
        var headers = Map.of("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
        return new ReceivedEvent(
                new ReceivedRecord("audit.events", 0, 0, Instant.now(), "key", envelope.toBytes(), headers), envelope);
    }

    void append(List<ReceivedEvent> events) {
        await(appendAsync(events));
    }

    Future<Void> appendAsync(List<ReceivedEvent> events) {
        return outbox.transaction(context(), unit -> consumer.apply(unit, events));
    }

    void awaitCheckpoints() {
        eventually(() -> assertThat(database.query("SELECT NOT EXISTS (SELECT FROM audit.log_unsigned_heads)"))
                .isEqualTo("t"));
    }

    JsonNode get(Function<Request, Future<Reply>> operation, Map<String, String> query) {
        return Json.parseTrusted(await(operation.apply(request(query, null))).body());
    }

    /** Appends the audit records that the operation publishes, as the relay and the consumer would. */
    void redact(List<String> entryIds) {
        var body = Json.object().put("reason", "erasure request");
        entryIds.forEach(body.putArray("entry_ids")::add);
        assertThat(await(api.redact(request(Map.of(), body))).problem()).isNull();
        appendPublished();
    }

    void appendPublished() {
        var value = database.query(
                "SELECT convert_from(value, 'UTF8') FROM audit.outbox WHERE topic = 'audit.events' ORDER BY seq DESC LIMIT 1");
        append(List.of(event((ObjectNode) Json.parseStoredObject(value).path("payload"))));
    }

    /** Returns the lines of a complete export. */
    List<String> export(int pageSize) {
        awaitCheckpoints();
        var lines = new ArrayList<String>();
        var next = "0";
        while (!next.isEmpty()) {
            var request = request(Map.of("from_sequence", next, "limit", String.valueOf(pageSize)), null);
            var page = new String(await(api.export(request)).body(), StandardCharsets.UTF_8)
                    .lines()
                    .toList();
            lines.addAll(page);
            next = Json.parseStoredObject(page.get(page.size() - 1))
                    .path("next_sequence")
                    .asText("");
        }
        return lines;
    }

    static Request request(Map<String, String> query, @Nullable JsonNode body) {
        return request(Map.of(), query, body);
    }

    private static Request request(Map<String, String> path, Map<String, String> query, @Nullable JsonNode body) {
        var call = new Call("operation", "correlation", null, path, query, Map.of(), body);
        return new Request(call, Principal.user(Ids.next(), "Auditor"), ORG, null, context());
    }

    /** Returns a tile or a bundle of the log. */
    byte[] tile(String path) {
        return await(tiles.tile(request(Map.of("tile", path), Map.of(), null))).body();
    }

    private static ChangeContext context() {
        return new ChangeContext("correlation", Context.root());
    }

    /** Stops the log without deleting its database. */
    void stop() {
        signer.stop();
        await(service.close());
        await(vertx.close());
        telemetry.close();
    }

    @Override
    public void close() {
        stop();
        database.close();
    }
}
