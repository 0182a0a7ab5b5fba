package dev.slipway.audit.log;

import dev.slipway.audit.log.domain.LogId;
import dev.slipway.audit.log.domain.LogOrigin;
import dev.slipway.audit.log.domain.NoteKey;
import dev.slipway.audit.log.domain.SignedNote;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.messaging.ChangeContext;
import dev.slipway.messaging.Outbox;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.AuditResult;
import dev.slipway.service.AuditTrail;
import dev.slipway.service.AuditTrail.AuditEntry;
import dev.slipway.service.KeyCipher;
import io.opentelemetry.context.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/** The keys that sign checkpoints. All processes sign with the same keys; during a rotation, with the old and the new one. */
public final class LogKeyRing {
    private static final Logger LOG = LoggerFactory.getLogger(LogKeyRing.class);
    private static final String ROTATE_ACTION = "audit.key.rotate";
    private static final LogOrigin UNNAMED = new LogOrigin("{log}");

    private final Vertx vertx;
    private final CheckpointStore store;
    private final Outbox outbox;
    private final KeyCipher cipher;
    private final Settings settings;
    private final Clock clock;
    private volatile List<LogKey> all = List.of();
    private volatile List<Signer> signers = List.of();

    /** The names of the logs, the time between two rotations, and how long a key signs beside its successor. */
    public record Settings(LogOrigin origin, Duration rotationInterval, Duration overlap) {}

    private record Signer(LogKey key, PrivateKey privateKey) {}

    public LogKeyRing(
            Vertx vertx, CheckpointStore store, Outbox outbox, KeyCipher cipher, Settings settings, Clock clock) {
        this.vertx = vertx;
        this.store = store;
        this.outbox = outbox;
        this.cipher = cipher;
        this.settings = settings;
        this.clock = clock;
    }

    /** Reads the keys, and creates one if the rotation is due. */
    Future<Void> refresh() {
        return reload().compose(ok -> isRotationDue(signers, clock.instant()) ? rotate() : Future.succeededFuture());
    }

    /** Returns the origin of a log. */
    String origin(LogId logId) {
        return settings.origin.keyOf(logId, newest().key.publicKey()).name();
    }

    /** Returns the public keys of a log, also those that have expired: they verify old checkpoints. The newest is first. */
    List<NoteKey> publicKeys(LogId logId) {
        return all.stream()
                .map(key -> settings.origin.keyOf(logId, key.publicKey()))
                .toList();
    }

    /** Signs a text with every active key. Takes about a millisecond per key: call it on a worker thread. */
    SignedNote sign(LogId logId, String text) {
        var note = new SignedNote(text, List.of());
        var now = clock.instant();
        var newest = newest();
        for (var signer : signers) {
            if (signer.equals(newest) || signer.key.isActive(now)) {
                note = note.sign(settings.origin.keyOf(logId, signer.key.publicKey()), signer.privateKey);
            }
        }
        return note;
    }

    private Signer newest() {
        var known = signers;
        if (known.isEmpty()) {
            throw new IllegalStateException("there is no checkpoint key yet");
        }
        return known.get(0);
    }

    private Future<Void> rotate() {
        return vertx.executeBlocking(
                        () -> KeyPairGenerator.getInstance("Ed25519").generateKeyPair())
                .compose(generated -> outbox.transaction(
                        new ChangeContext(Ids.next().toString(), Context.root()), unit -> insertIfDue(unit, generated)))
                .compose(ok -> reload());
    }

    /** If several processes find the rotation due, the first one inserts its key and the others find it behind the lock. */
    private Future<Void> insertIfDue(UnitOfWork unit, KeyPair generated) {
        return CheckpointStore.lockKeys(unit).map(stored -> {
            if (isRotationDue(decrypt(stored), unit.now())) {
                insert(unit, generated);
            }
            return null;
        });
    }

    private void insert(UnitOfWork unit, KeyPair generated) {
        var publicKey = NoteKey.ofLog("-", generated.getPublic()).publicKey();
        var privateKey =
                Base64.getEncoder().encodeToString(generated.getPrivate().getEncoded());
        var rotatesAt = unit.now().plus(settings.rotationInterval);
        CheckpointStore.insertKey(
                unit,
                new LogKey(
                        publicKey,
                        cipher.encrypt(publicKey, privateKey),
                        unit.now(),
                        rotatesAt,
                        rotatesAt.plus(settings.overlap)));
        AuditTrail.recordSystemAction(
                unit,
                "system",
                "audit",
                null,
                new AuditEntry(
                        ROTATE_ACTION,
                        "log_key",
                        UNNAMED.keyOf(LogId.PLATFORM, publicKey).keyHash(),
                        null,
                        null,
                        Json.object()),
                AuditResult.SUCCESS,
                null);
    }

    private Future<Void> reload() {
        return store.listKeys()
                .compose(stored -> vertx.executeBlocking(() -> decrypt(stored)).map(usable -> {
                    all = stored;
                    signers = usable;
                    return null;
                }));
    }

    private static boolean isRotationDue(List<Signer> usable, Instant now) {
        return usable.isEmpty() || !now.isBefore(usable.get(0).key.rotatesAt());
    }

    /** Returns the keys that this process can sign with. With another encryption key it signs with keys of its own. */
    private List<Signer> decrypt(List<LogKey> stored) {
        var usable = new ArrayList<Signer>();
        for (var key : stored) {
            try {
                var encoded = Base64.getDecoder().decode(cipher.decrypt(key.publicKey(), key.encryptedPrivateKey()));
                usable.add(new Signer(
                        key, KeyFactory.getInstance("Ed25519").generatePrivate(new PKCS8EncodedKeySpec(encoded))));
            } catch (GeneralSecurityException e) {
                LOG.atError()
                        .addKeyValue("public_key", key.publicKey())
                        .log("checkpoint key was encrypted with another SLIPWAY_KEY_ENCRYPTION_KEY;"
                                + " this process signs with its own key");
            }
        }
        return usable;
    }
}
