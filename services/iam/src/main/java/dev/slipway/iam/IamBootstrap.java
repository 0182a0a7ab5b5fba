package dev.slipway.iam;

import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.contract.RoleRegistry;
import dev.slipway.messaging.ChangeContext;
import dev.slipway.messaging.Outbox;
import dev.slipway.service.AuditResult;
import dev.slipway.service.AuditTrail;
import dev.slipway.service.AuditTrail.AuditEntry;
import io.opentelemetry.context.Context;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.Comparator;

/** Writes the data that a platform starts with, and revokes that of the demo where it does not run. */
final class IamBootstrap {
    private static final Logger LOG = LoggerFactory.getLogger(IamBootstrap.class);

    private final Outbox outbox;
    private final IamSeed seed;
    private final IamConfig.@Nullable FirstAdministrator administrator;

    IamBootstrap(Outbox outbox, IamSeed seed, IamConfig.@Nullable FirstAdministrator administrator) {
        this.outbox = outbox;
        this.seed = seed;
        this.administrator = administrator;
    }

    Future<Void> run() {
        return (seed.isDemo() ? requireDemoNotRevoked() : revokeDemo())
                .compose(ok -> ensureSeed())
                .compose(ok -> ensureAdministrator());
    }

    /** Revokes the users, keys and secrets of the demo when it is switched off. */
    private Future<Void> revokeDemo() {
        return outbox.transaction(systemContext(), unit -> DemoStore.revoke(unit, IamSeed.DEMO_ISSUER)
                .map(revoked -> {
                    if (revoked) {
                        var entry = new AuditEntry("iam.demo.revoke", "platform", "-", null, null, Json.object());
                        AuditTrail.recordSystemAction(unit, "system", "iam", null, entry, AuditResult.SUCCESS, null);
                        LOG.atWarn()
                                .log(
                                        "revoked the demo's users, keys and bindings, and all credentials created with it");
                    }
                    return null;
                }));
    }

    private Future<Void> requireDemoNotRevoked() {
        return outbox.transaction(systemContext(), unit -> DemoStore.isRevoked(unit, IamSeed.DEMO_ISSUER)
                .compose(revoked -> revoked
                        ? Future.failedFuture(new IllegalStateException(
                                "A start with SLIPWAY_DEMO=false revoked the demo on this data. Set SLIPWAY_HOME to another"
                                        + " directory to run the demo."))
                        : Future.succeededFuture()));
    }

    private Future<Void> ensureSeed() {
        return outbox.transaction(systemContext(), unit -> SeedStore.ensure(
                        unit, BuiltInRegistry.actions(), BuiltInRegistry.roles(), seed)
                .map(ok -> {
                    var entry = new AuditEntry("iam.seed.ensure", "platform", "-", null, null, Json.object());
                    AuditTrail.recordSystemAction(unit, "system", "iam", null, entry, AuditResult.SUCCESS, null);
                    return null;
                }));
    }

    private Future<Void> ensureAdministrator() {
        var first = administrator;
        if (first == null) {
            return Future.succeededFuture();
        }
        var user = new IamSeed.User(Ids.next(), first.issuer(), first.subject(), "First administrator");
        return outbox.transaction(systemContext(), unit -> SeedStore.ensureAdministrator(unit, user, highestRole())
                .map(created -> {
                    if (created) {
                        var entry = new AuditEntry(
                                "iam.administrator.ensure", "user", first.subject(), null, null, Json.object());
                        AuditTrail.recordSystemAction(unit, "system", "iam", null, entry, AuditResult.SUCCESS, null);
                    } else {
                        LOG.atInfo().log("a platform administrator exists; the first administrator setting is ignored");
                    }
                    return null;
                }));
    }

    private static ChangeContext systemContext() {
        return new ChangeContext(Ids.next().toString(), Context.root());
    }

    /** Returns the platform role with the most actions. */
    private static String highestRole() {
        return RoleRegistry.load().roles().stream()
                .filter(role -> role.level().equals("platform"))
                .max(Comparator.comparingInt(role -> role.actions().size()))
                .orElseThrow()
                .name();
    }
}
