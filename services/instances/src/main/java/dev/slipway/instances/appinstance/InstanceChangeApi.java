package dev.slipway.instances.appinstance;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.authz.Authorizer;
import dev.slipway.authz.Principal;
import dev.slipway.authz.ResourceScope;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.instances.appinstance.AppInstanceStore.Part;
import dev.slipway.instances.appinstance.domain.AppInstance;
import dev.slipway.instances.appinstance.domain.ChangeDecision;
import dev.slipway.instances.appinstance.domain.DecisionContext;
import dev.slipway.instances.appinstance.domain.InstanceChange;
import dev.slipway.instances.appinstance.domain.InstanceRequests;
import dev.slipway.instances.appinstance.domain.LoadedInstance;
import dev.slipway.instances.launch.CompiledManifest;
import dev.slipway.instances.launch.LaunchBody;
import dev.slipway.instances.launch.LaunchContextStore;
import dev.slipway.instances.launch.PolicyGuard;
import dev.slipway.instances.launch.domain.ConfigSource;
import dev.slipway.instances.launch.domain.Launch;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.operations.OperationJson;
import dev.slipway.operations.Refusals;
import dev.slipway.operations.domain.NewOperation.Requester;
import dev.slipway.operations.domain.Operation;
import dev.slipway.service.AuditTrail.AuditEntry;
import dev.slipway.service.DenialException;
import dev.slipway.service.Mutations;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.time.Clock;
import java.util.Objects;

/** Changes existing instances: upgrade, rollback, cancellation of operations, deletion. */
public final class InstanceChangeApi {
    private final AppInstanceStore instances;
    private final LaunchContextStore contexts;
    private final PolicyGuard policyGuard;
    private final Authorizer authorizer;
    private final Clock clock;
    private final Mutations mutations;

    public InstanceChangeApi(
            AppInstanceStore instances,
            LaunchContextStore contexts,
            PolicyGuard policyGuard,
            Authorizer authorizer,
            Clock clock,
            Mutations mutations) {
        this.instances = instances;
        this.contexts = contexts;
        this.policyGuard = policyGuard;
        this.authorizer = authorizer;
        this.clock = clock;
        this.mutations = mutations;
    }

    /** The body of an upgrade. */
    private record UpgradeBody(String version, @Nullable JsonNode config) {}

    /** The body of requests that may give a reason. */
    private record ReasonBody(@Nullable String reason) {
        static ReasonBody of(Request request) {
            return request.body().isObject() ? Json.toRecord(request.body(), ReasonBody.class) : new ReasonBody(null);
        }
    }

    /** The metadata of a refused cancellation. */
    private record CancelAudit(String operationId) {}

    public Future<Reply> upgrade(Request request) {
        var body = Json.toRecord(request.body(), UpgradeBody.class);
        var config = body.config() == null ? null : LaunchBody.configText(body.config());
        return mutations.run(request, unit -> load(unit, request).compose(loaded -> {
            Refusals.rejectIf(InstanceRequests.checkChangeable(loaded));
            var launch = launch(
                    loaded.instance(),
                    body.version(),
                    config == null ? loaded.instance().config() : config,
                    request.principal());
            return contexts.loadForChange(unit, launch, config == null ? ConfigSource.INSTANCE : ConfigSource.REQUEST)
                    .map(context -> apply(
                            unit,
                            request,
                            InstanceRequests.upgrade(
                                    loaded,
                                    launch,
                                    context.eligibility(),
                                    context.manifestSpec(),
                                    context.config(),
                                    decisionContext(unit)),
                            "upgrade"));
        }));
    }

    public Future<Reply> rollback(Request request) {
        return mutations.run(request, unit -> load(unit, request).compose(loaded -> {
            Refusals.rejectIf(InstanceRequests.checkChangeable(loaded));
            return contexts.loadManifest(unit, loaded.instance().app())
                    .compose(current -> rollback(unit, request, loaded, current));
        }));
    }

    private Future<Reply> rollback(UnitOfWork unit, Request request, LoadedInstance loaded, CompiledManifest current) {
        Refusals.rejectIf(InstanceRequests.checkRollback(loaded.instance(), current.spec()));
        var previous = Objects.requireNonNull(loaded.instance().previous());
        var launch = launch(loaded.instance(), previous.version(), previous.config(), request.principal());
        return contexts.loadForChange(unit, launch, ConfigSource.PREVIOUS)
                .map(context -> apply(
                        unit,
                        request,
                        InstanceRequests.rollback(
                                loaded,
                                launch,
                                context.eligibility(),
                                context.manifestSpec(),
                                current.spec(),
                                decisionContext(unit)),
                        "rollback"));
    }

    /** Cancels an operation; that requires the action that starting it required. */
    public Future<Reply> cancel(Request request) {
        return mutations.run(request, unit -> instances
                .loadByOperation(
                        unit, request.projectId(), request.pathId("app_instance_id"), request.pathId("operation_id"))
                .map(loaded -> {
                    requireAllowed(request, Objects.requireNonNull(loaded.operation()));
                    return cancel(unit, request, loaded);
                }));
    }

    private Reply cancel(UnitOfWork unit, Request request, LoadedInstance loaded) {
        var change = requireAccepted(InstanceRequests.cancel(loaded, decisionContext(unit)));
        var instance = instances.apply(unit, change);
        var operation = change.operationUpdates().isEmpty()
                ? Objects.requireNonNull(loaded.operation())
                : change.operationUpdates().get(0).next();
        return operationReply(unit, request, instance, operation, "cancel");
    }

    public Future<Reply> delete(Request request) {
        return mutations.run(request, unit -> load(unit, request).compose(loaded -> policyGuard
                .requireRemovable(unit, request.projectId())
                .map(ok -> delete(unit, request, loaded))));
    }

    private Reply delete(UnitOfWork unit, Request request, LoadedInstance loaded) {
        var instance = loaded.instance();
        var operationId = InstanceRequests.findDeletion(loaded);
        if (InstanceRequests.isDeletable(instance)) {
            var change = InstanceRequests.delete(loaded, requester(request.principal()), decisionContext(unit));
            instance = instances.apply(unit, change);
            operationId = change.openedOperation().id();
        }
        InstanceAudit.record(unit, request, instance, operationId, null, "delete");
        return AppInstanceView.reply(instance, operationId);
    }

    public Future<Reply> forceDelete(Request request) {
        var reason = Objects.requireNonNull(ReasonBody.of(request).reason());
        return mutations.run(request, unit -> load(unit, request).map(loaded -> {
            var change = requireAccepted(InstanceRequests.forceDelete(loaded, reason, decisionContext(unit)));
            var instance = instances.apply(unit, change);
            InstanceAudit.record(unit, request, instance, null, reason, "force_delete");
            return AppInstanceView.reply(instance, null);
        }));
    }

    private Future<LoadedInstance> load(UnitOfWork unit, Request request) {
        return instances.load(
                unit, request.projectId(), request.pathId("app_instance_id"), Part.OPEN_OPERATIONS, Part.MEMBERS);
    }

    private Reply apply(UnitOfWork unit, Request request, ChangeDecision decision, String verb) {
        var change = requireAccepted(decision);
        var instance = instances.apply(unit, change);
        return operationReply(unit, request, instance, change.openedOperation(), verb);
    }

    private static Reply operationReply(
            UnitOfWork unit, Request request, AppInstance instance, Operation operation, String verb) {
        InstanceAudit.record(
                unit, request, instance, operation.id(), ReasonBody.of(request).reason(), verb);
        return Reply.of(OperationJson.view(operation), instance.ref().path() + "/operations/" + operation.id());
    }

    private void requireAllowed(Request request, Operation operation) {
        var scope = request.effectiveScope(ResourceScope.project(request.projectId()));
        var decision = authorizer.decide(request.principal(), operation.action(), scope, clock.instant());
        if (decision.allowed()) {
            return;
        }
        var problem = decision.toProblem(operation.action());
        if (problem.code() != ErrorCode.INSUFFICIENT_PERMISSIONS) {
            throw problem.asException();
        }
        var entry = new AuditEntry(
                "apps.instance.cancel",
                "app_instance",
                request.path("app_instance_id"),
                request.orgId(),
                request.projectId(),
                Json.toObject(new CancelAudit(request.path("operation_id"))));
        throw new DenialException(request.principal(), entry, problem);
    }

    static InstanceChange requireAccepted(ChangeDecision decision) {
        if (decision instanceof ChangeDecision.Refused refused) {
            throw Refusals.toException(refused.refusal());
        }
        return ((ChangeDecision.Accepted) decision).change();
    }

    static DecisionContext decisionContext(UnitOfWork unit) {
        return new DecisionContext(unit.now(), unit.context().correlationId(), Ids::next);
    }

    static Requester requester(Principal principal) {
        return new Requester(principal.responsibleUserId(), principal.id());
    }

    private static Launch launch(AppInstance instance, String version, String config, Principal by) {
        return instance.toLaunch(version, config, by.responsibleUserId(), by.id());
    }
}
