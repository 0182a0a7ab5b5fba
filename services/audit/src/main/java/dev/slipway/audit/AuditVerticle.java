package dev.slipway.audit;

import dev.slipway.audit.correlation.CorrelationApi;
import dev.slipway.audit.correlation.CorrelationConsumer;
import dev.slipway.audit.correlation.CorrelationStore;
import dev.slipway.audit.log.AuditEntryStore;
import dev.slipway.audit.log.AuditLogApi;
import dev.slipway.audit.log.AuditLogConsumer;
import dev.slipway.audit.log.AuditLogStore;
import dev.slipway.audit.log.CheckpointSigner;
import dev.slipway.audit.log.CheckpointStore;
import dev.slipway.audit.log.Cosigner;
import dev.slipway.audit.log.LegalHoldApi;
import dev.slipway.audit.log.LogKeyRing;
import dev.slipway.audit.log.RetentionStore;
import dev.slipway.audit.log.RetentionSweep;
import dev.slipway.audit.log.TreeReader;
import dev.slipway.audit.log.WitnessClient;
import dev.slipway.authz.Authorizer;
import dev.slipway.messaging.Topics;
import dev.slipway.service.KeyCipher;
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
    private final String keyEncryptionKey;
    private @Nullable Service service;
    private @Nullable CheckpointSigner signer;

    /**
     * @param keyEncryptionKey 32 bytes in Base64, with which the private keys of checkpoints are encrypted
     */
    public AuditVerticle(ServiceContext serviceContext, AuditConfig config, String keyEncryptionKey) {
        this.serviceContext = serviceContext;
        this.config = config;
        this.keyEncryptionKey = keyEncryptionKey;
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
        opened.serve("getCorrelation", api::get)
                .consumeBatches("timeline", EVENT_TOPICS, BATCH_WINDOW, consumer::apply)
                // A separate consumer, so that many access-log records do not delay the audit trail.
                .consumeBatches("calls", List.of(Topics.CALLS), BATCH_WINDOW, consumer::apply);
        return serveLog(opened).compose(ok -> opened.start()).onSuccess(ok -> scheduleCleanup(store));
    }

    private Future<Void> serveLog(Service opened) {
        var logs = new AuditLogStore(opened.reads());
        var checkpoints = new CheckpointStore(opened.reads());
        var keys = new LogKeyRing(
                vertx,
                checkpoints,
                opened.outbox(),
                new KeyCipher(keyEncryptionKey),
                new LogKeyRing.Settings(config.origin(), config.keyRotation(), config.keyOverlap()),
                serviceContext.clock());
        signer = new CheckpointSigner(vertx, checkpoints, logs, keys, opened.outbox(), serviceContext.clock());
        opened.consumeBatches("log", List.of(Topics.AUDIT_EVENTS), BATCH_WINDOW, new AuditLogConsumer(logs)::apply);
        var entries = new AuditEntryStore(opened.reads());
        var trees = new TreeReader(entries);
        serveLog(
                opened,
                new AuditLogApi(entries, trees, checkpoints, keys, serviceContext.auditActions(), opened.mutations()));
        var retentionStore = new RetentionStore(opened.reads());
        serveHolds(opened, new LegalHoldApi(retentionStore, opened.mutations()));
        var retention = new RetentionSweep(vertx, retentionStore, opened.outbox());
        opened.consumeBatches("registries", List.of(Topics.CATALOG_STATE), BATCH_WINDOW, retention::apply);
        new Cosigner(vertx, checkpoints, trees, new WitnessClient(vertx), config.witnesses()).start();
        return signer.start().compose(ok -> retention.start());
    }

    private static void serveLog(Service opened, AuditLogApi api) {
        for (var log : List.of("Organization", "Platform")) {
            opened.serve("list" + log + "AuditEntries", api::list)
                    .serve("get" + log + "AuditEntry", api::get)
                    .serve("export" + log + "Audit", api::export)
                    .serve("get" + log + "AuditCheckpoint", api::checkpoint)
                    .serve("get" + log + "AuditInclusionProof", api::proveInclusion)
                    .serve("get" + log + "AuditConsistencyProof", api::proveConsistency)
                    .serve("redact" + log + "Audit", api::redact);
        }
        opened.serve("listProjectAuditEntries", api::list)
                .serve("getProjectAuditEntry", api::get)
                .serve("writeProjectAuditEntry", api::write);
    }

    private static void serveHolds(Service opened, LegalHoldApi api) {
        for (var log : List.of("Organization", "Platform")) {
            opened.serve("get" + log + "AuditLegalHold", api::get)
                    .serve("put" + log + "AuditLegalHold", api::place)
                    .serve("delete" + log + "AuditLegalHold", api::release);
        }
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
        if (signer != null) {
            signer.stop();
        }
        return service == null ? Future.succeededFuture() : service.stop();
    }
}
