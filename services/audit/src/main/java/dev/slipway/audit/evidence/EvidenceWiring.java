package dev.slipway.audit.evidence;

import dev.slipway.audit.evidence.ingest.AttestationVerifier;
import dev.slipway.audit.evidence.ingest.ContentReader;
import dev.slipway.contract.Ids;
import dev.slipway.messaging.ChangeContext;
import dev.slipway.messaging.StateHeartbeat;
import dev.slipway.messaging.StateRepublisher;
import dev.slipway.messaging.StateRepublisher.TableScan;
import dev.slipway.messaging.Topics;
import dev.slipway.service.Service;
import dev.slipway.service.ServiceContext;
import io.opentelemetry.context.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;

import java.time.Duration;
import java.util.List;

/** Wires releases and evidence. */
public final class EvidenceWiring {
    /** Increment it when snapshots get additional fields. */
    private static final int LAYOUT = 1;

    private static final long MEASURE_MS = 5_000;
    private static final Duration BATCH_WINDOW = Duration.ofMillis(100);

    private final Vertx vertx;
    private final ServiceContext serviceContext;
    private final Service service;
    private final EvidenceTypes types;
    private final ReleaseCandidateApi releases;
    private final EvidenceApi evidence;
    private final VerdictApi verdicts;
    private final GitLabWebhookApi webhook;
    private final EvidenceRetention retention;
    private final StateHeartbeat heartbeat;
    private final BundleLag bundleLag;

    public EvidenceWiring(Vertx vertx, ServiceContext serviceContext, Service service, EvidenceConfig config) {
        this.vertx = vertx;
        this.serviceContext = serviceContext;
        this.service = service;
        var mutations = service.mutations();
        var releaseStore = new ReleaseStore(service.reads());
        var evidenceStore = new EvidenceStore(service.reads());
        types = new EvidenceTypes(evidenceStore);
        var evaluator = new ReleaseEvaluator(releaseStore, evidenceStore, types);
        var recorder = new EvidenceRecorder(evidenceStore, types, evaluator);
        var contents = new EvidenceContents(new FileObjectStore(vertx, config.directory()));
        var reader = new ContentReader(new AttestationVerifier(config.attestationKeys()));
        releases = new ReleaseCandidateApi(releaseStore, evaluator, recorder, mutations, serviceContext.authz()::orgOf);
        evidence = new EvidenceApi(vertx, releaseStore, evidenceStore, recorder, contents, reader, mutations);
        verdicts = new VerdictApi(releaseStore, evidenceStore, contents);
        webhook = new GitLabWebhookApi(vertx, config.gitlabToken(), releaseStore, evidenceStore, recorder, mutations);
        retention = new EvidenceRetention(vertx, evidenceStore, contents, service.outbox());
        bundleLag = new BundleLag(
                evidenceStore,
                serviceContext.clock(),
                serviceContext.telemetry().metrics());
        heartbeat = new StateHeartbeat(vertx, service.outbox(), Topics.EVIDENCE_STATE, "evidence.heartbeat");
    }

    /** Registers the handlers and the consumer of evidence types. */
    public void serve() {
        service.serve("createRelease", releases::create)
                .serve("listReleases", releases::list)
                .serve("getRelease", releases::get)
                .serve("addEvidence", evidence::add)
                .serve("listEvidence", evidence::list)
                .serve("getEvidence", evidence::get)
                .serve("approveReleaseForProduct", releases.approve("product"))
                .serve("approveReleaseForPlatform", releases.approve("platform"))
                .serve("approveReleaseForSecurity", releases.approve("security"))
                .serve("waiveReleaseGate", releases::waive)
                .serve("evaluateRelease", releases::evaluate)
                .serve("listGateVerdicts", verdicts::list)
                .serve("recomputeGateVerdict", verdicts::recompute)
                .serve("getSecurityEvidence", verdicts::security)
                .serve("receiveGitLabEvent", webhook::receive)
                .serve("createProjectRelease", releases::create)
                .serve("listProjectReleases", releases::list)
                .serve("getProjectRelease", releases::get)
                .serve("addProjectEvidence", evidence::add)
                .serve("listProjectEvidence", evidence::list)
                .serve("approveProjectRelease", releases.approve("product"))
                .consumeBatches("evidence-types", List.of(Topics.CATALOG_STATE), BATCH_WINDOW, types::apply);
    }

    /** Stores the seeds of the evidence types and republishes the verdicts if the topic has lost them. Call it before the service starts. */
    public Future<Void> prepare() {
        return service.outbox()
                .transaction(new ChangeContext(Ids.next().toString(), Context.root()), types::ensureSeeds)
                .compose(ok -> StateRepublisher.republishIfNeeded(
                        vertx,
                        serviceContext.kafka(),
                        service.outbox(),
                        Topics.EVIDENCE_STATE,
                        LAYOUT,
                        List.of(TableScan.byId(ReleaseSnapshotStore.AFTER_ID, ReleaseSnapshotStore::republish))));
    }

    /** Starts the heartbeat, the measurement of the lag and the deletion of expired content. Call it when the service has started. */
    public Future<Void> start() {
        retention.start();
        vertx.setPeriodic(MEASURE_MS, timer -> bundleLag.measure());
        return heartbeat.start();
    }

    public void stop() {
        retention.stop();
        heartbeat.stop();
    }
}
