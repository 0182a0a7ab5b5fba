package dev.slipway.instances.appinstance.domain;

import dev.slipway.instances.member.domain.Member;
import dev.slipway.instances.spending.domain.BudgetReservation;
import dev.slipway.operations.domain.NewOperation;
import dev.slipway.operations.domain.Operation;
import dev.slipway.operations.domain.OperationDecision;
import dev.slipway.operations.domain.OperationEvent;
import dev.slipway.operations.domain.OperationLifecycle;
import dev.slipway.operations.domain.OperationUpdate;
import dev.slipway.operations.domain.SubjectChange;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * All changes of one decision to an instance and its parts, for one transaction.
 *
 * @param before the instance as loaded; null for a launch
 * @param next the instance after the change; the store assigns its sequence
 * @param events in the order of their sequence numbers
 * @param reservation the part of the budget that a launch reserves; null if it reserves none
 */
public record InstanceChange(
        @Nullable AppInstance before,
        AppInstance next,
        List<Event> events,
        List<Operation> openedOperations,
        List<OperationUpdate> operationUpdates,
        List<Member> addedMembers,
        List<Member> updatedMembers,
        List<InstanceCommand> commands,
        @Nullable UUID resendCommandId,
        boolean deletesCommands,
        @Nullable BudgetReservation reservation)
        implements SubjectChange {

    /** An event to append to the instance's history. */
    public sealed interface Event {}

    /** An event of the instance; {@code state} is the instance after it. */
    public record OfInstance(AppInstance state, InstanceEvent event) implements Event {}

    /** An event of an operation; {@code state} is the instance at that time. */
    public record OfOperation(AppInstance state, Operation operation, OperationEvent event) implements Event {}

    /** A change of a member, by the operation if there is one. */
    public record OfMember(
            AppInstance state, Member member, @Nullable UUID operationId) implements Event {}

    public boolean changesVersion() {
        return before != null && !before.app().equals(next.app());
    }

    /** Collects a change step by step. */
    static final class Builder {
        private final @Nullable AppInstance before;
        private AppInstance current;
        private final List<Event> events = new ArrayList<>();
        private final List<Operation> opened = new ArrayList<>();
        private final List<OperationUpdate> updates = new ArrayList<>();
        private final List<Member> addedMembers = new ArrayList<>();
        private final List<Member> updatedMembers = new ArrayList<>();
        private final List<InstanceCommand> commands = new ArrayList<>();
        private @Nullable UUID resendCommandId;
        private boolean deletesCommands;
        private @Nullable BudgetReservation reservation;

        private Builder(@Nullable AppInstance before, AppInstance current) {
            this.before = before;
            this.current = current;
        }

        static Builder of(AppInstance loaded) {
            return new Builder(loaded, loaded);
        }

        static Builder ofNew(AppInstance requested) {
            return new Builder(null, requested);
        }

        AppInstance current() {
            return current;
        }

        void apply(InstanceDecision.Accepted decision) {
            current = decision.next();
            decision.events().forEach(event -> events.add(new OfInstance(current, event)));
        }

        void open(NewOperation requested, DecisionContext context) {
            var operation = OperationLifecycle.accept(requested, current.ref(), context.correlationId(), context.now());
            opened.add(operation);
            events.add(new OfOperation(current, operation, OperationEvent.ACCEPTED));
        }

        void update(Operation operation, OperationDecision.Accepted decision) {
            var update = OperationUpdate.of(operation, decision);
            if (update.isChange()) {
                updates.add(update);
            }
            var event = decision.event();
            if (event != null) {
                events.add(new OfOperation(current, decision.next(), event));
            }
        }

        /** Adds the first members of a deployment, which its command names; they have no events. */
        void addMembers(List<Member> members) {
            addedMembers.addAll(members);
        }

        void addMember(Member member, UUID operationId) {
            addedMembers.add(member);
            events.add(new OfMember(current, member, operationId));
        }

        void updateMember(Member member, Member next, @Nullable UUID operationId) {
            if (!next.equals(member)) {
                updatedMembers.add(next);
                events.add(new OfMember(current, next, operationId));
            }
        }

        void send(InstanceCommand command) {
            commands.add(command);
        }

        void resend(UUID commandId) {
            resendCommandId = commandId;
        }

        void deleteCommands() {
            deletesCommands = true;
        }

        void reserve(@Nullable BudgetReservation reserved) {
            reservation = reserved;
        }

        InstanceChange build() {
            return new InstanceChange(
                    before,
                    current,
                    List.copyOf(events),
                    List.copyOf(opened),
                    List.copyOf(updates),
                    List.copyOf(addedMembers),
                    List.copyOf(updatedMembers),
                    List.copyOf(commands),
                    resendCommandId,
                    deletesCommands,
                    reservation);
        }

        ChangeDecision accepted() {
            return new ChangeDecision.Accepted(build());
        }
    }
}
