package dev.slipway.service;

import dev.slipway.messaging.InboxConsumer;
import dev.slipway.messaging.KafkaSender;
import dev.slipway.messaging.Outbox;
import dev.slipway.messaging.Relay;
import dev.slipway.service.Health.Status;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.SqlClient;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;

/** One service in its frame: its database, its outbox, the operations it serves and the topics it consumes. */
public final class Service {
    private static final Logger LOG = LoggerFactory.getLogger(Service.class);
    private static final long HOUSEKEEPING_EVERY_MS = 3_600_000;
    private static final String FORGET_KEYS = "DELETE FROM idempotency WHERE created_at < now() - interval '7 days'";
    /** Topics keep their records for 30 days: after that an event cannot come a second time. */
    private static final String FORGET_EVENTS = "DELETE FROM inbox WHERE received_at < now() - interval '35 days'";

    private final Vertx vertx;
    private final Frame frame;
    private final String name;
    private final Database database;
    private final Relay relay;
    private final Outbox outbox;
    private final Mutations mutations;
    private final Dispatcher dispatcher;
    private final KafkaSender deadLetters;
    private final List<InboxConsumer> consumers = new ArrayList<>();
    private boolean started;

    private Service(Vertx vertx, Frame frame, String name, Database database) {
        this.vertx = vertx;
        this.frame = frame;
        this.name = name;
        this.database = database;
        var traces = frame.telemetry().traces();
        this.relay = new Relay(
                vertx,
                database.options(),
                frame.kafka(),
                traces,
                frame.telemetry().metrics(),
                name);
        this.outbox = new Outbox(database.transactions(), traces, frame.clock(), relay::wake);
        this.mutations = new Mutations(outbox);
        this.dispatcher = new Dispatcher(vertx, frame, outbox, name);
        this.deadLetters = new KafkaSender(vertx, frame.kafka());
        frame.health().register(name, () -> new Status(started, started ? "serving" : "starting"));
    }

    /** Brings the service's schema up to date and connects. Nothing is served before {@link #start}. */
    public static Future<Service> open(Vertx vertx, Frame frame, String name) {
        var settings = Objects.requireNonNull(frame.database(), "a service has a database");
        return Database.open(vertx, settings, name, frame.telemetry().exports())
                .map(database -> new Service(vertx, frame, name, database));
    }

    public SqlClient reads() {
        return database.reads();
    }

    public Outbox outbox() {
        return outbox;
    }

    public Mutations mutations() {
        return mutations;
    }

    public Service serve(String operationId, Function<Request, Future<Reply>> handler) {
        dispatcher.serve(operationId, handler);
        return this;
    }

    /** The same, on every event loop: for a handler that keeps nothing which two of them could trip over. */
    public Service serveOnEveryLoop(String operationId, Function<Request, Future<Reply>> handler) {
        dispatcher.serveOnEveryLoop(operationId, handler);
        return this;
    }

    /** Applies every event of the topics once. The consumer's name is its Kafka group and its place in the inbox: keep it. */
    public Service consume(String consumer, List<String> topics, InboxConsumer.Effect effect) {
        consumers.add(new InboxConsumer(
                vertx,
                frame.kafka(),
                name + "." + consumer,
                topics,
                outbox,
                frame.telemetry().traces(),
                deadLetters,
                frame.telemetry().metrics(),
                effect));
        return this;
    }

    /**
     * Has whole batches of events applied, by an effect that passes over those it has seen. What can wait is gathered for so long: at
     * hundreds of events a second, one transaction then does for dozens. The consumer's name is its Kafka group.
     */
    public Service consumeBatches(
            String consumer, List<String> topics, Duration gather, InboxConsumer.BatchEffect effect) {
        consumers.add(new InboxConsumer(
                vertx,
                frame.kafka(),
                name + "." + consumer,
                topics,
                outbox,
                frame.telemetry().traces(),
                deadLetters,
                frame.telemetry().metrics(),
                gather,
                effect));
        return this;
    }

    public Future<Void> start() {
        relay.start();
        vertx.setPeriodic(60_000, HOUSEKEEPING_EVERY_MS, timer -> keepHouse());
        return Future.all(consumers.stream().map(InboxConsumer::start).toList())
                .compose(ok -> dispatcher.open())
                .onSuccess(ok -> {
                    started = true;
                    LOG.atInfo().addKeyValue("service", name).log("serving");
                });
    }

    /** Takes no more, finishes what is in flight, publishes what the outbox holds, closes. */
    public Future<Void> stop() {
        started = false;
        return dispatcher
                .close()
                .compose(ok -> Future.join(
                                consumers.stream().map(InboxConsumer::stop).toList())
                        .otherwiseEmpty())
                .compose(ok -> relay.stop())
                .eventually(deadLetters::close)
                .eventually(database::close)
                .onSuccess(ok -> LOG.atInfo().addKeyValue("service", name).log("stopped"));
    }

    private void keepHouse() {
        Future.join(
                        database.reads().query(FORGET_KEYS).execute(),
                        database.reads().query(FORGET_EVENTS).execute())
                .onFailure(e -> LOG.atWarn().setCause(e).log("housekeeping failed; it comes round again"));
    }
}
