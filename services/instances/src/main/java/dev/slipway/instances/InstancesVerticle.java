package dev.slipway.instances;

import dev.slipway.authz.Authorizer;
import dev.slipway.contract.EventSchemas;
import dev.slipway.instances.appinstance.AppInstanceApi;
import dev.slipway.instances.appinstance.AppInstanceReadStore;
import dev.slipway.instances.appinstance.AppInstanceReports;
import dev.slipway.instances.appinstance.AppInstanceStore;
import dev.slipway.instances.appinstance.AppOperationApi;
import dev.slipway.instances.appinstance.ConsistencyApi;
import dev.slipway.instances.appinstance.ConsistencyStore;
import dev.slipway.instances.appinstance.DesiredStateStore;
import dev.slipway.instances.appinstance.InstanceChangeApi;
import dev.slipway.instances.appinstance.InstanceHistoryStore;
import dev.slipway.instances.appinstance.InstanceStopHandler;
import dev.slipway.instances.appinstance.LaunchApi;
import dev.slipway.instances.appinstance.MemberApi;
import dev.slipway.instances.appinstance.RuntimeApi;
import dev.slipway.instances.consistency.InstanceInvariantStore;
import dev.slipway.instances.launch.AppVersionStore;
import dev.slipway.instances.launch.LaunchContextStore;
import dev.slipway.instances.launch.ManifestCache;
import dev.slipway.instances.launch.MemberSpendingCheck;
import dev.slipway.instances.launch.PlanStore;
import dev.slipway.instances.launch.PlanTable;
import dev.slipway.instances.launch.PolicyFreshness;
import dev.slipway.instances.launch.PolicyGuard;
import dev.slipway.instances.launch.PolicyMetrics;
import dev.slipway.instances.launch.ProjectPolicyStore;
import dev.slipway.instances.projection.InstancesProjectionConsumer;
import dev.slipway.instances.report.ReportInputs;
import dev.slipway.instances.sharedruntime.AttachedRuntimeApi;
import dev.slipway.instances.sharedruntime.AttachmentApi;
import dev.slipway.instances.sharedruntime.SharedRuntimeApi;
import dev.slipway.instances.sharedruntime.SharedRuntimeChangeApi;
import dev.slipway.instances.sharedruntime.SharedRuntimeContextStore;
import dev.slipway.instances.sharedruntime.SharedRuntimeReadStore;
import dev.slipway.instances.sharedruntime.SharedRuntimeReportHandler;
import dev.slipway.instances.sharedruntime.SharedRuntimeStopHandler;
import dev.slipway.instances.sharedruntime.SharedRuntimeStore;
import dev.slipway.instances.sharedruntime.WorkerApi;
import dev.slipway.instances.spending.BillingAge;
import dev.slipway.instances.spending.BillingStateStore;
import dev.slipway.instances.spending.SpendingStopSweep;
import dev.slipway.instances.spending.SpendingStore;
import dev.slipway.instances.spending.SpendingStore.DueStop.Kind;
import dev.slipway.messaging.Topics;
import dev.slipway.operations.AdapterStore;
import dev.slipway.operations.ChangeNotifier;
import dev.slipway.operations.CommandResender;
import dev.slipway.operations.CommandStore;
import dev.slipway.operations.DeadlineSweep;
import dev.slipway.operations.EventStore;
import dev.slipway.operations.OperationApi;
import dev.slipway.operations.OperationApi.VisibleSubject;
import dev.slipway.operations.OperationStore;
import dev.slipway.operations.PeriodicSweep;
import dev.slipway.operations.RejectedReportApi;
import dev.slipway.operations.RejectedReportStore;
import dev.slipway.operations.ReportAuthorization;
import dev.slipway.operations.ReportConsumer;
import dev.slipway.operations.ReportConsumer.SubjectReports;
import dev.slipway.operations.SubjectStore;
import dev.slipway.operations.TimelineApi;
import dev.slipway.operations.TimelineStore;
import dev.slipway.operations.UsageWindowStore;
import dev.slipway.operations.domain.SubjectKind;
import dev.slipway.service.Request;
import dev.slipway.service.Service;
import dev.slipway.service.ServiceContext;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.List;
import java.util.Map;

/** The instances service: creates its parts and connects them. */
public final class InstancesVerticle extends VerticleBase {
    private static final Logger LOG = LoggerFactory.getLogger(InstancesVerticle.class);
    private static final long MEASURE_POLICY_AGE_MS = 10_000;

    private final ServiceContext serviceContext;
    private final InstancesConfig config;
    private @Nullable Service service;
    private @Nullable ChangeNotifier notifier;

    public InstancesVerticle(ServiceContext serviceContext, InstancesConfig config) {
        this.serviceContext = serviceContext;
        this.config = config;
    }

    @Override
    public Future<?> start() {
        return Service.open(vertx, serviceContext, "instances").compose(this::serve);
    }

    private Future<Void> serve(Service opened) {
        service = opened;
        InstanceInvariantStore.checks().forEach(opened::check);
        InstanceInvariantStore.claims().forEach(opened::claim);
        var reads = opened.reads();
        var outbox = opened.outbox();
        var mutations = opened.mutations();
        var clock = serviceContext.clock();
        var authorizer = new Authorizer(serviceContext.authz());

        var adapters = new AdapterStore(reads);
        var operations = new OperationStore(SubjectKind.APP_INSTANCE, reads);
        var commands = new CommandStore(SubjectKind.APP_INSTANCE);
        var instances = new AppInstanceStore(
                new SubjectStore(SubjectKind.APP_INSTANCE, operations, commands),
                operations,
                commands,
                new EventStore(SubjectKind.APP_INSTANCE));
        var instanceReads = new AppInstanceReadStore(reads);
        var policyMetrics = PolicyMetrics.register(serviceContext.telemetry().metrics());
        var spending = new SpendingStore(
                config.maxBillingAge(),
                BillingAge.register(serviceContext.telemetry().metrics()));
        var freshness = new PolicyFreshness(config.maxPolicyAge(), policyMetrics);
        var contexts = new LaunchContextStore(
                ManifestCache.create(vertx),
                reads,
                freshness,
                config.maxBillingAge(),
                config.currency(),
                policyMetrics);
        var policies = new ProjectPolicyStore(reads, contexts, policyMetrics);
        var policyGuard = new PolicyGuard(policies, freshness, policyMetrics);
        var history = new InstanceHistoryStore(reads);
        var billing = new BillingStateStore();

        var instanceApi = new AppInstanceApi(instanceReads, history);
        var launchApi = new LaunchApi(contexts, instances, adapters, mutations, config.region());
        var changeApi = new InstanceChangeApi(instances, contexts, policyGuard, authorizer, clock, mutations);
        var memberApi = new MemberApi(
                instances, instanceReads, contexts, policyGuard, new MemberSpendingCheck(contexts), mutations);
        var appOperationApi = new AppOperationApi(vertx, instances, contexts, policyGuard, authorizer, mutations);
        var operationApi = new OperationApi(
                request -> instanceReads
                        .find(request.projectId(), request.pathId("app_instance_id"))
                        .map(found -> new VisibleSubject(
                                found.projectId(), found.id(), found.app().runtimeBackend(), null)),
                operations,
                adapters,
                clock);
        var changes = new ChangeNotifier(vertx, serviceContext.clustered());
        notifier = changes;
        outbox.onCommitted(Topics.INSTANCES_EVENTS, changes::notifyChanged);
        var timelineApi = new TimelineApi(
                SubjectKind.APP_INSTANCE,
                Request::projectId,
                new TimelineStore(SubjectKind.APP_INSTANCE, reads),
                history::findSnapshot,
                changes);
        var consistencyApi = new ConsistencyApi(new ConsistencyStore(reads), clock);
        var desired = new DesiredStateStore(reads);
        var runtimeApi = new RuntimeApi(adapters, desired::listInstances, desired::listSharedRuntimes, clock);

        var rejectedReports = new RejectedReportStore(reads);
        var rejectedReportApi = new RejectedReportApi(rejectedReports);
        var inputs = new ReportInputs(
                vertx, contexts, new AppVersionStore(contexts), adapters, rejectedReports, new UsageWindowStore());
        var reports = new AppInstanceReports(instances, contexts, inputs);
        var runtimeCommands = new CommandStore(SubjectKind.SHARED_RUNTIME);
        var runtimeOperations = new OperationStore(SubjectKind.SHARED_RUNTIME, reads);
        var runtimes = new SharedRuntimeStore(
                new SubjectStore(SubjectKind.SHARED_RUNTIME, runtimeOperations, runtimeCommands),
                runtimeOperations,
                runtimeCommands,
                new EventStore(SubjectKind.SHARED_RUNTIME));
        var runtimeReads = new SharedRuntimeReadStore(reads);
        var runtimeReports = new SharedRuntimeReportHandler(runtimes, contexts, inputs);
        serveSharedRuntimes(
                opened,
                contexts,
                policies,
                policyGuard,
                freshness,
                adapters,
                runtimes,
                runtimeReads,
                runtimeOperations,
                changes);

        var reportConsumer = new ReportConsumer(
                serviceContext.authz(),
                new ReportAuthorization(
                        serviceContext.authz(), serviceContext.tokens().forReports(), EventSchemas.load()),
                adapters,
                rejectedReports,
                Map.of(
                        SubjectKind.APP_INSTANCE,
                        new SubjectReports(reports, commands),
                        SubjectKind.SHARED_RUNTIME,
                        new SubjectReports(runtimeReports, runtimeCommands)),
                clock,
                serviceContext.maxAuthzAgeForWrites());
        var deadlines = new DeadlineSweep(operations, reports, unit -> {
            PlanStore.deleteExpired(unit, PlanTable.APP_INSTANCES);
            rejectedReports.deleteExpired(unit);
        });
        var runtimeDeadlines = new DeadlineSweep(
                runtimeOperations, runtimeReports, unit -> PlanStore.deleteExpired(unit, PlanTable.SHARED_RUNTIMES));
        var runtimeStops = new SharedRuntimeStopHandler(spending, runtimes, runtimeReports);
        var stops = new SpendingStopSweep(
                spending,
                Map.of(
                        Kind.APP_INSTANCE,
                        new InstanceStopHandler(spending, instances),
                        Kind.SHARED_RUNTIME,
                        runtimeStops::stopRuntime,
                        Kind.ATTACHMENT,
                        runtimeStops::stopAttachment));
        var sweeps = List.of(
                new PeriodicSweep<>(vertx, outbox, deadlines, config.deadlineInterval()),
                new PeriodicSweep<>(vertx, outbox, runtimeDeadlines, config.deadlineInterval()),
                new PeriodicSweep<>(vertx, outbox, stops, config.deadlineInterval()));
        var resender = new CommandResender(vertx, outbox, commands);
        var runtimeResender = new CommandResender(vertx, outbox, runtimeCommands);

        return opened.serveOnEveryLoop("createAppInstance", launchApi::create)
                .serve("planAppInstance", launchApi::plan)
                .serveOnEveryLoop("listAppInstances", instanceApi::list)
                .serveOnEveryLoop("getAppInstance", instanceApi::get)
                .serve("deleteAppInstance", changeApi::delete)
                .serve("forceDeleteAppInstance", changeApi::forceDelete)
                .serve("upgradeAppInstance", changeApi::upgrade)
                .serve("rollbackAppInstance", changeApi::rollback)
                .serve("listInstanceOperations", operationApi::list)
                .serve("getInstanceOperation", operationApi::get)
                .serve("getMemberOperation", operationApi::getMemberOperation)
                .serve("cancelInstanceOperation", changeApi::cancel)
                .serve("runInstanceOperation", appOperationApi::run)
                .serve("listInstanceMembers", memberApi::list)
                .serve("getInstanceMember", memberApi::get)
                .serve("operateInstanceMember", memberApi::operate)
                .serve("getInstanceTimeline", timelineApi::timeline)
                .serve("watchAppInstance", timelineApi::watch)
                .serve("checkInstanceConsistency", consistencyApi::check)
                .serve("listRuntimeAdapters", runtimeApi::listAdapters)
                .serve("listDesiredState", runtimeApi::listDesiredState)
                .serve("listDesiredSharedRuntimes", runtimeApi::listDesiredSharedRuntimes)
                .serve("listRejectedReports", rejectedReportApi::list)
                .serve("listOwnRejectedReports", rejectedReportApi::listOwn)
                .serve("listProjectRejectedReports", rejectedReportApi::listOfProject)
                .serve(
                        "listSharedRuntimeRejectedReports",
                        request -> rejectedReportApi.listOfSharedRuntime(request, runtimeReads::find))
                .consume("reports", List.of(Topics.RUNTIME_REPORTS), reportConsumer::onReport)
                .consume("read-models", List.of(Topics.IAM_STATE, Topics.CATALOG_STATE), (unit, record, event) -> {
                    InstancesProjectionConsumer.apply(unit, event);
                    var closed = InstancesProjectionConsumer.findClosedProject(event);
                    if (closed != null) {
                        return runtimeReports.detachProject(
                                unit, closed.id(), "project_" + closed.state().text());
                    }
                    // The topic exists before a version of this backend, which follows on the same partition, can be
                    // launched.
                    var backend = InstancesProjectionConsumer.activatedBackend(event);
                    return backend == null
                            ? Future.succeededFuture()
                            : Topics.createRuntimeCommands(vertx, serviceContext.kafka(), backend);
                })
                .withHeartbeats()
                // A consumer of its own: billing may be behind or absent without delaying the other read models.
                .consume(
                        "billing-state",
                        List.of(Topics.BILLING_STATE),
                        (unit, record, event) -> billing.apply(unit, event))
                .withHeartbeats()
                .start()
                .onSuccess(ok -> {
                    resender.start();
                    runtimeResender.start();
                    sweeps.forEach(PeriodicSweep::start);
                    vertx.setPeriodic(0, MEASURE_POLICY_AGE_MS, timer -> policies.measureAge()
                            .onFailure(e -> LOG.atWarn().setCause(e).log("measuring the age of policy failed")));
                });
    }

    private void serveSharedRuntimes(
            Service opened,
            LaunchContextStore contexts,
            ProjectPolicyStore policies,
            PolicyGuard policyGuard,
            PolicyFreshness freshness,
            AdapterStore adapters,
            SharedRuntimeStore runtimes,
            SharedRuntimeReadStore reads,
            OperationStore operations,
            ChangeNotifier changes) {
        var clock = serviceContext.clock();
        var mutations = opened.mutations();
        var authorizer = new Authorizer(serviceContext.authz());
        var runtimeContexts = new SharedRuntimeContextStore(contexts, freshness, serviceContext.authz());
        var api = new SharedRuntimeApi(
                runtimes, reads, runtimeContexts, contexts, adapters, authorizer, mutations, config.region());
        var changeApi = new SharedRuntimeChangeApi(
                vertx, runtimes, runtimeContexts, contexts, policyGuard, authorizer, mutations);
        var attachmentApi = new AttachmentApi(
                vertx, runtimes, reads, runtimeContexts, contexts, policies, adapters, authorizer, mutations);
        var workerApi =
                new WorkerApi(runtimes, reads, contexts, new MemberSpendingCheck(contexts), policyGuard, mutations);
        var attachedApi = new AttachedRuntimeApi(reads, contexts, policies);
        var ownerOperations = new OperationApi(
                request -> reads.find(request.pathId("org_id"), request.pathId("shared_runtime_id"))
                        .map(found -> new VisibleSubject(
                                found.orgId(), found.id(), found.app().runtimeBackend(), null)),
                operations,
                adapters,
                clock);
        var projectOperations = new OperationApi(
                request -> reads.findAttached(request.projectId(), request.pathId("shared_runtime_id"))
                        .map(found -> new VisibleSubject(
                                found.runtime().orgId(),
                                found.runtime().id(),
                                found.runtime().app().runtimeBackend(),
                                request.projectId())),
                operations,
                adapters,
                clock);
        var timelineApi = new TimelineApi(
                SubjectKind.SHARED_RUNTIME,
                request -> request.pathId("org_id"),
                new TimelineStore(SubjectKind.SHARED_RUNTIME, opened.reads()),
                reads::findSnapshot,
                changes);
        opened.serve("createSharedRuntime", api::create)
                .serve("planSharedRuntime", api::plan)
                .serve("listSharedRuntimes", api::list)
                .serve("getSharedRuntime", api::get)
                .serve("deleteSharedRuntime", api::delete)
                .serve("upgradeSharedRuntime", changeApi::upgrade)
                .serve("rollbackSharedRuntime", changeApi::rollback)
                .serve("listAttachments", attachmentApi::list)
                .serve("createAttachment", attachmentApi::create)
                .serve("planAttachment", attachmentApi::plan)
                .serve("getAttachment", attachmentApi::get)
                .serve("updateAttachment", attachmentApi::update)
                .serve("deleteAttachment", attachmentApi::delete)
                .serve("listWorkers", workerApi::list)
                .serve("getWorker", workerApi::get)
                .serve("operateWorker", workerApi::operate)
                .serve("listWorkerOperations", ownerOperations::listMemberOperations)
                .serve("getWorkerOperation", ownerOperations::getMemberOperation)
                .serve("listSharedRuntimeOperations", ownerOperations::list)
                .serve("getSharedRuntimeOperation", ownerOperations::get)
                .serve("runSharedRuntimeOperation", changeApi::run)
                .serve("cancelSharedRuntimeOperation", changeApi::cancel)
                .serve("getSharedRuntimeTimeline", timelineApi::timeline)
                .serve("watchSharedRuntime", timelineApi::watch)
                .serve("listAttachedRuntimes", attachedApi::list)
                .serve("getAttachedRuntime", attachedApi::get)
                .serve("listContributedWorkerOperations", projectOperations::listMemberOperations)
                .serve("getContributedWorkerOperation", projectOperations::getMemberOperation)
                .serve("operateContributedWorker", workerApi::operate)
                .serve("listSubmittedOperations", projectOperations::list)
                .serve("getSubmittedOperation", projectOperations::get)
                .serve("submitOperation", changeApi::run)
                .serve("cancelSubmittedOperation", changeApi::cancel);
    }

    @Override
    public Future<?> stop() {
        if (notifier != null) {
            notifier.close();
        }
        return service == null ? Future.succeededFuture() : service.stop();
    }
}
