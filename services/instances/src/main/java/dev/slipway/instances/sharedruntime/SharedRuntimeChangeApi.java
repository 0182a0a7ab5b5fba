package dev.slipway.instances.sharedruntime;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.authz.Authorizer;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.instances.launch.CompiledManifest;
import dev.slipway.instances.launch.LaunchBody;
import dev.slipway.instances.launch.LaunchContextStore;
import dev.slipway.instances.launch.PolicyGuard;
import dev.slipway.instances.launch.domain.ConfigSource;
import dev.slipway.instances.sharedruntime.domain.LoadedSharedRuntime;
import dev.slipway.instances.sharedruntime.domain.RuntimeDecision;
import dev.slipway.instances.sharedruntime.domain.SharedRuntimeRequests;
import dev.slipway.instances.sharedruntime.domain.SharedRuntimeRequests.SubmissionRequest;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.operations.Refusals;
import dev.slipway.operations.domain.Operation;
import dev.slipway.service.Mutations;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import org.jspecify.annotations.Nullable;

import java.util.Objects;

/** Upgrades and rolls back shared runtimes, and runs and cancels operations on them, by their owner or by an attached project. */
public final class SharedRuntimeChangeApi {
    private static final String OPERATIONS = "operations";

    private final Vertx vertx;
    private final SharedRuntimeStore runtimes;
    private final SharedRuntimeContextStore contexts;
    private final LaunchContextStore manifests;
    private final PolicyGuard policyGuard;
    private final Authorizer authorizer;
    private final Mutations mutations;

    public SharedRuntimeChangeApi(
            Vertx vertx,
            SharedRuntimeStore runtimes,
            SharedRuntimeContextStore contexts,
            LaunchContextStore manifests,
            PolicyGuard policyGuard,
            Authorizer authorizer,
            Mutations mutations) {
        this.vertx = vertx;
        this.runtimes = runtimes;
        this.contexts = contexts;
        this.manifests = manifests;
        this.policyGuard = policyGuard;
        this.authorizer = authorizer;
        this.mutations = mutations;
    }

    private record UpgradeBody(String version, @Nullable JsonNode config) {}

    private record OperationBody(String operation, @Nullable JsonNode input) {}

    public Future<Reply> upgrade(Request request) {
        var call = SharedRuntimeCall.of(request);
        var body = Json.toRecord(request.body(), UpgradeBody.class);
        var config = body.config() == null ? null : LaunchBody.configText(body.config());
        return mutations.run(request, unit -> load(unit, call).compose(loaded -> {
            Refusals.rejectIf(SharedRuntimeRequests.checkChangeable(loaded));
            var runtime = loaded.runtime();
            return contexts.loadForChange(
                            unit,
                            runtime,
                            body.version(),
                            config == null ? runtime.config() : config,
                            config == null ? ConfigSource.INSTANCE : ConfigSource.REQUEST,
                            request.principal())
                    .map(context -> apply(
                            unit,
                            call,
                            SharedRuntimeRequests.upgrade(
                                    loaded,
                                    body.version(),
                                    context.eligibility(),
                                    context.manifestSpec(),
                                    context.config(),
                                    call.caller(),
                                    SharedRuntimeCall.context(unit)),
                            "apps.shared_runtime.upgrade"));
        }));
    }

    public Future<Reply> rollback(Request request) {
        var call = SharedRuntimeCall.of(request);
        return mutations.run(request, unit -> load(unit, call).compose(loaded -> {
            Refusals.rejectIf(SharedRuntimeRequests.checkChangeable(loaded));
            return manifests
                    .loadManifest(unit, loaded.runtime().app())
                    .compose(current -> rollback(unit, call, loaded, current));
        }));
    }

    private Future<Reply> rollback(
            UnitOfWork unit, SharedRuntimeCall call, LoadedSharedRuntime loaded, CompiledManifest current) {
        Refusals.rejectIf(SharedRuntimeRequests.checkRollback(loaded.runtime(), current.spec()));
        var previous = Objects.requireNonNull(loaded.runtime().previous());
        return contexts.loadForChange(
                        unit,
                        loaded.runtime(),
                        previous.version(),
                        previous.config(),
                        ConfigSource.PREVIOUS,
                        call.request().principal())
                .map(context -> apply(
                        unit,
                        call,
                        SharedRuntimeRequests.rollback(
                                loaded,
                                context.eligibility(),
                                context.manifestSpec(),
                                current.spec(),
                                call.caller(),
                                SharedRuntimeCall.context(unit)),
                        "apps.shared_runtime.rollback"));
    }

    /** Cancels an operation; that requires the action that starting it required. An operation of another project is not found. */
    public Future<Reply> cancel(Request request) {
        var call = SharedRuntimeCall.of(request);
        var operationId = request.pathId("operation_id");
        return mutations.run(request, unit -> load(unit, call)
                .compose(visible -> runtimes.loadByOperation(unit, call.orgId(), call.runtimeId(), operationId))
                .map(loaded -> {
                    var operation = Objects.requireNonNull(loaded.operation());
                    requireVisible(call, operation);
                    call.requireAllowed(authorizer, operation.action(), unit.now());
                    var change = SharedRuntimeCall.requireAccepted(
                            SharedRuntimeRequests.cancel(loaded, SharedRuntimeCall.context(unit)));
                    var runtime = runtimes.apply(unit, change);
                    var next = change.operationUpdates().stream()
                            .map(update -> update.next())
                            .filter(each -> each.id().equals(operationId))
                            .findFirst()
                            .orElse(operation);
                    return call.operationReply(unit, runtime, next, "apps.shared_runtime.cancel", OPERATIONS);
                }));
    }

    private static void requireVisible(SharedRuntimeCall call, Operation operation) {
        var attribution = operation.attribution();
        if (call.projectId() != null
                && (attribution == null || !call.projectId().equals(attribution.projectId()))) {
            throw Problem.of(ErrorCode.OPERATION_NOT_FOUND, "Operation " + operation.id() + " was not found.")
                    .asException();
        }
    }

    /** Runs an operation that the app declares, for the owner or on behalf of an attached project. */
    public Future<Reply> run(Request request) {
        var call = SharedRuntimeCall.of(request);
        var body = Json.toRecord(request.body(), OperationBody.class);
        return mutations.run(request, unit -> load(unit, call).compose(loaded -> manifests
                .loadManifest(unit, loaded.runtime().app())
                .compose(manifest -> run(unit, call, body, loaded, manifest))));
    }

    private Future<Reply> run(
            UnitOfWork unit,
            SharedRuntimeCall call,
            OperationBody body,
            LoadedSharedRuntime loaded,
            CompiledManifest manifest) {
        var declared = manifest.requireOperation(loaded.runtime().app(), body.operation());
        call.requireAllowed(authorizer, declared.action(), unit.now());
        return requireMutable(unit, call)
                .compose(ok -> declared.requireValidInput(vertx, body.input()))
                .map(input -> {
                    var change = SharedRuntimeCall.requireAccepted(SharedRuntimeRequests.submit(
                            loaded,
                            manifest.spec(),
                            call.requireAttachment(loaded),
                            new SubmissionRequest(
                                    body.operation(), declared.action(), declared.deadline(), Json.text(input)),
                            call.caller(),
                            SharedRuntimeCall.context(unit)));
                    var runtime = runtimes.apply(unit, change);
                    return call.operationReply(unit, runtime, change.openedOperation(), declared.action(), OPERATIONS);
                });
    }

    /** A project for which policy disables changes cannot submit work either. */
    private Future<Void> requireMutable(UnitOfWork unit, SharedRuntimeCall call) {
        return call.projectId() == null ? Future.succeededFuture() : policyGuard.requireMutable(unit, call.projectId());
    }

    private Future<LoadedSharedRuntime> load(UnitOfWork unit, SharedRuntimeCall call) {
        return runtimes.load(unit, call.orgId(), call.runtimeId()).map(loaded -> {
            var unused = call.requireAttachment(loaded);
            return loaded;
        });
    }

    private Reply apply(UnitOfWork unit, SharedRuntimeCall call, RuntimeDecision decision, String action) {
        var change = SharedRuntimeCall.requireAccepted(decision);
        var runtime = runtimes.apply(unit, change);
        return call.operationReply(unit, runtime, change.openedOperation(), action, OPERATIONS);
    }
}
