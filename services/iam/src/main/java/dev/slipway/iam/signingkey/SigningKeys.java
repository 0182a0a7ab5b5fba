package dev.slipway.iam.signingkey;

import dev.slipway.authz.AuthzModel;
import dev.slipway.authz.TokenIssuer;
import dev.slipway.authz.TokenVerifier;
import dev.slipway.contract.Ids;
import dev.slipway.iam.revision.Revision;
import dev.slipway.iam.revision.RevisionStore;
import dev.slipway.messaging.Cause;
import dev.slipway.messaging.Outbox;
import dev.slipway.messaging.UnitOfWork;
import io.opentelemetry.context.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.security.GeneralSecurityException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The keys that Slipway signs with: kept in the database, encrypted, so that every IAM process signs with the same ones and goes on with
 * them after a restart. A new key is published before it signs, and trusted until the last token it signed has ended.
 */
public final class SigningKeys {
    private static final Logger LOG = LoggerFactory.getLogger(SigningKeys.class);
    private static final long REFRESH_EVERY_MS = 5_000;

    private final Vertx vertx;
    private final SigningKeyStore store;
    private final Outbox outbox;
    private final KeyCipher cipher;
    private final Settings settings;
    private final AuthzModel model;
    private final Clock clock;
    /** Opened keys, by kid. */
    private final Map<String, TokenIssuer> opened = new HashMap<>();

    private volatile List<StoredKey> keys = List.of();

    /**
     * What the keys are made by.
     *
     * @param audience whom tokens are for
     * @param rotateEvery how long a key signs
     * @param publishAhead how long a key is known before it signs
     * @param tokenLifetime how long a key has to be trusted after it signed last
     */
    public record Settings(String audience, Duration rotateEvery, Duration publishAhead, Duration tokenLifetime) {}

    public SigningKeys(
            Vertx vertx,
            SigningKeyStore store,
            Outbox outbox,
            KeyCipher cipher,
            Settings settings,
            AuthzModel model,
            Clock clock) {
        this.vertx = vertx;
        this.store = store;
        this.outbox = outbox;
        this.cipher = cipher;
        this.settings = settings;
        this.model = model;
        this.clock = clock;
    }

    public Future<Void> start() {
        vertx.setPeriodic(REFRESH_EVERY_MS, timer -> refresh().onFailure(e -> LOG.atWarn()
                .setCause(e)
                .log("the signing keys could not be looked after; those that are known sign on")));
        return refresh();
    }

    /** The key that signs now. */
    public TokenIssuer current() {
        var now = clock.instant();
        return opened(candidate(now));
    }

    /** Makes a new key and publishes it; it signs a little later. */
    Future<StoredKey> rotate(UnitOfWork unit, TokenIssuer made) {
        return RevisionStore.raised(unit, revision -> add(unit, revision, made, settings.publishAhead));
    }

    /** Takes a noticeable part of a second of a worker's time. */
    Future<TokenIssuer> make() {
        return vertx.executeBlocking(
                () -> TokenIssuer.withNewKey(TokenVerifier.MACHINE_ISSUER, settings.audience), false);
    }

    /** Revokes a key. If it was ours and signing, the one that was made signs from now on. */
    Future<StoredKey> revoke(UnitOfWork unit, String kid, TokenIssuer made) {
        var signing = signingKid();
        return store.revoke(
                unit,
                kid,
                revision -> kid.equals(signing)
                        ? add(unit, revision, made, Duration.ZERO).mapEmpty()
                        : Future.succeededFuture());
    }

    @Nullable
    String signingKid() {
        var now = clock.instant();
        return keys.isEmpty() ? null : candidate(now).kid();
    }

    /** How long ago the key that signs now was made. */
    public Duration age() {
        var now = clock.instant();
        return keys.isEmpty() ? Duration.ZERO : Duration.between(candidate(now).createdAt(), now);
    }

    /** Takes up what other processes have done, and makes a key when the newest has signed for long enough. */
    Future<Void> refresh() {
        return reload().compose(ok -> isDue(keys, clock.instant())
                ? make().compose(made -> outbox.transaction(
                                new Cause(Ids.next().toString(), Context.root()), unit -> addIfDue(unit, made)))
                        .compose(added -> reload())
                : Future.succeededFuture());
    }

    /** Of several processes that find a key due, the first makes one: the others find it, behind the revision's lock. */
    private Future<Void> addIfDue(UnitOfWork unit, TokenIssuer made) {
        return RevisionStore.raised(
                unit, revision -> store.own(unit, TokenVerifier.MACHINE_ISSUER).compose(stored -> {
                    var usable = stored.stream().filter(this::canOpen).toList();
                    return isDue(usable, unit.now())
                            ? add(unit, revision, made, usable.isEmpty() ? Duration.ZERO : settings.publishAhead)
                                    .mapEmpty()
                            : Future.succeededFuture();
                }));
    }

    private Future<StoredKey> add(UnitOfWork unit, Revision revision, TokenIssuer made, Duration ahead) {
        var signsFrom = unit.now().plus(ahead);
        // Twice as long as it should sign: a rotation may be late.
        var expiresAt = signsFrom.plus(settings.rotateEvery.multipliedBy(2)).plus(settings.tokenLifetime);
        var key = new StoredKey(
                made.kid(),
                made.issuer(),
                made.publicJwk(),
                cipher.seal(made.kid(), made.privateJwk()),
                signsFrom,
                unit.now(),
                expiresAt,
                null,
                null,
                null);
        return SigningKeyStore.publish(unit, revision, key).map(ok -> key);
    }

    private boolean isDue(List<StoredKey> known, Instant now) {
        return known.isEmpty()
                || !signsFrom(known.get(0)).plus(settings.rotateEvery).isAfter(now);
    }

    private Future<Void> reload() {
        return store.own(TokenVerifier.MACHINE_ISSUER, clock.instant())
                .compose(stored -> vertx.executeBlocking(
                        () -> stored.stream().filter(this::canOpen).toList(), true))
                .map(usable -> {
                    keys = usable;
                    forgetOthers(usable);
                    return null;
                });
    }

    /** The newest that signs already; one that another process has revoked is passed over as soon as that is known here. */
    private StoredKey candidate(Instant now) {
        StoredKey fallback = null;
        for (var key : keys) {
            if (!signsFrom(key).isAfter(now)) {
                if (model.trusts(key.issuer(), key.kid())) {
                    return key;
                }
                fallback = fallback == null ? key : fallback;
            }
        }
        if (fallback == null) {
            throw new IllegalStateException("no signing key yet");
        }
        return fallback;
    }

    private synchronized TokenIssuer opened(StoredKey key) {
        var issuer = opened.get(key.kid());
        if (issuer == null) {
            throw new IllegalStateException("the signing key is not open");
        }
        return issuer;
    }

    private synchronized void forgetOthers(List<StoredKey> usable) {
        opened.keySet().retainAll(usable.stream().map(StoredKey::kid).toList());
    }

    /** A key that another encryption key has sealed cannot sign here; its tokens are still verified. */
    private synchronized boolean canOpen(StoredKey key) {
        if (opened.containsKey(key.kid())) {
            return true;
        }
        try {
            var sealed = key.sealed();
            if (sealed == null) {
                return false;
            }
            opened.put(key.kid(), TokenIssuer.withKey(key.issuer(), settings.audience, cipher.open(key.kid(), sealed)));
            return true;
        } catch (GeneralSecurityException e) {
            LOG.atError()
                    .addKeyValue("kid", key.kid())
                    .log(
                            "a signing key was encrypted with another SLIPWAY_KEY_ENCRYPTION_KEY; this process makes its own");
            return false;
        }
    }

    private static Instant signsFrom(StoredKey key) {
        return key.signsFrom() == null ? Instant.MAX : key.signsFrom();
    }
}
