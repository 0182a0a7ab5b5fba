package dev.slipway.instances.lifecycle;

import dev.slipway.authz.Principal;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.instances.appinstance.AppInstanceJson;
import dev.slipway.instances.appinstance.AppInstanceStore;
import dev.slipway.instances.appinstance.domain.AppInstance;
import dev.slipway.instances.appinstance.domain.AppInstance.Status;
import dev.slipway.instances.appinstance.domain.InstanceLifecycle;
import dev.slipway.instances.operation.OperationStore;
import dev.slipway.instances.operation.domain.NewOperation;
import dev.slipway.instances.operation.domain.Operation;
import dev.slipway.instances.operation.domain.Operation.Kind;
import dev.slipway.instances.operation.domain.OperationLifecycle;
import dev.slipway.instances.runtime.CommandStore;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.AuditTrail;
import dev.slipway.service.AuditTrail.Entry;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.UUID;

/** How instances end. A deletion needs nothing but the instance's row: neither its version nor its manifest. */
public final class Deletions {
    private final AppInstanceStore store;
    private final OperationStore operations;
    private final CommandStore commands;

    public Deletions(AppInstanceStore store, OperationStore operations, CommandStore commands) {
        this.store = store;
        this.operations = operations;
        this.commands = commands;
    }

    /** An instance that is deleted, or on its way; no operation where there is none any more. */
    record Deleting(AppInstance instance, @Nullable UUID operationId) {}

    Future<Deleting> delete(UnitOfWork unit, UUID projectId, UUID id, Principal by) {
        return store.lock(unit, projectId, id).compose(instance -> operations
                .openOf(unit, instance)
                .map(open -> instance.status() == Status.DELETING || instance.status() == Status.DELETED
                        ? new Deleting(instance, deletion(open))
                        : begin(unit, instance, open, by.responsibleUserId(), by.id())));
    }

    /** What is left of a launch that failed goes by itself, in the name of who launched it. */
    Future<AppInstance> reap(UnitOfWork unit, AppInstance failed) {
        return operations.openOf(unit, failed).map(open -> {
            var begun = begin(unit, failed, open, failed.requestedByUserId(), failed.requestedByPrincipalId());
            var metadata = Json.object().put("operation_id", String.valueOf(begun.operationId));
            AuditTrail.byOther(
                    unit,
                    "system",
                    "instances",
                    null,
                    new Entry(
                            "apps.instance.delete",
                            "app_instance",
                            failed.id().toString(),
                            failed.orgId(),
                            failed.projectId(),
                            metadata),
                    "success",
                    "failure_policy");
            return begun.instance;
        });
    }

    Future<AppInstance> force(UnitOfWork unit, UUID projectId, UUID id, String reason) {
        return store.lock(unit, projectId, id)
                .compose(
                        instance -> operations.openOf(unit, instance).map(open -> force(unit, instance, open, reason)));
    }

    private AppInstance force(UnitOfWork unit, AppInstance instance, List<Operation> open, String reason) {
        var decided = Decisions.accepted(InstanceLifecycle.forceDelete(instance, reason, unit.now()));
        if (decided.events().isEmpty()) {
            return instance;
        }
        var ended = superseded(unit, store.announce(unit, decided), open, "The instance was given up: " + reason);
        commands.forget(unit, instance.id());
        store.keep(unit, ended);
        return ended;
    }

    /** A deletion waits for nothing: what is being done to the instance ends here. */
    private Deleting begin(UnitOfWork unit, AppInstance instance, List<Operation> open, UUID userId, UUID principalId) {
        var superseded = superseded(unit, instance, open, "The instance is being deleted.");
        var deleting = store.announce(unit, Decisions.accepted(InstanceLifecycle.delete(superseded, unit.now())));
        var id = Ids.next();
        var deadline = unit.now().plusSeconds(instance.terms().deleteSeconds());
        var command = commands.send(
                unit, "runtime.command.delete", Launches.part(AppInstanceJson.command(deleting), id, deadline));
        var opened = operations.accept(
                unit,
                deleting,
                NewOperation.of(id, Kind.DELETE, "apps.instance.delete", userId, principalId, deadline, command));
        store.keep(unit, opened.instance());
        return new Deleting(opened.instance(), id);
    }

    private AppInstance superseded(UnitOfWork unit, AppInstance instance, List<Operation> open, String reason) {
        var after = instance;
        for (var operation : open) {
            after = operations
                    .apply(unit, after, operation, OperationLifecycle.supersede(operation, reason, unit.now()))
                    .instance();
        }
        return after;
    }

    private static @Nullable UUID deletion(List<Operation> open) {
        return open.stream()
                .filter(operation -> operation.kind() == Kind.DELETE)
                .map(Operation::id)
                .findFirst()
                .orElse(null);
    }
}
