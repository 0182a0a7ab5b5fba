package dev.slipway.iam;

import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.contract.RoleRegistry;
import dev.slipway.iam.decision.DecisionApi;
import dev.slipway.iam.tenancy.Heartbeat;
import dev.slipway.iam.tenancy.IamSeed;
import dev.slipway.iam.tenancy.TenancyStore;
import dev.slipway.iam.token.OperatorTokenStore;
import dev.slipway.iam.token.SigningKeys;
import dev.slipway.iam.token.TokenApi;
import dev.slipway.messaging.Cause;
import dev.slipway.messaging.KafkaSender;
import dev.slipway.messaging.Topics;
import dev.slipway.service.AuditTrail;
import dev.slipway.service.AuditTrail.Entry;
import dev.slipway.service.Frame;
import dev.slipway.service.Service;
import io.opentelemetry.context.Context;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.List;

/** The IAM service: wiring only. */
public final class IamVerticle extends VerticleBase {
    private final Frame frame;
    private final IamSeed seed;
    private @Nullable Service service;
    private @Nullable Heartbeat heartbeat;

    public IamVerticle(Frame frame, IamSeed seed) {
        this.frame = frame;
        this.seed = seed;
    }

    @Override
    public Future<?> start() {
        return Service.open(vertx, frame, "iam").compose(this::serve);
    }

    private Future<Void> serve(Service opened) {
        service = opened;
        var tenancy = new TenancyStore(opened.reads());
        var operators = new OperatorTokenStore();
        var keys = new SigningKeys(vertx, tenancy, opened.outbox(), frame.clock());
        var tokens = new TokenApi(tenancy, operators, keys, opened.outbox(), frame.authz());
        var decisions = new DecisionApi(frame.authz(), frame.clock());
        var beat = new Heartbeat(vertx, tenancy, new KafkaSender(vertx, frame.kafka()), frame.clock());
        heartbeat = beat;
        var wired = opened.serve("getJwks", tokens::jwks)
                .serve("getMe", tokens::me)
                .serve("exchangeOperatorToken", tokens::exchange)
                .serve("decide", decisions::decide)
                .serve("explainDecision", decisions::explain)
                // At once: an adapter that got the command asks for its token.
                .consumeBatches("operators", List.of(Topics.INSTANCES_EVENTS), Duration.ZERO, operators::keep);
        return ensureSeed(opened, tenancy)
                .compose(ok -> keys.start())
                .compose(ok -> wired.start())
                .compose(ok -> beat.start());
    }

    private Future<Void> ensureSeed(Service opened, TenancyStore tenancy) {
        var cause = new Cause(Ids.next().toString(), Context.root());
        return opened.outbox().transaction(cause, unit -> tenancy.ensure(
                        unit, RoleRegistry.load().roles(), seed)
                .compose(ok -> {
                    var entry = new Entry("iam.seed.ensure", "platform", "-", null, null, Json.object());
                    AuditTrail.byOther(unit, "system", "iam", null, entry, "success", null);
                    return Future.succeededFuture();
                }));
    }

    @Override
    public Future<?> stop() {
        var quiet = heartbeat == null ? Future.<Void>succeededFuture() : heartbeat.stop();
        return quiet.eventually(() -> service == null ? Future.succeededFuture() : service.stop());
    }
}
