package dev.slipway.service;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.slipway.messaging.Delivery;
import dev.slipway.messaging.InboxConsumer;
import dev.slipway.messaging.KafkaSender;
import dev.slipway.messaging.Outbox;
import dev.slipway.messaging.Relay;
import dev.slipway.messaging.Topics;
import dev.slipway.service.HealthRegistry.Status;
import dev.slipway.service.consistency.ClaimConsumer;
import dev.slipway.service.consistency.ClaimVerifier;
import dev.slipway.service.consistency.ConsistencyCheck;
import dev.slipway.service.consistency.ConsistencyClaim;
import dev.slipway.service.consistency.ConsistencyRunner;
import io.micrometer.core.instrument.Counter;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** A service: its database and outbox, the API operations it serves and the topics it consumes. */
public final class Service {
    private static final Logger LOG = LoggerFactory.getLogger(Service.class);
    private static final long CLEANUP_INTERVAL_MS = 3_600_000;
    private static final long OUTBOX_CHECK_INTERVAL_MS = 20;
    private static final String DELETE_EXPIRED_IDEMPOTENCY_KEYS =
            "DELETE FROM idempotency WHERE created_at < now() - interval '7 days'";
    /** Topics retain records for 30 days, so an event cannot be delivered again after that. */
    private static final String DELETE_EXPIRED_INBOX_ROWS =
            "DELETE FROM inbox WHERE received_at < now() - interval '35 days'";

    private static final String LAST_OUTBOX_ROW = "SELECT coalesce(max(seq), 0) AS seq FROM outbox";
    private static final String IS_PUBLISHED = "SELECT NOT EXISTS (SELECT FROM outbox WHERE seq <= $1) AS published";

    private final Vertx vertx;
    private final Context context;
    private final ServiceContext serviceContext;
    private final String name;
    private final ServiceDatabase database;
    private final Relay relay;
    private final Outbox outbox;
    private final Mutations mutations;
    private final Dispatcher dispatcher;
    private final KafkaSender deadLetters;
    private final List<InboxConsumer> consumers = new ArrayList<>();
    private final Set<InboxConsumer> optionalConsumers = new HashSet<>();
    private final ConsistencyRunner consistency;
    private @Nullable ClaimConsumer claimConsumer;
    private volatile Status status = new Status(false, "starting");

    private Service(Vertx vertx, ServiceContext serviceContext, String name, ServiceDatabase database) {
        this.vertx = vertx;
        this.context = vertx.getOrCreateContext();
        this.serviceContext = serviceContext;
        this.name = name;
        this.database = database;
        var traces = serviceContext.telemetry().traces();
        this.relay = new Relay(
                vertx,
                database.options(),
                serviceContext.kafka(),
                traces,
                serviceContext.telemetry().metrics(),
                name);
        this.outbox = new Outbox(database.transactions(), traces, serviceContext.clock(), relay::wake);
        outbox.checkPayloads(AuditTrail.EVENT_TYPE, serviceContext.auditActions()::stamp);
        var commits =
                ServiceLevelIndicator.timer(serviceContext.telemetry().metrics(), ServiceLevelIndicator.AUDIT_WRITE);
        var failures = Counter.builder("slipway.audit.write.failures")
                .description(
                        "Changes that failed because they, their audit record or their evidence could not be written")
                .tag("service", name)
                .register(serviceContext.telemetry().metrics());
        this.mutations =
                new Mutations(outbox, nanos -> commits.record(nanos, TimeUnit.NANOSECONDS), failures::increment);
        this.dispatcher = new Dispatcher(vertx, serviceContext, outbox, name);
        this.deadLetters = new KafkaSender(vertx, serviceContext.kafka());
        this.consistency =
                new ConsistencyRunner(vertx, name, database.reads(), outbox, serviceContext.consistencyInterval());
        serviceContext.health().register(name, () -> status);
    }

    /** Migrates the schema of the service and connects to the database. */
    public static Future<Service> open(Vertx vertx, ServiceContext serviceContext, String name) {
        var settings = Objects.requireNonNull(serviceContext.database(), "a service needs a database");
        return ServiceDatabase.open(
                        vertx, settings, name, serviceContext.telemetry().exportsTraces())
                .map(database -> new Service(vertx, serviceContext, name, database));
    }

    /** Returns the client for single statements outside a transaction. */
    public SqlClient reads() {
        return database.reads();
    }

    public Outbox outbox() {
        return outbox;
    }

    public Mutations mutations() {
        return mutations;
    }

    /** Registers the handler of an API operation. It runs on the event loop of the service. */
    @CanIgnoreReturnValue
    public Service serve(String operationId, Function<Request, Future<Reply>> handler) {
        dispatcher.serve(operationId, handler);
        return this;
    }

    /** Registers the handler of an API operation on every event loop. It must be thread-safe. */
    public Service serveOnEveryLoop(String operationId, Function<Request, Future<Reply>> handler) {
        dispatcher.serveOnEveryLoop(operationId, handler);
        return this;
    }

    /** Applies every event of the topics once. The consumer name is part of the Kafka group and of the inbox key: do not change it. */
    @CanIgnoreReturnValue
    public Service consume(String consumer, List<String> topics, InboxConsumer.EventHandler handler) {
        return add(consumer, topics, Delivery.ofEvents(handler));
    }

    /**
     * Applies batches of events with a handler that ignores duplicates itself. Records wait for up to {@code batchWindow} so that one
     * transaction applies many of them. The consumer name is part of the Kafka group: do not change it.
     */
    @CanIgnoreReturnValue
    public Service consumeBatches(
            String consumer, List<String> topics, Duration batchWindow, InboxConsumer.EventBatchHandler handler) {
        return add(consumer, topics, Delivery.ofBatches(batchWindow, handler));
    }

    /** As {@link #consumeBatches}, for large records: a transaction applies about {@code maxItems} items of them. */
    @CanIgnoreReturnValue
    public Service consumeItems(
            String consumer, List<String> topics, int maxItems, InboxConsumer.PreparingHandler handler) {
        return add(consumer, topics, Delivery.ofItems(maxItems, handler));
    }

    private Service add(String consumer, List<String> topics, Delivery delivery) {
        consumers.add(new InboxConsumer(
                vertx,
                serviceContext.kafka(),
                name + "." + consumer,
                topics,
                outbox,
                serviceContext.telemetry().traces(),
                deadLetters,
                serviceContext.telemetry().metrics(),
                delivery));
        return this;
    }

    /** As {@link #consumeBatches}, for data that the service can start without: it is ready before the records are applied. */
    @CanIgnoreReturnValue
    public Service consumeOptional(String consumer, List<String> topics, InboxConsumer.EventBatchHandler handler) {
        consumeBatches(consumer, topics, Duration.ZERO, handler);
        optionalConsumers.add(consumers.get(consumers.size() - 1));
        return this;
    }

    /** Makes the consumer that was registered last apply heartbeats too, from which it knows the age of its copy of a state topic. */
    @CanIgnoreReturnValue
    public Service withHeartbeats() {
        consumers.get(consumers.size() - 1).applyHeartbeats();
        return this;
    }

    /** Checks an invariant of the service's own rows in the background. */
    @CanIgnoreReturnValue
    public Service check(ConsistencyCheck check) {
        consistency.add(check);
        return this;
    }

    /** Publishes rows in the background, for other services to compare with their own. */
    @CanIgnoreReturnValue
    public Service claim(ConsistencyClaim claim) {
        consistency.add(claim);
        return this;
    }

    /** Compares the claims of another service with the service's own rows. */
    @CanIgnoreReturnValue
    public Service verify(ClaimVerifier verifier) {
        var consumer = claimConsumer;
        if (consumer == null) {
            consumer = new ClaimConsumer(vertx, name);
            claimConsumer = consumer;
            consume("claims", List.of(Topics.CONSISTENCY_EVENTS), consumer::apply);
            optionalConsumers.add(consumers.get(consumers.size() - 1));
        }
        consumer.add(verifier);
        return this;
    }

    /** Returns how far the consumers of this process are behind their topics, in seconds: the largest of them. */
    public double secondsBehind() {
        return consumers.stream()
                .mapToDouble(InboxConsumer::secondsBehind)
                .max()
                .orElse(0);
    }

    /** Returns the age of the oldest record that a consumer of this process has received but not applied yet; 0 if all are applied. */
    public double secondsBehind(String consumer) {
        return consumers.stream()
                .filter(each -> each.name().equals(name + "." + consumer))
                .mapToDouble(InboxConsumer::secondsBehind)
                .max()
                .orElse(0);
    }

    /** Starts the relay and the consumers. Requests are accepted after {@link #acceptRequests}. */
    public Future<Void> start() {
        relay.start();
        consistency.start();
        vertx.setPeriodic(60_000, CLEANUP_INTERVAL_MS, timer -> deleteExpiredRows());
        return Future.all(consumers.stream().map(InboxConsumer::start).toList())
                .<Void>mapEmpty()
                .onSuccess(ok -> {
                    status = new Status(false, "waiting for the read models of this process");
                    serviceContext.services().register(this);
                    LOG.atInfo().addKeyValue("service", name).log("service started");
                });
    }

    /** Completes when every outbox row that exists now is published. */
    public Future<Void> awaitPublished() {
        return reads().query(LAST_OUTBOX_ROW)
                .execute()
                .compose(rows -> awaitPublished(rows.iterator().next().getLong("seq")));
    }

    private Future<Void> awaitPublished(long sequence) {
        return reads().preparedQuery(IS_PUBLISHED)
                .execute(Tuple.of(sequence))
                .compose(rows -> rows.iterator().next().getBoolean("published")
                        ? Future.succeededFuture()
                        : vertx.timer(OUTBOX_CHECK_INTERVAL_MS).compose(ok -> awaitPublished(sequence)));
    }

    /** Returns the consumers whose read models must be current before the service accepts requests. */
    List<InboxConsumer> requiredConsumers() {
        return consumers.stream()
                .filter(consumer -> !optionalConsumers.contains(consumer))
                .toList();
    }

    /** Registers the handlers on the event bus, on the event loop that the service was opened on. */
    Future<Void> acceptRequests() {
        var promise = Promise.<Void>promise();
        context.runOnContext(ignored -> dispatcher.open().onComplete(promise));
        return promise.future().onSuccess(ok -> {
            status = new Status(true, "serving");
            LOG.atInfo().addKeyValue("service", name).log("service ready");
        });
    }

    /** Stops accepting requests, completes those in flight, publishes the outbox and closes all connections. */
    public Future<Void> stop() {
        status = new Status(false, "stopping");
        consistency.stop();
        return dispatcher
                .close()
                .compose(ok -> Future.join(
                                consumers.stream().map(InboxConsumer::stop).toList())
                        .otherwiseEmpty())
                .compose(ok -> relay.stop())
                .eventually(deadLetters::close)
                .eventually(database::close)
                .onSuccess(ok -> LOG.atInfo().addKeyValue("service", name).log("service stopped"));
    }

    private void deleteExpiredRows() {
        Future.join(
                        reads().query(DELETE_EXPIRED_IDEMPOTENCY_KEYS).execute(),
                        reads().query(DELETE_EXPIRED_INBOX_ROWS).execute())
                .onFailure(e -> LOG.atWarn()
                        .addKeyValue("service", name)
                        .setCause(e)
                        .log("cannot delete expired rows; retrying in an hour"));
    }
}
