package dev.slipway.instances.declared;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.authz.Authorizer;
import dev.slipway.authz.Target;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.instances.appinstance.AdmissionStore;
import dev.slipway.instances.appinstance.AdmissionStore.Purpose;
import dev.slipway.instances.appinstance.AppInstanceJson;
import dev.slipway.instances.appinstance.AppInstanceStore;
import dev.slipway.instances.appinstance.domain.AppInstance;
import dev.slipway.instances.appinstance.domain.AppInstance.Status;
import dev.slipway.instances.operation.OperationJson;
import dev.slipway.instances.operation.OperationStore;
import dev.slipway.instances.operation.domain.NewOperation;
import dev.slipway.instances.operation.domain.Operation;
import dev.slipway.instances.operation.domain.Operation.Kind;
import dev.slipway.instances.projection.ManifestStore;
import dev.slipway.instances.runtime.CommandStore;
import dev.slipway.messaging.Outbox;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.AuditTrail;
import dev.slipway.service.AuditTrail.Entry;
import dev.slipway.service.Mutations;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;
import io.vertx.core.Vertx;

import java.nio.charset.StandardCharsets;

/** Runs what apps declare. What each needs is in the manifest of the instance's own version, and decided like the action of any call. */
public final class DeclaredApi {
    private static final int MAX_INPUT_BYTES = 64 * 1024;

    private final Vertx vertx;
    private final AppInstanceStore instances;
    private final OperationStore operations;
    private final CommandStore commands;
    private final ManifestStore manifests;
    private final AdmissionStore admissions;
    private final Authorizer authorizer;
    private final Mutations mutations;
    private final Outbox outbox;

    public DeclaredApi(
            Vertx vertx,
            AppInstanceStore instances,
            OperationStore operations,
            CommandStore commands,
            ManifestStore manifests,
            AdmissionStore admissions,
            Authorizer authorizer,
            Mutations mutations,
            Outbox outbox) {
        this.vertx = vertx;
        this.instances = instances;
        this.operations = operations;
        this.commands = commands;
        this.manifests = manifests;
        this.admissions = admissions;
        this.authorizer = authorizer;
        this.mutations = mutations;
        this.outbox = outbox;
    }

    public Future<Reply> run(Request request) {
        return mutations
                .run(request, unit -> instances
                        .lock(unit, request.projectId(), request.pathId("app_instance_id"))
                        .compose(instance -> manifests
                                .of(unit, instance.app().versionId())
                                .compose(manifest -> run(unit, request, instance, manifest))))
                .recover(failure -> failure instanceof DeniedException denied
                        ? AuditTrail.refuse(outbox, request.cause(), request.principal(), denied.entry, denied.problem)
                        : Future.failedFuture(failure));
    }

    private Future<Reply> run(UnitOfWork unit, Request request, AppInstance instance, JsonNode manifest) {
        var name = request.body().path("operation").asText();
        var declared = DeclaredOperation.find(manifest, name);
        if (declared == null) {
            throw Problem.of(
                            ErrorCode.OPERATION_UNKNOWN,
                            "Version " + instance.app().version() + " of "
                                    + instance.app().slug() + " declares no operation " + name + ".")
                    .asException();
        }
        requireAllowed(unit, request, instance, declared, name);
        if (instance.status() != Status.RUNNING) {
            throw Problem.of(
                            ErrorCode.INSTANCE_STATE_CONFLICT,
                            "Operations are run on running instances; this one is "
                                    + instance.status().text() + ".")
                    .asException();
        }
        return admissions
                .requireMutable(unit, request.projectId(), Purpose.CHANGE)
                .compose(ok -> checked(input(request.body()), declared))
                .compose(input -> open(unit, request, instance, declared, name, input))
                .map(operation -> accepted(request, unit, operation));
    }

    private void requireAllowed(
            UnitOfWork unit, Request request, AppInstance instance, DeclaredOperation declared, String name) {
        var place = request.reached(Target.project(request.projectId()));
        var decision = authorizer.decide(request.principal(), declared.action(), place, unit.now());
        if (!decision.allowed()) {
            var metadata = Json.object()
                    .put("verdict", decision.verdict().text())
                    .put("operation", name)
                    .put("app_instance_id", instance.id().toString());
            var entry = Entry.ofPlace(declared.action(), instance.orgId(), instance.projectId(), metadata);
            throw new DeniedException(entry, decision.problem(declared.action()));
        }
    }

    private static ObjectNode input(JsonNode body) {
        var input = body.path("input").isObject() ? (ObjectNode) body.path("input") : Json.object();
        if (Json.text(input).getBytes(StandardCharsets.UTF_8).length > MAX_INPUT_BYTES) {
            throw Problem.validationOf(ErrorCode.VALIDATION_ERROR, "/input", "is larger than 64 KiB")
                    .asException();
        }
        return input;
    }

    /** Away from the event loop: somebody else wrote the schema, and its patterns. */
    private Future<ObjectNode> checked(ObjectNode input, DeclaredOperation declared) {
        return vertx.executeBlocking(() -> declared.inputProblems(input))
                .compose(problems -> problems.isEmpty()
                        ? Future.succeededFuture(input)
                        : Future.failedFuture(Problem.validationOf(ErrorCode.OPERATION_INPUT_INVALID, problems)
                                .asException()));
    }

    private Future<Operation> open(
            UnitOfWork unit,
            Request request,
            AppInstance instance,
            DeclaredOperation declared,
            String name,
            ObjectNode input) {
        var id = Ids.next();
        var deadline = unit.now().plus(declared.deadline());
        var command = AppInstanceJson.command(instance)
                .put("operation_id", id.toString())
                .put("deadline_at", deadline.toString())
                .put("operation", name);
        command.set("input", input);
        var opened = new NewOperation(
                id,
                Kind.DECLARED,
                name,
                declared.action(),
                request.principal().responsibleUserId(),
                request.principal().id(),
                deadline,
                commands.send(unit, "runtime.command.operate", command),
                Json.text(input),
                null,
                null,
                null);
        return operations.open(unit, instance, opened).map(changed -> {
            instances.keep(unit, changed.instance());
            return changed.operation();
        });
    }

    private static Reply accepted(Request request, UnitOfWork unit, Operation operation) {
        var metadata = Json.object()
                .put("operation", operation.name())
                .put("operation_id", operation.id().toString());
        AuditTrail.success(
                unit,
                request.principal(),
                new Entry(
                        operation.action(),
                        "app_instance",
                        operation.appInstanceId().toString(),
                        operation.orgId(),
                        operation.projectId(),
                        metadata));
        return Reply.of(
                OperationJson.full(operation),
                "/api/v1/projects/" + operation.projectId() + "/app-instances/" + operation.appInstanceId()
                        + "/operations/" + operation.id());
    }

    /** Ends the transaction; the refusal is put on record in one of its own. */
    private static final class DeniedException extends RuntimeException {
        private final transient Entry entry;
        private final transient Problem problem;

        DeniedException(Entry entry, Problem problem) {
            super(problem.message(), null, false, false);
            this.entry = entry;
            this.problem = problem;
        }
    }
}
