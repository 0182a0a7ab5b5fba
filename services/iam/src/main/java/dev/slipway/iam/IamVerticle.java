package dev.slipway.iam;

import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.contract.RoleRegistry;
import dev.slipway.iam.tenancy.Heartbeat;
import dev.slipway.iam.tenancy.IamSeed;
import dev.slipway.iam.tenancy.TenancyStore;
import dev.slipway.iam.token.TokenApi;
import dev.slipway.messaging.Cause;
import dev.slipway.messaging.KafkaSender;
import dev.slipway.service.AuditTrail;
import dev.slipway.service.AuditTrail.Entry;
import dev.slipway.service.Frame;
import dev.slipway.service.Service;
import io.opentelemetry.context.Context;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import org.jspecify.annotations.Nullable;

/** The IAM service: wiring only. */
public final class IamVerticle extends VerticleBase {
    private final Frame frame;
    private final IamSeed seed;
    private final IamConfig config;
    private @Nullable Service service;
    private @Nullable Heartbeat heartbeat;

    public IamVerticle(Frame frame, IamSeed seed, IamConfig config) {
        this.frame = frame;
        this.seed = seed;
        this.config = config;
    }

    @Override
    public Future<?> start() {
        return Service.open(vertx, frame, "iam").compose(this::serve);
    }

    private Future<Void> serve(Service opened) {
        service = opened;
        var tenancy = new TenancyStore(opened.reads());
        var tokens = new TokenApi(frame.authz());
        var credentials = new CredentialWiring(vertx, frame, config, opened, tenancy);
        var beat = new Heartbeat(vertx, tenancy, new KafkaSender(vertx, frame.kafka()), frame.clock());
        heartbeat = beat;
        var wired = credentials.serve(opened.serve("getMe", tokens::me));
        return ensureSeed(opened, tenancy)
                .compose(ok -> ensureAdministrator(opened, tenancy))
                .compose(ok -> credentials.start())
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

    private Future<Void> ensureAdministrator(Service opened, TenancyStore tenancy) {
        var first = config.firstAdministrator();
        if (first == null) {
            return Future.succeededFuture();
        }
        var user = new IamSeed.User(Ids.next(), first.issuer(), first.subject(), "First administrator");
        var cause = new Cause(Ids.next().toString(), Context.root());
        return opened.outbox().transaction(cause, unit -> tenancy.ensureAdministrator(unit, user, first.role())
                .map(made -> {
                    if (made) {
                        var entry = new Entry(
                                "iam.administrator.ensure", "user", first.subject(), null, null, Json.object());
                        AuditTrail.byOther(unit, "system", "iam", null, entry, "success", null);
                    }
                    return null;
                }));
    }

    @Override
    public Future<?> stop() {
        var quiet = heartbeat == null ? Future.<Void>succeededFuture() : heartbeat.stop();
        return quiet.eventually(() -> service == null ? Future.succeededFuture() : service.stop());
    }
}
