package dev.slipway.instances.sharedruntime.domain;

import dev.slipway.instances.appinstance.domain.DecisionContext;
import dev.slipway.operations.domain.NewOperation;
import dev.slipway.operations.domain.Operation;
import dev.slipway.operations.domain.OperationDecision;
import dev.slipway.operations.domain.OperationEvent;
import dev.slipway.operations.domain.OperationLifecycle;
import dev.slipway.operations.domain.OperationUpdate;
import dev.slipway.operations.domain.SubjectChange;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * All changes of one decision to a shared runtime and its parts, for one transaction.
 *
 * @param before the runtime as loaded; null for a creation
 * @param next the runtime after the change; the store assigns its sequence
 * @param events in the order of their sequence numbers
 */
public record SharedRuntimeChange(
        @Nullable SharedRuntime before,
        SharedRuntime next,
        List<Event> events,
        List<Operation> openedOperations,
        List<OperationUpdate> operationUpdates,
        List<Worker> addedWorkers,
        List<Worker> updatedWorkers,
        List<Attachment> addedAttachments,
        List<Attachment> updatedAttachments,
        List<SharedRuntimeCommand> commands,
        @Nullable UUID resendCommandId,
        boolean deletesCommands)
        implements SubjectChange {

    /** An event to append to the runtime's history. */
    public sealed interface Event {}

    /** An event of the runtime; {@code state} is the runtime after it. */
    public record OfRuntime(SharedRuntime state, SharedRuntimeEvent event) implements Event {}

    /** An event of an operation; {@code state} is the runtime at that time. */
    public record OfOperation(SharedRuntime state, Operation operation, OperationEvent event) implements Event {}

    /** A change of a worker, by the operation if there is one. */
    public record OfWorker(
            SharedRuntime state, Worker worker, @Nullable UUID operationId) implements Event {}

    /** An event of an attachment. */
    public record OfAttachment(SharedRuntime state, Attachment attachment, AttachmentEvent event) implements Event {}

    public boolean changesVersion() {
        return before != null && !before.app().equals(next.app());
    }

    /** Collects a change step by step, and keeps the state that the steps lead to. */
    static final class Builder {
        private final @Nullable SharedRuntime before;
        private SharedRuntime current;
        private final Map<UUID, Operation> open = new LinkedHashMap<>();
        private final Map<UUID, Worker> workers = new LinkedHashMap<>();
        private final Map<UUID, Attachment> attachments = new LinkedHashMap<>();
        private final List<Event> events = new ArrayList<>();
        private final List<Operation> opened = new ArrayList<>();
        private final Map<UUID, OperationUpdate> updates = new LinkedHashMap<>();
        private final Map<UUID, Worker> addedWorkers = new LinkedHashMap<>();
        private final Map<UUID, Worker> updatedWorkers = new LinkedHashMap<>();
        private final Map<UUID, Attachment> addedAttachments = new LinkedHashMap<>();
        private final Map<UUID, Attachment> updatedAttachments = new LinkedHashMap<>();
        private final List<SharedRuntimeCommand> commands = new ArrayList<>();
        private @Nullable UUID resendCommandId;
        private boolean deletesCommands;

        private Builder(@Nullable SharedRuntime before, SharedRuntime current) {
            this.before = before;
            this.current = current;
        }

        static Builder of(LoadedSharedRuntime loaded) {
            var builder = new Builder(loaded.runtime(), loaded.runtime());
            loaded.open().forEach(operation -> builder.open.put(operation.id(), operation));
            loaded.workers().forEach(worker -> builder.workers.put(worker.id(), worker));
            loaded.attachments().forEach(attachment -> builder.attachments.put(attachment.id(), attachment));
            return builder;
        }

        static Builder ofNew(SharedRuntime requested) {
            return new Builder(null, requested);
        }

        SharedRuntime current() {
            return current;
        }

        /** Returns the operations that are open after the steps so far. */
        List<Operation> open() {
            return List.copyOf(open.values());
        }

        /** Returns the workers after the steps so far. */
        List<Worker> workers() {
            return List.copyOf(workers.values());
        }

        /** Returns the attachments after the steps so far; those that have been detached by them are included. */
        List<Attachment> attachments() {
            return List.copyOf(attachments.values());
        }

        void apply(RuntimeTransition.Accepted transition) {
            current = transition.next();
            var event = transition.event();
            if (event != null) {
                events.add(new OfRuntime(current, event));
            }
        }

        void open(NewOperation requested, DecisionContext context) {
            var operation = OperationLifecycle.accept(requested, current.ref(), context.correlationId(), context.now());
            opened.add(operation);
            open.put(operation.id(), operation);
            events.add(new OfOperation(current, operation, OperationEvent.ACCEPTED));
        }

        void update(Operation operation, OperationDecision.Accepted decision) {
            var update = OperationUpdate.of(operation, decision);
            if (update.isChange()) {
                updates.put(operation.id(), update);
                if (update.next().status().isEnded()) {
                    open.remove(operation.id());
                } else {
                    open.put(operation.id(), update.next());
                }
            }
            var event = decision.event();
            if (event != null) {
                events.add(new OfOperation(current, decision.next(), event));
            }
        }

        /** Adds the first workers of a deployment, which its command names; they have no events. */
        void provision(List<Worker> added) {
            added.forEach(worker -> {
                addedWorkers.put(worker.id(), worker);
                workers.put(worker.id(), worker);
            });
        }

        void addWorker(Worker worker, UUID operationId) {
            addedWorkers.put(worker.id(), worker);
            workers.put(worker.id(), worker);
            events.add(new OfWorker(current, worker, operationId));
        }

        void updateWorker(Worker worker, Worker next, @Nullable UUID operationId) {
            if (!next.equals(worker)) {
                updatedWorkers.put(next.id(), next);
                workers.put(next.id(), next);
                events.add(new OfWorker(current, next, operationId));
            }
        }

        void addAttachment(Attachment attachment) {
            addedAttachments.put(attachment.id(), attachment);
            attachments.put(attachment.id(), attachment);
            events.add(new OfAttachment(current, attachment, AttachmentEvent.REQUESTED));
        }

        void updateAttachment(Attachment next, AttachmentEvent event) {
            attachments.put(next.id(), next);
            if (addedAttachments.containsKey(next.id())) {
                addedAttachments.put(next.id(), next);
            } else {
                updatedAttachments.put(next.id(), next);
            }
            events.add(new OfAttachment(current, next, event));
        }

        void send(SharedRuntimeCommand command) {
            commands.add(command);
        }

        void resend(UUID commandId) {
            resendCommandId = commandId;
        }

        void deleteCommands() {
            deletesCommands = true;
        }

        SharedRuntimeChange build() {
            return new SharedRuntimeChange(
                    before,
                    current,
                    List.copyOf(events),
                    List.copyOf(opened),
                    List.copyOf(updates.values()),
                    List.copyOf(addedWorkers.values()),
                    List.copyOf(updatedWorkers.values()),
                    List.copyOf(addedAttachments.values()),
                    List.copyOf(updatedAttachments.values()),
                    List.copyOf(commands),
                    resendCommandId,
                    deletesCommands);
        }

        RuntimeDecision accepted() {
            return new RuntimeDecision.Accepted(build());
        }
    }
}
