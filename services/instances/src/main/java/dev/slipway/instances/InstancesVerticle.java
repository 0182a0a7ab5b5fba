package dev.slipway.instances;

import dev.slipway.authz.Authorizer;
import dev.slipway.contract.EventSchemas;
import dev.slipway.instances.appinstance.AppInstanceApi;
import dev.slipway.instances.appinstance.AppInstanceReports;
import dev.slipway.instances.appinstance.AppInstanceStore;
import dev.slipway.instances.appinstance.AppOperationApi;
import dev.slipway.instances.appinstance.ConsistencyApi;
import dev.slipway.instances.appinstance.ConsistencyStore;
import dev.slipway.instances.appinstance.DesiredStateStore;
import dev.slipway.instances.appinstance.InstanceChangeApi;
import dev.slipway.instances.appinstance.InstanceHistoryStore;
import dev.slipway.instances.appinstance.LaunchApi;
import dev.slipway.instances.appinstance.LaunchContextStore;
import dev.slipway.instances.appinstance.MemberApi;
import dev.slipway.instances.appinstance.PlanStore;
import dev.slipway.instances.appinstance.RuntimeApi;
import dev.slipway.instances.projection.InstancesProjectionStore;
import dev.slipway.messaging.Topics;
import dev.slipway.operations.AdapterStore;
import dev.slipway.operations.ChangeNotifier;
import dev.slipway.operations.CommandResender;
import dev.slipway.operations.CommandStore;
import dev.slipway.operations.DeadlineSweep;
import dev.slipway.operations.EventStore;
import dev.slipway.operations.OperationApi;
import dev.slipway.operations.OperationStore;
import dev.slipway.operations.RejectedReportApi;
import dev.slipway.operations.RejectedReportStore;
import dev.slipway.operations.ReportAuthorization;
import dev.slipway.operations.ReportConsumer;
import dev.slipway.operations.TimelineApi;
import dev.slipway.operations.TimelineStore;
import dev.slipway.operations.UsageWindowStore;
import dev.slipway.operations.domain.SubjectKind;
import dev.slipway.service.Service;
import dev.slipway.service.ServiceContext;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.List;

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
        var reads = opened.reads();
        var outbox = opened.outbox();
        var mutations = opened.mutations();
        var clock = serviceContext.clock();
        var authorizer = new Authorizer(serviceContext.authz());

        var adapters = new AdapterStore(reads);
        var operations = new OperationStore(reads);
        var commands = new CommandStore();
        var instances = new AppInstanceStore(reads, operations, commands, new EventStore());
        var contexts = new LaunchContextStore(
                vertx, reads, config.maxPolicyAge(), serviceContext.telemetry().metrics());
        var history = new InstanceHistoryStore(reads);
        var plans = new PlanStore();
        var projections = new InstancesProjectionStore();

        var instanceApi = new AppInstanceApi(instances, history);
        var launchApi = new LaunchApi(contexts, instances, plans, adapters, mutations, config.region());
        var changeApi = new InstanceChangeApi(instances, contexts, authorizer, clock, mutations);
        var memberApi = new MemberApi(instances, contexts, mutations);
        var appOperationApi = new AppOperationApi(vertx, instances, contexts, authorizer, mutations);
        var operationApi = new OperationApi(
                SubjectKind.APP_INSTANCE,
                (projectId, id) ->
                        instances.find(projectId, id).map(found -> found.app().runtimeBackend()),
                operations,
                adapters,
                clock);
        var changes = new ChangeNotifier(vertx, serviceContext.clustered());
        notifier = changes;
        outbox.onCommitted(Topics.INSTANCES_EVENTS, changes::notifyChanged);
        var timelineApi = new TimelineApi(
                SubjectKind.APP_INSTANCE,
                new TimelineStore(SubjectKind.APP_INSTANCE, reads),
                history::findSnapshot,
                changes);
        var consistencyApi = new ConsistencyApi(new ConsistencyStore(reads), clock);
        var runtimeApi = new RuntimeApi(adapters, new DesiredStateStore(reads), clock);

        var rejectedReports = new RejectedReportStore(reads);
        var rejectedReportApi = new RejectedReportApi(rejectedReports);
        var reports =
                new AppInstanceReports(vertx, instances, contexts, adapters, rejectedReports, new UsageWindowStore());
        var reportConsumer = new ReportConsumer(
                serviceContext.authz(),
                new ReportAuthorization(serviceContext.authz(), serviceContext.tokens(), EventSchemas.load()),
                adapters,
                commands,
                rejectedReports,
                reports,
                clock,
                serviceContext.maxAuthzAgeForWrites());
        var deadlines = new DeadlineSweep(
                vertx,
                outbox,
                operations,
                reports,
                unit -> {
                    plans.deleteExpired(unit);
                    rejectedReports.deleteExpired(unit);
                },
                config.deadlineInterval());
        var resender = new CommandResender(vertx, outbox, commands);

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
                .serve("listRejectedReports", rejectedReportApi::list)
                .serve("listOwnRejectedReports", rejectedReportApi::listOwn)
                .serve("listProjectRejectedReports", rejectedReportApi::listOfProject)
                .consume("reports", List.of(Topics.RUNTIME_REPORTS), reportConsumer::onReport)
                .consume("read-models", List.of(Topics.IAM_STATE, Topics.CATALOG_STATE), (unit, record, event) -> {
                    projections.apply(unit, event);
                    // The topic exists before a version of this backend, which follows on the same partition, can be
                    // launched.
                    var backend = projections.activatedBackend(event);
                    return backend == null
                            ? Future.succeededFuture()
                            : Topics.createRuntimeCommands(vertx, serviceContext.kafka(), backend);
                })
                .start()
                .onSuccess(ok -> {
                    resender.start();
                    deadlines.start();
                    vertx.setPeriodic(0, MEASURE_POLICY_AGE_MS, timer -> contexts.measurePolicyAge()
                            .onFailure(e -> LOG.atWarn().setCause(e).log("measuring the age of policy failed")));
                });
    }

    @Override
    public Future<?> stop() {
        if (notifier != null) {
            notifier.close();
        }
        return service == null ? Future.succeededFuture() : service.stop();
    }
}
