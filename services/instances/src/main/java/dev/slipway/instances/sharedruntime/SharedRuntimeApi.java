package dev.slipway.instances.sharedruntime;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.authz.Authorizer;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.contract.ResourceName;
import dev.slipway.contract.domain.TextEnum;
import dev.slipway.instances.launch.LaunchBody;
import dev.slipway.instances.launch.LaunchContextStore;
import dev.slipway.instances.launch.LaunchPlan;
import dev.slipway.instances.launch.PlacementJson;
import dev.slipway.instances.launch.PlanStore;
import dev.slipway.instances.launch.PlanTable;
import dev.slipway.instances.launch.PlanView;
import dev.slipway.instances.launch.domain.Placement;
import dev.slipway.instances.sharedruntime.SharedRuntimeContextStore.RuntimeContext;
import dev.slipway.instances.sharedruntime.domain.ContributionPolicy;
import dev.slipway.instances.sharedruntime.domain.LoadedSharedRuntime;
import dev.slipway.instances.sharedruntime.domain.RuntimeDecision;
import dev.slipway.instances.sharedruntime.domain.RuntimeRequest;
import dev.slipway.instances.sharedruntime.domain.SharedRuntimeLifecycle;
import dev.slipway.instances.sharedruntime.domain.SharedRuntimeRequests;
import dev.slipway.instances.sharedruntime.domain.SharedRuntimeRequests.RemovalMode;
import dev.slipway.instances.sharedruntime.domain.SubmissionPolicy;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.operations.AdapterStore;
import dev.slipway.operations.Refusals;
import dev.slipway.operations.domain.Operation;
import dev.slipway.operations.domain.OperationBlockers.AdapterAvailability;
import dev.slipway.operations.domain.SubjectKind;
import dev.slipway.service.Mutations;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Objects;
import java.util.UUID;

/** Creates, reads and deletes shared runtimes, for the organization that owns them. */
public final class SharedRuntimeApi {
    private static final String CREATE = "apps.shared_runtime.create";
    private static final String DELETE = "apps.shared_runtime.delete";
    private static final String FORCE_DELETE = "apps.shared_runtime.force_delete";

    private final SharedRuntimeStore runtimes;
    private final SharedRuntimeReadStore reads;
    private final SharedRuntimeContextStore contexts;
    private final LaunchContextStore manifests;
    private final AdapterStore adapters;
    private final Authorizer authorizer;
    private final Mutations mutations;
    private final String region;

    public SharedRuntimeApi(
            SharedRuntimeStore runtimes,
            SharedRuntimeReadStore reads,
            SharedRuntimeContextStore contexts,
            LaunchContextStore manifests,
            AdapterStore adapters,
            Authorizer authorizer,
            Mutations mutations,
            String region) {
        this.runtimes = runtimes;
        this.reads = reads;
        this.contexts = contexts;
        this.manifests = manifests;
        this.adapters = adapters;
        this.authorizer = authorizer;
        this.mutations = mutations;
        this.region = region;
    }

    /** The body of a creation. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    private record CreateBody(
            String appSlug,
            String appVersion,
            String displayName,
            @Nullable String environment,
            @Nullable UUID operatorIdentityRef,
            @Nullable PlacementJson placementIntent,
            @Nullable JsonNode config,
            AttachmentPolicyJson.@Nullable Contribution contributionPolicy,
            AttachmentPolicyJson.@Nullable Submission submissionPolicy,
            @Nullable List<UUID> attachedProjectIds,
            @Nullable UUID planId) {
        RuntimeRequest toRequest(Request request) {
            var principal = request.principal();
            return new RuntimeRequest(
                    request.pathId("org_id"),
                    Objects.requireNonNullElse(environment, "default"),
                    appSlug,
                    appVersion,
                    displayName,
                    operatorIdentityRef,
                    placementIntent == null ? Placement.UNSPECIFIED : placementIntent.toPlacement(),
                    config == null ? "{}" : LaunchBody.configText(config),
                    contributionPolicy == null ? ContributionPolicy.NONE : contributionPolicy.toPolicy(),
                    submissionPolicy == null ? SubmissionPolicy.NONE : submissionPolicy.toPolicy(),
                    attachedProjectIds == null ? List.of() : attachedProjectIds,
                    principal.responsibleUserId(),
                    principal.id(),
                    principal.type().text());
        }
    }

    /** The outcome of an allowed creation. */
    private record AllowedOutcome(
            LaunchPlan.Decision decision,
            UUID appVersionId,
            @Nullable String policyVersion,
            String runtimeBackend,
            PlacementJson placementIntent,
            JsonNode config) {}

    public Future<Reply> create(Request request) {
        var body = Json.toRecord(request.body(), CreateBody.class);
        var wanted = body.toRequest(request);
        return mutations.run(
                request, unit -> contexts.load(unit, wanted).compose(context -> LaunchContextStore.consumePlan(
                                unit, PlanTable.SHARED_RUNTIMES, wanted.orgId(), body.planId())
                        .map(plan -> create(unit, request, decide(unit, wanted, context), plan))));
    }

    private Reply create(UnitOfWork unit, Request request, RuntimeDecision decision, @Nullable LaunchPlan plan) {
        if (plan != null) {
            plan.requireUnchanged(toPlan(request, decision));
        }
        var change = SharedRuntimeCall.requireAccepted(decision);
        var runtime = runtimes.apply(unit, change);
        var operation = change.openedOperation();
        new SharedRuntimeCall(request, runtime.orgId(), runtime.id(), null).audit(unit, runtime, CREATE, operation);
        return SharedRuntimeView.reply(runtime, operation.id());
    }

    /** Decides on a creation and stores the outcome as a plan, without creating anything. */
    public Future<Reply> plan(Request request) {
        var body = Json.toRecord(request.body(), CreateBody.class).toRequest(request);
        return mutations.run(request, unit -> contexts.load(unit, body)
                .compose(context -> findAdapters(context).map(availability -> {
                    var plan = toPlan(request, decide(unit, body, context));
                    var stored = PlanStore.insert(unit, PlanTable.SHARED_RUNTIMES, body.orgId(), plan);
                    return Reply.of(PlanView.ofSharedRuntime(
                            stored, plan, context.policy(), availability, context.spending(), unit.now()));
                })));
    }

    private static LaunchPlan toPlan(Request request, RuntimeDecision decision) {
        if (decision instanceof RuntimeDecision.Refused refused) {
            return LaunchPlan.refused(request.body(), Refusals.toProblem(refused.refusal()));
        }
        var runtime = ((RuntimeDecision.Accepted) decision).change().next();
        return LaunchPlan.of(
                request.body(),
                new AllowedOutcome(
                        LaunchPlan.Decision.ALLOWED,
                        runtime.app().versionId(),
                        runtime.policyVersion(),
                        runtime.app().runtimeBackend(),
                        PlacementJson.of(runtime.placement()),
                        Json.parseStoredObject(runtime.config())));
    }

    private RuntimeDecision decide(UnitOfWork unit, RuntimeRequest body, RuntimeContext context) {
        var id = context.operatorRuntimeId() == null ? Ids.next() : context.operatorRuntimeId();
        var name = new ResourceName(region, body.orgId(), null, SubjectKind.SHARED_RUNTIME.text(), id);
        return SharedRuntimeLifecycle.create(
                body,
                context.eligibility(),
                context.manifestSpec(),
                context.config(),
                context.projects(),
                id,
                name.toString(),
                SharedRuntimeCall.context(unit));
    }

    private Future<@Nullable AdapterAvailability> findAdapters(RuntimeContext context) {
        var version = context.eligibility().version();
        return version == null
                ? Future.succeededFuture()
                : adapters.findAvailability(version.runtimeBackend()).map(found -> found);
    }

    public Future<Reply> list(Request request) {
        return reads.list(request.pathId("org_id"), request.query("status"), request.cursor(), request.limit())
                .map(page -> page.toReply(SharedRuntimeView::summary));
    }

    public Future<Reply> get(Request request) {
        var call = SharedRuntimeCall.of(request);
        return reads.find(call.orgId(), call.runtimeId())
                .compose(runtime -> reads.findOperation(call.orgId(), call.runtimeId())
                        .map(operationId -> Reply.of(SharedRuntimeView.full(runtime, operationId))));
    }

    public Future<Reply> delete(Request request) {
        var call = SharedRuntimeCall.of(request);
        var mode = mode(request);
        return mutations.run(request, unit -> runtimes.load(unit, call.orgId(), call.runtimeId())
                .compose(loaded -> {
                    if (mode == RemovalMode.FORCE) {
                        call.requireAllowed(authorizer, FORCE_DELETE, unit.now());
                    }
                    return manifests
                            .loadManifest(unit, loaded.runtime().app())
                            .map(manifest -> delete(
                                    unit,
                                    call,
                                    loaded,
                                    mode,
                                    SharedRuntimeRequests.delete(
                                            loaded,
                                            mode,
                                            call.caller(),
                                            manifest.spec().deadlines().member(),
                                            SharedRuntimeCall.context(unit))));
                }));
    }

    private Reply delete(
            UnitOfWork unit,
            SharedRuntimeCall call,
            LoadedSharedRuntime loaded,
            RemovalMode mode,
            RuntimeDecision decision) {
        var change = SharedRuntimeCall.requireAccepted(decision);
        var runtime = runtimes.apply(unit, change);
        var operation = change.openedOperations().stream()
                .filter(each -> each.kind() == Operation.Kind.DELETE)
                .findFirst()
                .orElse(null);
        call.audit(unit, runtime, mode == RemovalMode.FORCE ? FORCE_DELETE : DELETE, operation);
        return SharedRuntimeView.reply(
                runtime, operation == null ? SharedRuntimeRequests.findDeletion(loaded) : operation.id());
    }

    static RemovalMode mode(Request request) {
        var mode = request.query("mode");
        return mode == null ? RemovalMode.REFUSE : TextEnum.parse(RemovalMode.class, mode);
    }
}
