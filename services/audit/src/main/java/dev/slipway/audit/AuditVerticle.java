package dev.slipway.audit;

import dev.slipway.audit.consistency.ArchiveInvariantStore;
import dev.slipway.audit.consistency.ConsistencyReportApi;
import dev.slipway.audit.consistency.ConsistencyResultStore;
import dev.slipway.audit.correlation.CorrelationApi;
import dev.slipway.audit.correlation.CorrelationConsumer;
import dev.slipway.audit.correlation.CorrelationStore;
import dev.slipway.audit.evidence.EvidenceWiring;
import dev.slipway.audit.evidence.ReleaseStore;
import dev.slipway.audit.evidence.domain.CandidateGates;
import dev.slipway.audit.evidence.domain.GateVerdict;
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
import dev.slipway.audit.log.TileApi;
import dev.slipway.audit.log.TreeReader;
import dev.slipway.audit.log.WitnessClient;
import dev.slipway.audit.status.ReadinessApi.Candidate;
import dev.slipway.audit.status.ReadinessApi.Gate;
import dev.slipway.audit.status.StatusApis;
import dev.slipway.authz.Authorizer;
import dev.slipway.messaging.Topics;
import dev.slipway.service.KeyCipher;
import dev.slipway.service.Service;
import dev.slipway.service.ServiceContext;
import io.micrometer.core.instrument.Gauge;
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
            Topics.AUDIT_EVENTS,
            Topics.INSTANCES_EVENTS,
            Topics.CATALOG_EVENTS,
            Topics.USAGE_EVENTS,
            Topics.EVIDENCE_EVENTS,
            Topics.RUNTIME_REPORTS_REJECTED,
            Topics.TENANTS_EVENTS,
            Topics.STATUS_EVENTS,
            Topics.BILLING_EVENTS);

    /** Short compared with the time after which somebody reads a correlation. */
    private static final Duration BATCH_WINDOW = Duration.ofMillis(100);

    private static final int MAX_CANDIDATES = 50;
    private static final Duration MIN_CLEANUP_INTERVAL = Duration.ofSeconds(1);
    private static final Duration MAX_CLEANUP_INTERVAL = Duration.ofHours(1);

    private final ServiceContext serviceContext;
    private final AuditConfig config;
    private final String keyEncryptionKey;
    private @Nullable Service service;
    private @Nullable CheckpointSigner signer;
    private @Nullable EvidenceWiring evidence;

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
        var api = new CorrelationApi(
                store, config.triageLinks(), new Authorizer(serviceContext.authz()), serviceContext.clock());
        var consumer = new CorrelationConsumer(store);
        opened.serve("getCorrelation", api::get)
                .consumeBatches("timeline", EVENT_TOPICS, BATCH_WINDOW, consumer::apply)
                // A separate consumer, so that many access-log records do not delay the audit trail.
                .consumeBatches("calls", List.of(Topics.CALLS), BATCH_WINDOW, consumer::apply);
        serveConsistency(opened);
        serveStatus(opened);
        return serveLog(opened)
                .compose(ok -> serveEvidence(opened))
                .compose(wired -> opened.start().compose(ok -> wired.start()))
                .onSuccess(ok -> scheduleCleanup(store));
    }

    private Future<EvidenceWiring> serveEvidence(Service opened) {
        var wired = new EvidenceWiring(vertx, serviceContext, opened, config.evidence());
        evidence = wired;
        wired.serve();
        return wired.prepare().map(ok -> wired);
    }

    private void serveStatus(Service opened) {
        var releases = new ReleaseStore(opened.reads());
        StatusApis.serve(
                vertx, serviceContext, opened, config.status(), () -> releases.listNewestWithGates(MAX_CANDIDATES)
                        .map(found -> found.stream().map(this::toCandidate).toList()));
    }

    /** A waiver that has expired blocks the gate again, even if the candidate was not evaluated since. */
    private Candidate toCandidate(CandidateGates release) {
        var candidate = release.candidate();
        var validUntil = candidate.validUntil();
        var expired =
                validUntil != null && validUntil.isBefore(serviceContext.clock().instant());
        return new Candidate(
                candidate.id(),
                candidate.attributes().product(),
                candidate.attributes().version(),
                release.gates().entrySet().stream()
                        .map(gate -> new Gate(
                                gate.getKey().text(),
                                expired && gate.getValue() == GateVerdict.WAIVED
                                        ? GateVerdict.BLOCKED
                                        : gate.getValue()))
                        .toList());
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
        var consumer = new AuditLogConsumer(logs, signer::onAppending);
        opened.consumeBatches("log", List.of(Topics.AUDIT_EVENTS), BATCH_WINDOW, consumer::apply);
        Gauge.builder("slipway.audit.query.lag", opened, service -> service.secondsBehind("log"))
                .description("Age of the oldest audit record that was received but cannot be queried yet; 0 if all can")
                .baseUnit("seconds")
                .register(serviceContext.telemetry().metrics());
        var entries = new AuditEntryStore(opened.reads());
        var trees = new TreeReader(entries);
        serveLog(
                opened,
                new AuditLogApi(entries, trees, checkpoints, keys, serviceContext.auditActions(), opened.mutations()));
        serveTiles(opened, new TileApi(entries, trees, checkpoints));
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

    private void serveConsistency(Service opened) {
        var report = new ConsistencyReportApi(new ConsistencyResultStore(opened.reads()), serviceContext.clock());
        opened.serve("getConsistency", report::get)
                .consumeOptional("consistency", List.of(Topics.CONSISTENCY_EVENTS), report::apply);
        Gauge.builder("slipway.consistency.differences", report, ConsistencyReportApi::countDifferences)
                .description("Differences that the consistency checks of all services found")
                .register(serviceContext.telemetry().metrics());
        ArchiveInvariantStore.checks().forEach(opened::check);
        ArchiveInvariantStore.verifiers().forEach(opened::verify);
    }

    private static void serveTiles(Service opened, TileApi api) {
        opened.serve("getOrganizationAuditLogCheckpoint", api::checkpoint)
                .serve("getOrganizationAuditTile", api::tile)
                .serve("getPlatformAuditLogCheckpoint", api::checkpoint)
                .serve("getPlatformAuditTile", api::tile);
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
        if (evidence != null) {
            evidence.stop();
        }
        return service == null ? Future.succeededFuture() : service.stop();
    }
}
