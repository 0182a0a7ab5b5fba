package dev.slipway.instances.appinstance;

import dev.slipway.contract.Ids;
import dev.slipway.contract.ResourceName;
import dev.slipway.instances.appinstance.domain.ChangeDecision;
import dev.slipway.instances.appinstance.domain.DecisionContext;
import dev.slipway.instances.appinstance.domain.InstanceLifecycle;
import dev.slipway.instances.launch.LaunchBody;
import dev.slipway.instances.launch.LaunchContext;
import dev.slipway.instances.launch.LaunchContextStore;
import dev.slipway.instances.launch.LaunchPlan;
import dev.slipway.instances.launch.PlanStore;
import dev.slipway.instances.launch.PlanTable;
import dev.slipway.instances.launch.PlanView;
import dev.slipway.instances.launch.domain.Launch;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.operations.AdapterStore;
import dev.slipway.operations.Refusals;
import dev.slipway.operations.domain.OperationBlockers.AdapterAvailability;
import dev.slipway.service.Mutations;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.util.Objects;

/** Launches instances, and plans launches. */
public final class LaunchApi {
    private final LaunchContextStore contexts;
    private final AppInstanceStore instances;
    private final AdapterStore adapters;
    private final Mutations mutations;
    private final String region;

    public LaunchApi(
            LaunchContextStore contexts,
            AppInstanceStore instances,
            AdapterStore adapters,
            Mutations mutations,
            String region) {
        this.contexts = contexts;
        this.instances = instances;
        this.adapters = adapters;
        this.mutations = mutations;
        this.region = region;
    }

    public Future<Reply> create(Request request) {
        var body = LaunchBody.of(request);
        var launch = body.toLaunch(request);
        return mutations.run(request, unit -> contexts.load(unit, launch, body.planId())
                .map(context -> launch(unit, request, launch, context)));
    }

    private Reply launch(UnitOfWork unit, Request request, Launch launch, LaunchContext context) {
        var decision = decide(unit, launch, context);
        if (context.plan() != null) {
            context.plan().requireUnchanged(toPlan(request, context, decision));
        }
        if (decision instanceof ChangeDecision.Refused refused) {
            throw Refusals.toException(refused.refusal());
        }
        var change = ((ChangeDecision.Accepted) decision).change();
        var instance = instances.apply(unit, change);
        var operationId = change.openedOperation().id();
        InstanceAudit.record(unit, request, instance, operationId, null, "create");
        return AppInstanceView.reply(instance, operationId);
    }

    /** Decides on a launch and stores the outcome as a plan, without launching. */
    public Future<Reply> plan(Request request) {
        var launch = LaunchBody.of(request).toLaunch(request);
        return mutations.run(request, unit -> contexts.load(unit, launch, null).compose(context -> findAdapters(context)
                .map(availability -> plan(unit, request, launch, context, availability))));
    }

    private Reply plan(
            UnitOfWork unit,
            Request request,
            Launch launch,
            LaunchContext context,
            @Nullable AdapterAvailability availability) {
        var plan = toPlan(request, context, decide(unit, launch, context));
        var stored = PlanStore.insert(unit, PlanTable.APP_INSTANCES, request.projectId(), plan);
        return Reply.of(PlanView.of(stored, plan, context, availability, unit.now()));
    }

    private ChangeDecision decide(UnitOfWork unit, Launch launch, LaunchContext context) {
        var id = Ids.next();
        var name = new ResourceName(region, context.eligibility().orgId(), launch.projectId(), "app_instance", id);
        return InstanceLifecycle.launch(
                launch,
                context.eligibility(),
                context.manifestSpec(),
                context.config(),
                id,
                name.toString(),
                new DecisionContext(unit.now(), unit.context().correlationId(), Ids::next));
    }

    private static LaunchPlan toPlan(Request request, LaunchContext context, ChangeDecision decision) {
        return decision instanceof ChangeDecision.Accepted accepted
                ? LaunchPlan.of(
                        request.body(),
                        PlannedInstance.of(accepted.change().next(), Objects.requireNonNull(context.manifest())))
                : LaunchPlan.refused(request.body(), Refusals.toProblem(((ChangeDecision.Refused) decision).refusal()));
    }

    private Future<@Nullable AdapterAvailability> findAdapters(LaunchContext context) {
        var version = context.eligibility().version();
        return version == null
                ? Future.succeededFuture()
                : adapters.findAvailability(version.runtimeBackend()).map(found -> found);
    }
}
