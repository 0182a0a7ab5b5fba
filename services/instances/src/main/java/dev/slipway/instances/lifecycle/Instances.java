package dev.slipway.instances.lifecycle;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.authz.Principal;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.contract.ResourceName;
import dev.slipway.instances.appinstance.AdmissionStore;
import dev.slipway.instances.appinstance.AdmissionStore.Admitted;
import dev.slipway.instances.appinstance.AppInstanceJson;
import dev.slipway.instances.appinstance.AppInstanceStore;
import dev.slipway.instances.appinstance.domain.AppInstance;
import dev.slipway.instances.appinstance.domain.AppInstance.Status;
import dev.slipway.instances.appinstance.domain.Decision;
import dev.slipway.instances.appinstance.domain.Decision.Accepted;
import dev.slipway.instances.appinstance.domain.Decision.Refused;
import dev.slipway.instances.appinstance.domain.InstanceLifecycle;
import dev.slipway.instances.appinstance.domain.Launch;
import dev.slipway.instances.operation.OperationStore;
import dev.slipway.instances.operation.OperationStore.Changed;
import dev.slipway.instances.operation.domain.NewOperation;
import dev.slipway.instances.operation.domain.Operation;
import dev.slipway.instances.operation.domain.Operation.Kind;
import dev.slipway.instances.operation.domain.OperationLifecycle;
import dev.slipway.instances.runtime.CommandStore;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.List;
import java.util.UUID;

/** What is done to instances: each change of one with its operation and the command to the adapter, in one transaction. */
public final class Instances {
    private final AppInstanceStore store;
    private final AdmissionStore admissions;
    private final OperationStore operations;
    private final CommandStore commands;
    private final String region;

    public Instances(
            AppInstanceStore store,
            AdmissionStore admissions,
            OperationStore operations,
            CommandStore commands,
            String region) {
        this.store = store;
        this.admissions = admissions;
        this.operations = operations;
        this.commands = commands;
        this.region = region;
    }

    /** An instance that is deleted, or on its way; no operation where there is none any more. */
    record Deleting(AppInstance instance, @Nullable UUID operationId) {}

    Future<Changed> create(UnitOfWork unit, Launch launch) {
        return admissions.admit(unit, launch).compose(admitted -> {
            var admission = admitted.admission();
            var id = Ids.next();
            var name = new ResourceName(region, admission.orgId(), launch.projectId(), "app_instance", id).toString();
            return accepted(InstanceLifecycle.request(launch, admission, id, name, unit.now()))
                    .map(decided -> deploy(unit, decided, admitted));
        });
    }

    /** The row is written as it is after its two events. */
    private Changed deploy(UnitOfWork unit, Accepted decided, Admitted admitted) {
        store.insert(unit, decided.next().noted());
        var instance = store.announce(unit, decided);
        var id = Ids.next();
        var deadline = unit.now().plus(Deadlines.deploy(Json.trusted(admitted.manifest())));
        var command = commands.send(
                unit,
                "runtime.command.deploy",
                of(AppInstanceJson.deploy(instance, admitted.manifest()), id, deadline));
        return operations.accept(
                unit,
                instance,
                NewOperation.of(
                        id,
                        Kind.CREATE,
                        "apps.instance.create",
                        instance.requestedByUserId(),
                        instance.requestedByPrincipalId(),
                        deadline,
                        command));
    }

    Future<Deleting> delete(UnitOfWork unit, UUID projectId, UUID id, Principal by) {
        return store.lock(unit, projectId, id)
                .compose(instance -> operations.openOf(unit, instance).map(open -> delete(unit, instance, open, by)));
    }

    /** A deletion waits for nothing: what is being done to the instance ends here. */
    private Deleting delete(UnitOfWork unit, AppInstance instance, List<Operation> open, Principal by) {
        if (instance.status() == Status.DELETING || instance.status() == Status.DELETED) {
            return new Deleting(
                    instance,
                    open.stream()
                            .filter(operation -> operation.kind() == Kind.DELETE)
                            .map(Operation::id)
                            .findFirst()
                            .orElse(null));
        }
        var superseded = instance;
        for (var operation : open) {
            var ended = OperationLifecycle.supersede(operation, "The instance is being deleted.", unit.now());
            superseded = operations.apply(unit, superseded, operation, ended).instance();
        }
        var deleting = store.announce(unit, (Accepted) InstanceLifecycle.delete(superseded, unit.now()));
        var operationId = Ids.next();
        var deadline = unit.now().plus(Deadlines.delete(Json.object()));
        var command = commands.send(
                unit, "runtime.command.delete", of(AppInstanceJson.command(deleting), operationId, deadline));
        var opened = operations.accept(
                unit,
                deleting,
                NewOperation.of(
                        operationId,
                        Kind.DELETE,
                        "apps.instance.delete",
                        by.responsibleUserId(),
                        by.id(),
                        deadline,
                        command));
        store.keep(unit, opened.instance());
        return new Deleting(opened.instance(), operationId);
    }

    private static ObjectNode of(ObjectNode command, UUID operationId, Instant deadline) {
        return command.put("operation_id", operationId.toString()).put("deadline_at", deadline.toString());
    }

    static Future<Accepted> accepted(Decision decision) {
        if (decision instanceof Refused refused) {
            return Future.failedFuture(
                    Problem.of(ErrorCode.of(refused.code()), refused.message()).asException());
        }
        return Future.succeededFuture((Accepted) decision);
    }
}
