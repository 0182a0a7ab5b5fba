package dev.slipway.iam.signingkey;

import dev.slipway.authz.AuthzModel;
import dev.slipway.authz.TokenSigner;
import dev.slipway.authz.TokenVerifier;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Problem;
import dev.slipway.iam.revision.domain.Revision;
import dev.slipway.messaging.ChangeContext;
import dev.slipway.messaging.Outbox;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.KeyCipher;
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
import java.util.function.Function;

/**
 * The keys that Slipway signs with. They are stored encrypted, so that every IAM process signs with the same key, also after a restart. A
 * new key is published before it signs, and trusted until its last token has expired.
 */
public final class SigningKeyRing {
    private static final Logger LOG = LoggerFactory.getLogger(SigningKeyRing.class);
    private static final long REFRESH_INTERVAL_MS = 5_000;

    private final Vertx vertx;
    private final SigningKeyStore store;
    private final Outbox outbox;
    private final Function<UnitOfWork, Future<Revision>> beginRevision;
    private final KeyCipher cipher;
    private final Settings settings;
    private final AuthzModel model;
    private final Clock clock;
    /** Decrypted keys, by kid. */
    private final Map<String, TokenSigner> signers = new HashMap<>();

    private volatile List<StoredSigningKey> keys = List.of();

    /**
     * The rotation settings.
     *
     * @param audience the audience of the tokens
     * @param rotationInterval how long a key signs
     * @param activationDelay how long a key is published before it signs
     * @param tokenLifetime how long a key is trusted after it last signed
     */
    public record Settings(
            String audience, Duration rotationInterval, Duration activationDelay, Duration tokenLifetime) {}

    public SigningKeyRing(
            Vertx vertx,
            SigningKeyStore store,
            Outbox outbox,
            Function<UnitOfWork, Future<Revision>> beginRevision,
            KeyCipher cipher,
            Settings settings,
            AuthzModel model,
            Clock clock) {
        this.vertx = vertx;
        this.store = store;
        this.outbox = outbox;
        this.beginRevision = beginRevision;
        this.cipher = cipher;
        this.settings = settings;
        this.model = model;
        this.clock = clock;
    }

    public Future<Void> start() {
        vertx.setPeriodic(REFRESH_INTERVAL_MS, timer -> refresh().onFailure(e -> LOG.atWarn()
                .setCause(e)
                .log("signing keys not refreshed; signing continues with the known keys")));
        return refresh();
    }

    /** Returns the signer with the key that signs now. */
    public TokenSigner current() {
        var signing = findSigningKey(clock.instant());
        if (signing == null) {
            throw Problem.of(ErrorCode.SERVICE_UNAVAILABLE, "No signing key is active yet. Retry in a few seconds.")
                    .asException();
        }
        return requireSigner(signing);
    }

    /** Stores and publishes a new key, which signs after the activation delay. */
    Future<StoredSigningKey> rotate(UnitOfWork unit, TokenSigner generated) {
        return beginRevision
                .apply(unit)
                .compose(revision -> insert(unit, revision, generated, settings.activationDelay));
    }

    /** Generates a key on a worker thread; takes a noticeable part of a second. */
    Future<TokenSigner> generate() {
        return vertx.executeBlocking(
                () -> TokenSigner.withNewKey(TokenVerifier.MACHINE_ISSUER, settings.audience), false);
    }

    /** Revokes a key. If it is the one that signs now, the successor is stored and signs immediately. */
    Future<StoredSigningKey> revoke(UnitOfWork unit, String kid, TokenSigner successor) {
        return beginRevision.apply(unit).compose(revision -> SigningKeyStore.listSigning(
                        unit, TokenVerifier.MACHINE_ISSUER)
                .compose(before -> SigningKeyStore.revoke(unit, revision, kid)
                        .compose(revoked -> signs(before, kid, unit.now())
                                ? insert(unit, revision, successor, Duration.ZERO)
                                        .map(revoked)
                                : Future.succeededFuture(revoked))));
    }

    /** Returns whether no other key can sign now; decided behind the revision's lock, because two revocations may run at once. */
    private boolean signs(List<StoredSigningKey> stored, String kid, Instant now) {
        return stored.stream()
                .filter(key -> !signsFrom(key).isAfter(now))
                .filter(this::canDecrypt)
                .findFirst()
                .map(key -> key.kid().equals(kid))
                .orElse(true);
    }

    @Nullable
    String signingKid() {
        var signing = findSigningKey(clock.instant());
        return signing == null ? null : signing.kid();
    }

    /** Returns the age of the key that signs now. */
    public Duration age() {
        var now = clock.instant();
        var signing = findSigningKey(now);
        return signing == null ? Duration.ZERO : Duration.between(signing.createdAt(), now);
    }

    /** Reads the changes of other processes, and generates a key if the rotation is due. */
    Future<Void> refresh() {
        return reload().compose(ok -> isRotationDue(keys, clock.instant())
                ? generate()
                        .compose(generated -> outbox.transaction(
                                new ChangeContext(Ids.next().toString(), Context.root()),
                                unit -> insertIfDue(unit, generated)))
                        .compose(inserted -> reload())
                : Future.succeededFuture());
    }

    /** If several processes find the rotation due, the first one inserts its key and the others find it behind the revision's lock. */
    private Future<Void> insertIfDue(UnitOfWork unit, TokenSigner generated) {
        return beginRevision.apply(unit).compose(revision -> SigningKeyStore.listSigning(
                        unit, TokenVerifier.MACHINE_ISSUER)
                .compose(stored -> {
                    var usable = stored.stream().filter(this::canDecrypt).toList();
                    return isRotationDue(usable, unit.now())
                            ? insert(
                                            unit,
                                            revision,
                                            generated,
                                            usable.isEmpty() ? Duration.ZERO : settings.activationDelay)
                                    .mapEmpty()
                            : Future.succeededFuture();
                }));
    }

    private Future<StoredSigningKey> insert(
            UnitOfWork unit, Revision revision, TokenSigner generated, Duration activationDelay) {
        var signsFrom = unit.now().plus(activationDelay);
        // Twice the rotation interval: a rotation may be late.
        var expiresAt =
                signsFrom.plus(settings.rotationInterval.multipliedBy(2)).plus(settings.tokenLifetime);
        var key = new StoredSigningKey(
                generated.kid(),
                generated.issuer(),
                generated.publicJwk(),
                cipher.encrypt(generated.kid(), generated.privateJwk()),
                signsFrom,
                unit.now(),
                expiresAt,
                null,
                null,
                null);
        return SigningKeyStore.upsert(unit, revision, key).map(ok -> key);
    }

    private boolean isRotationDue(List<StoredSigningKey> known, Instant now) {
        return known.isEmpty()
                || !signsFrom(known.get(0)).plus(settings.rotationInterval).isAfter(now);
    }

    private Future<Void> reload() {
        return store.listSigning(TokenVerifier.MACHINE_ISSUER, clock.instant())
                .compose(stored -> vertx.executeBlocking(
                        () -> stored.stream().filter(this::canDecrypt).toList(), true))
                .map(usable -> {
                    keys = usable;
                    retainSigners(usable);
                    return null;
                });
    }

    /** Returns the newest key that may sign already, or null. A key that another process revoked is skipped as soon as the model knows. */
    private @Nullable StoredSigningKey findSigningKey(Instant now) {
        StoredSigningKey fallback = null;
        for (var key : keys) {
            if (!signsFrom(key).isAfter(now)) {
                if (model.isKeyTrusted(key.issuer(), key.kid())) {
                    return key;
                }
                fallback = fallback == null ? key : fallback;
            }
        }
        return fallback;
    }

    private synchronized TokenSigner requireSigner(StoredSigningKey key) {
        var signer = signers.get(key.kid());
        if (signer == null) {
            throw new IllegalStateException("the signing key is not decrypted");
        }
        return signer;
    }

    private synchronized void retainSigners(List<StoredSigningKey> usable) {
        signers.keySet().retainAll(usable.stream().map(StoredSigningKey::kid).toList());
    }

    /** Decrypts a key. With another encryption key this process cannot sign with it, and still verifies its tokens. */
    private synchronized boolean canDecrypt(StoredSigningKey key) {
        if (signers.containsKey(key.kid())) {
            return true;
        }
        var encrypted = key.encryptedPrivateKey();
        if (encrypted == null) {
            return false;
        }
        try {
            signers.put(
                    key.kid(),
                    TokenSigner.withKey(key.issuer(), settings.audience, cipher.decrypt(key.kid(), encrypted)));
            return true;
        } catch (GeneralSecurityException e) {
            LOG.atError()
                    .addKeyValue("kid", key.kid())
                    .log("signing key was encrypted with another SLIPWAY_KEY_ENCRYPTION_KEY;"
                            + " this process generates its own key");
            return false;
        }
    }

    private static Instant signsFrom(StoredSigningKey key) {
        return key.signsFrom() == null ? Instant.MAX : key.signsFrom();
    }
}
