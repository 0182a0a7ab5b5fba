package dev.slipway.iam.token;

import dev.slipway.authz.TokenIssuer;
import dev.slipway.authz.TokenVerifier;
import dev.slipway.contract.Ids;
import dev.slipway.iam.tenancy.IamSeed.IssuerKey;
import dev.slipway.iam.tenancy.TenancyStore;
import dev.slipway.messaging.Cause;
import dev.slipway.messaging.Outbox;
import io.opentelemetry.context.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Clock;
import java.time.Duration;
import java.util.Objects;

/** The key that machine tokens are signed with: made in this process, never leaving it, replaced twice a day. */
public final class SigningKeys {
    private static final Logger LOG = LoggerFactory.getLogger(SigningKeys.class);
    private static final Duration ROTATE_EVERY = Duration.ofHours(12);
    /** Longer than a key signs plus its last token lives, so that no good token breaks. */
    private static final Duration TRUSTED_FOR = Duration.ofHours(25);

    private final Vertx vertx;
    private final TenancyStore store;
    private final Outbox outbox;
    private final Clock clock;
    private @Nullable TokenIssuer current;

    public SigningKeys(Vertx vertx, TenancyStore store, Outbox outbox, Clock clock) {
        this.vertx = vertx;
        this.store = store;
        this.outbox = outbox;
        this.clock = clock;
    }

    public Future<Void> start() {
        vertx.setPeriodic(ROTATE_EVERY.toMillis(), timer -> rotate().onFailure(e -> LOG.atError()
                .setCause(e)
                .log("the signing key could not be replaced; the old one is trusted for a while yet")));
        return rotate();
    }

    TokenIssuer current() {
        return Objects.requireNonNull(current, "no signing key yet");
    }

    private Future<Void> rotate() {
        return vertx.executeBlocking(() -> TokenIssuer.withNewKey(TokenVerifier.MACHINE_ISSUER))
                .compose(issuer -> {
                    var expiresAt = clock.instant().plus(TRUSTED_FOR);
                    var key = new IssuerKey(issuer.kid(), issuer.issuer(), issuer.publicJwk(), expiresAt);
                    var cause = new Cause(Ids.next().toString(), Context.root());
                    return outbox.transaction(cause, unit -> store.addKey(unit, key))
                            .onSuccess(ok -> current = issuer);
                });
    }
}
