package dev.slipway.audit;

import dev.slipway.audit.timeline.TimelineApi;
import dev.slipway.audit.timeline.TimelineEvents;
import dev.slipway.audit.timeline.TimelineStore;
import dev.slipway.authz.Authorizer;
import dev.slipway.messaging.Topics;
import dev.slipway.service.Frame;
import dev.slipway.service.Service;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.List;

/** The audit service: wiring only. */
public final class AuditVerticle extends VerticleBase {
    private static final List<String> FACTS = List.of(
            Topics.AUDIT_EVENTS, Topics.INSTANCES_EVENTS, Topics.CATALOG_EVENTS, Topics.RUNTIME_REPORTS_REJECTED);

    /** Who reads a timeline does so after the fact. */
    private static final Duration GATHER = Duration.ofMillis(100);

    private final Frame frame;
    private @Nullable Service service;

    public AuditVerticle(Frame frame) {
        this.frame = frame;
    }

    @Override
    public Future<?> start() {
        return Service.open(vertx, frame, "audit").compose(this::serve);
    }

    private Future<Void> serve(Service opened) {
        service = opened;
        var store = new TimelineStore(opened.reads());
        var api = new TimelineApi(store, new Authorizer(frame.authz()), frame.clock());
        var events = new TimelineEvents(store);
        return opened.serve("getCorrelation", api::get)
                .consumeBatches("timeline", FACTS, GATHER, events::apply)
                // Apart from the others: a flood of calls must not delay the audit trail.
                .consumeBatches("calls", List.of(Topics.CALLS), GATHER, events::apply)
                .start();
    }

    @Override
    public Future<?> stop() {
        return service == null ? Future.succeededFuture() : service.stop();
    }
}
