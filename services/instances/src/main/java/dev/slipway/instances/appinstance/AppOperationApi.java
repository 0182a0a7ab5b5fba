package dev.slipway.instances.appinstance;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.authz.Authorizer;
import dev.slipway.authz.ResourceScope;
import dev.slipway.contract.Json;
import dev.slipway.instances.appinstance.domain.AppInstance;
import dev.slipway.instances.appinstance.domain.InstanceRequests;
import dev.slipway.instances.appinstance.domain.InstanceRequests.AppOperationRequest;
import dev.slipway.instances.launch.CompiledManifest;
import dev.slipway.instances.launch.DeclaredOperation;
import dev.slipway.instances.launch.LaunchContextStore;
import dev.slipway.instances.launch.PolicyGuard;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.operations.OperationJson;
import dev.slipway.operations.Refusals;
import dev.slipway.operations.domain.Operation;
import dev.slipway.service.AuditTrail.AuditEntry;
import dev.slipway.service.DenialException;
import dev.slipway.service.Mutations;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import org.jspecify.annotations.Nullable;

import java.util.UUID;

/** Runs the operations that apps declare; the manifest of the instance's version says which action each requires. */
public final class AppOperationApi {
    private final Vertx vertx;
    private final AppInstanceStore instances;
    private final LaunchContextStore contexts;
    private final PolicyGuard policyGuard;
    private final Authorizer authorizer;
    private final Mutations mutations;

    public AppOperationApi(
            Vertx vertx,
            AppInstanceStore instances,
            LaunchContextStore contexts,
            PolicyGuard policyGuard,
            Authorizer authorizer,
            Mutations mutations) {
        this.vertx = vertx;
        this.instances = instances;
        this.contexts = contexts;
        this.policyGuard = policyGuard;
        this.authorizer = authorizer;
        this.mutations = mutations;
    }

    /** The body of a declared operation. */
    private record OperationBody(String operation, @Nullable JsonNode input) {}

    /** The metadata of an operation's audit entry. */
    private record OperationAudit(String operation, UUID operationId) {}

    /** The metadata of a denied operation's audit entry. */
    private record DenialAudit(String verdict, String operation, UUID appInstanceId) {}

    public Future<Reply> run(Request request) {
        var body = Json.toRecord(request.body(), OperationBody.class);
        return mutations.run(request, unit -> instances
                .load(unit, request.projectId(), request.pathId("app_instance_id"))
                .compose(loaded -> contexts.loadManifest(unit, loaded.instance().app())
                        .compose(manifest -> run(unit, request, body, loaded.instance(), manifest))));
    }

    private Future<Reply> run(
            UnitOfWork unit, Request request, OperationBody body, AppInstance instance, CompiledManifest manifest) {
        var name = body.operation();
        var declared = manifest.requireOperation(instance.app(), name);
        requireAllowed(unit, request, instance, declared, name);
        Refusals.rejectIf(InstanceRequests.checkRunning(instance));
        return policyGuard
                .requireMutable(unit, request.projectId())
                .compose(ok -> declared.requireValidInput(vertx, body.input()))
                .map(input -> {
                    var change = InstanceRequests.runAppOperation(
                            instance,
                            new AppOperationRequest(name, declared.action(), declared.deadline(), Json.text(input)),
                            InstanceChangeApi.requester(request.principal()),
                            InstanceChangeApi.decisionContext(unit));
                    instances.apply(unit, change);
                    return operationReply(unit, request, change.openedOperation());
                });
    }

    private void requireAllowed(
            UnitOfWork unit, Request request, AppInstance instance, DeclaredOperation declared, String name) {
        var scope = request.effectiveScope(ResourceScope.project(request.projectId()));
        var decision = authorizer.decide(request.principal(), declared.action(), scope, unit.now());
        if (!decision.allowed()) {
            var metadata = Json.toObject(new DenialAudit(decision.verdict().text(), name, instance.id()));
            var entry = AuditEntry.ofScope(declared.action(), instance.orgId(), instance.projectId(), metadata);
            throw new DenialException(request.principal(), entry, decision.toProblem(declared.action()));
        }
    }

    private static Reply operationReply(UnitOfWork unit, Request request, Operation operation) {
        InstanceAudit.recordOperation(unit, request, operation, new OperationAudit(operation.name(), operation.id()));
        return Reply.of(OperationJson.view(operation), operation.subject().path() + "/operations/" + operation.id());
    }
}
