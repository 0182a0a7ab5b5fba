package dev.slipway.instances.lifecycle;

import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
import dev.slipway.instances.appinstance.AppInstanceJson;
import dev.slipway.instances.appinstance.AppInstanceStore;
import dev.slipway.instances.appinstance.domain.AppInstance;
import dev.slipway.instances.operation.OperationStore;
import dev.slipway.instances.operation.OperationStore.Changed;
import dev.slipway.instances.operation.domain.Operation;
import dev.slipway.instances.operation.domain.Operation.Kind;
import dev.slipway.instances.operation.domain.OperationDecision.Accepted;
import dev.slipway.instances.operation.domain.OperationDecision.Refused;
import dev.slipway.instances.operation.domain.OperationLifecycle;
import dev.slipway.instances.runtime.CommandStore;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;

import java.util.Objects;
import java.util.UUID;
import java.util.function.Consumer;

/**
 * Calling operations off. The adapter is told in any case: a command that nobody has spoken of may still lie on the topic, and whoever
 * reads it there reads behind it that it is not wanted.
 */
public final class Cancellations {
    private final AppInstanceStore store;
    private final OperationStore operations;
    private final CommandStore commands;
    private final MemberIssue members;

    public Cancellations(
            AppInstanceStore store, OperationStore operations, CommandStore commands, MemberIssue members) {
        this.store = store;
        this.operations = operations;
        this.commands = commands;
        this.members = members;
    }

    /** {@code requireAllowed} throws where the caller may not do what the operation needed. */
    Future<Changed> cancel(
            UnitOfWork unit, UUID projectId, UUID instanceId, UUID id, Consumer<Operation> requireAllowed) {
        var locked = store.lock(unit, projectId, instanceId);
        var found = operations.find(unit, projectId, instanceId, id);
        return locked.compose(instance -> found.compose(operation -> {
            requireAllowed.accept(operation);
            return operation.cancelCommandId() == null || operation.status().ended()
                    ? cancel(unit, instance, operation)
                    : Future.succeededFuture(new Changed(instance, operation));
        }));
    }

    private Future<Changed> cancel(UnitOfWork unit, AppInstance instance, Operation operation) {
        var canceled = Objects.requireNonNull(operation.commandId(), "every operation has a command");
        var command = commands.send(
                unit,
                "runtime.command.cancel",
                Launches.part(AppInstanceJson.command(instance), operation.id(), operation.deadlineAt())
                        .put("canceled_command_id", canceled.toString()));
        var decision =
                OperationLifecycle.cancel(operation, command, "Called off before an adapter took it up.", unit.now());
        if (decision instanceof Refused refused) {
            throw Problem.of(ErrorCode.of(refused.code()), refused.message()).asException();
        }
        var changed = operations.apply(unit, instance, operation, (Accepted) decision);
        var over = changed.operation();
        return (over.kind() == Kind.MEMBER && over.status().ended()
                        ? members.settle(unit, changed.instance(), over)
                        : Future.succeededFuture(changed.instance()))
                .map(after -> {
                    store.keep(unit, after);
                    return new Changed(after, over);
                });
    }
}
