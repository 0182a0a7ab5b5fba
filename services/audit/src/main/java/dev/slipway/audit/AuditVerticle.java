package dev.slipway.audit;

import dev.slipway.audit.correlation.CorrelationApi;
import dev.slipway.audit.correlation.CorrelationConsumer;
import dev.slipway.audit.correlation.CorrelationStore;
import dev.slipway.authz.Authorizer;
import dev.slipway.messaging.Topics;
import dev.slipway.service.Service;
import dev.slipway.service.ServiceContext;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.List;

/** Wires the audit service. */
public final class AuditVerticle extends VerticleBase {
    private static final Logger LOG = LoggerFactory.getLogger(AuditVerticle.class);
    private static final List<String> EVENT_TOPICS = List.of(
            Topics.AUDIT_EVENTS, Topics.INSTANCES_EVENTS, Topics.CATALOG_EVENTS, Topics.RUNTIME_REPORTS_REJECTED);

    /** Short compared with the time after which somebody reads a correlation. */
    private static final Duration BATCH_WINDOW = Duration.ofMillis(100);

    private static final Duration MIN_CLEANUP_INTERVAL = Duration.ofSeconds(1);
    private static final Duration MAX_CLEANUP_INTERVAL = Duration.ofHours(1);

    private final ServiceContext serviceContext;
    private final AuditConfig config;
    private @Nullable Service service;

    public AuditVerticle(ServiceContext serviceContext, AuditConfig config) {
        this.serviceContext = serviceContext;
        this.config = config;
    }

    @Override
    public Future<?> start() {
        return Service.open(vertx, serviceContext, "audit").compose(this::serve);
    }

    private Future<Void> serve(Service opened) {
        service = opened;
        var store = new CorrelationStore(opened.reads());
        var api = new CorrelationApi(store, new Authorizer(serviceContext.authz()), serviceContext.clock());
        var consumer = new CorrelationConsumer(store);
        return opened.serve("getCorrelation", api::get)
                .consumeBatches("timeline", EVENT_TOPICS, BATCH_WINDOW, consumer::apply)
                // A separate consumer, so that many access-log records do not delay the audit trail.
                .consumeBatches("calls", List.of(Topics.CALLS), BATCH_WINDOW, consumer::apply)
                .start()
                .onSuccess(ok -> scheduleCleanup(store));
    }

    private void scheduleCleanup(CorrelationStore store) {
        var intervalMs = Math.min(
                MAX_CLEANUP_INTERVAL.toMillis(),
                Math.max(
                        MIN_CLEANUP_INTERVAL.toMillis(),
                        config.accessLogRetention().toMillis() / 2));
        vertx.setTimer(intervalMs, timer -> deleteExpiredCalls(store).onComplete(done -> scheduleCleanup(store)));
    }

    private Future<Void> deleteExpiredCalls(CorrelationStore store) {
        return store.deleteCallsBefore(serviceContext.clock().instant().minus(config.accessLogRetention()))
                .onFailure(e -> LOG.atWarn().setCause(e).log("cannot delete expired access-log rows; retrying"));
    }

    @Override
    public Future<?> stop() {
        return service == null ? Future.succeededFuture() : service.stop();
    }
}
