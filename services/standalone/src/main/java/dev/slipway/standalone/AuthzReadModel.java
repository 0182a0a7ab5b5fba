package dev.slipway.standalone;

import dev.slipway.iam.issuer.IssuerKeyRefresher;
import dev.slipway.messaging.StateReader;
import dev.slipway.messaging.Topics;
import dev.slipway.service.HealthRegistry.Status;
import dev.slipway.service.ServiceContext;
import io.micrometer.core.instrument.Gauge;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;

import java.util.concurrent.atomic.AtomicLong;

/** Keeps the authorization model of this process current, and reports its age. */
final class AuthzReadModel {
    private static final long UNKNOWN_KEY_REPORT_INTERVAL_NS = 1_000_000_000L;

    private final Vertx vertx;
    private final ServiceContext context;
    private final StateReader reader;

    AuthzReadModel(Vertx vertx, ServiceContext context) {
        this.vertx = vertx;
        this.context = context;
        this.reader = new StateReader(vertx, context.kafka(), Topics.AUTHZ_STATE, context.authz()::apply);
    }

    /** Registers the health and the metrics of the model. */
    void register() {
        context.health().register("authz", this::status);
        registerMetrics();
        reportUnknownKeys();
    }

    /** Completes when the model is current. */
    Future<Void> start() {
        return reader.start().compose(caughtUp -> awaitFresh());
    }

    Future<Void> stop() {
        return reader.stop();
    }

    private Future<Void> awaitFresh() {
        var promise = Promise.<Void>promise();
        vertx.setPeriodic(1, 20, timer -> {
            if (status().ready()) {
                vertx.cancelTimer(timer);
                promise.tryComplete();
            }
        });
        return promise.future();
    }

    private Status status() {
        var age = context.authz().age(context.clock().instant());
        return new Status(
                age.compareTo(context.maxAuthzAgeForWrites()) <= 0,
                "revision " + context.authz().revision() + ", confirmed " + age.toMillis() + " ms ago"
                        + (context.authz().isAheadOfIam()
                                ? "; ahead of IAM, whose database may have been restored"
                                : ""));
    }

    private void registerMetrics() {
        var meters = context.telemetry().metrics();
        Gauge.builder(
                        "slipway.authz.age",
                        context,
                        f -> f.authz().age(f.clock().instant()).toMillis() / 1e3)
                .description("Time since IAM confirmed the authorization model of this process")
                .baseUnit("seconds")
                .register(meters);
        Gauge.builder("slipway.authz.revision", context, f -> f.authz().revision())
                .description("The revision of the authorization model of this process")
                .register(meters);
    }

    /** Notifies IAM, at most once a second, of tokens with an unknown key: their issuer may have rotated its keys. */
    private void reportUnknownKeys() {
        var lastNs = new AtomicLong(System.nanoTime() - UNKNOWN_KEY_REPORT_INTERVAL_NS);
        context.tokens().onUnknownKey(key -> {
            var now = System.nanoTime();
            var last = lastNs.get();
            if (now - last >= UNKNOWN_KEY_REPORT_INTERVAL_NS && lastNs.compareAndSet(last, now)) {
                vertx.eventBus().publish(IssuerKeyRefresher.UNKNOWN_KEY_ADDRESS, key.issuer());
            }
        });
    }
}
