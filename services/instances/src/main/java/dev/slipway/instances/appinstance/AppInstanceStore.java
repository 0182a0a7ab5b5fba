package dev.slipway.instances.appinstance;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.slipway.contract.Json;
import dev.slipway.instances.appinstance.domain.AppInstance;
import dev.slipway.instances.appinstance.domain.InstanceChange;
import dev.slipway.instances.appinstance.domain.InstanceChange.OfInstance;
import dev.slipway.instances.appinstance.domain.InstanceChange.OfMember;
import dev.slipway.instances.appinstance.domain.InstanceChange.OfOperation;
import dev.slipway.instances.appinstance.domain.LoadedInstance;
import dev.slipway.instances.launch.PlacementJson;
import dev.slipway.instances.member.MemberJson;
import dev.slipway.instances.member.domain.Member;
import dev.slipway.instances.spending.domain.BudgetReservation;
import dev.slipway.messaging.SqlTime;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.operations.CommandStore;
import dev.slipway.operations.EventStore;
import dev.slipway.operations.OperationJson;
import dev.slipway.operations.OperationStore;
import dev.slipway.operations.SubjectStore;
import dev.slipway.operations.domain.Operation;
import io.vertx.core.Future;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Set;
import java.util.UUID;

/** The SQL of changes of app instances and their members. Every change locks the instance, and is applied with everything that belongs to it. */
public final class AppInstanceStore {
    private static final String LOCK = AppInstanceReadStore.FIND + " FOR NO KEY UPDATE OF i";
    private static final String LOCK_IF_FREE = LOCK + " SKIP LOCKED";
    private static final String INSERT = AppInstanceReadStore.COLUMNS.insert();
    private static final String UPDATE_VERSION = AppInstanceReadStore.COLUMNS.update(
            List.of("id", "project_id"),
            "app_version_id",
            "config",
            "delete_seconds",
            "reap",
            "previous_version_id",
            "previous_config",
            "registry_versions");

    private static final String INSERT_MEMBERS = """
            INSERT INTO app_instance_members (id, app_instance_id, project_id, component, generation, desired_state, observed_state, labels,
                created_at, updated_at)
            SELECT id, $2, $3, component, 1, 'ready', 'pending', labels::jsonb, $6, $6
            FROM unnest($1::uuid[], $4::text[], $5::text[]) AS added (id, component, labels)
            """;
    private static final String UPDATE_MEMBER = """
            UPDATE app_instance_members SET generation = $4, desired_state = $5, observed_state = $6, component_key = $7,
                adapter_detail = $8::text::jsonb, reason = $9, labels = $10::text::jsonb, cordoned = $11, updated_at = $12
            WHERE id = $1 AND app_instance_id = $2 AND project_id = $3
            """;

    private static final String INSERT_RESERVATION = """
            INSERT INTO budget_reservations (app_instance_id, project_id, per_hour, amount, committed, created_at, expires_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7)
            """;

    private final SubjectStore subjects;
    private final OperationStore operations;
    private final CommandStore commands;
    private final EventStore events;

    public AppInstanceStore(
            SubjectStore subjects, OperationStore operations, CommandStore commands, EventStore events) {
        this.subjects = subjects;
        this.operations = operations;
        this.commands = commands;
        this.events = events;
    }

    /** The data of an instance that a decision needs besides its row. */
    enum Part {
        OPEN_OPERATIONS,
        MEMBERS
    }

    /** The private fields of an operation's event: a change that begins increments the generation. */
    private record InstanceGeneration(int instanceGeneration) {}

    /**
     * Stores a change: all rows, the events under the next sequence numbers, and the commands. Returns the instance with its new sequence.
     */
    @CanIgnoreReturnValue
    AppInstance apply(UnitOfWork unit, InstanceChange change) {
        var before = change.before();
        var sequence = before == null ? 0 : before.state().sequence();
        var next = change.next().withSequence(sequence + change.events().size());
        if (before == null) {
            insert(unit, next);
        } else if (!next.equals(before)) {
            update(unit, next, change.changesVersion());
        }
        var reservation = change.reservation();
        if (reservation != null) {
            insert(unit, next.projectId(), reservation);
        }
        subjects.updateOperations(unit, change);
        change.updatedMembers().forEach(member -> updateMember(unit, member));
        insertMembers(unit, next, change.addedMembers());
        change.commands()
                .forEach(command -> commands.send(
                        unit, command.id(), command.type(), command.instance().subject(), CommandPayload.of(command)));
        subjects.openOperations(unit, next.ref(), change);
        for (var event : change.events()) {
            sequence++;
            append(unit, event, sequence);
        }
        return next;
    }

    private void append(UnitOfWork unit, InstanceChange.Event event, long sequence) {
        if (event instanceof OfInstance of) {
            append(
                    unit,
                    of.state(),
                    sequence,
                    InstanceEventPayload.type(of.event()),
                    InstanceEventPayload.of(of.state(), of.event(), sequence),
                    InstanceEventPayload.privateFields(of.state(), of.event()));
        } else if (event instanceof OfOperation of) {
            append(
                    unit,
                    of.state(),
                    sequence,
                    of.state().ref().kind().operationEventType(of.event()),
                    OperationJson.event(of.state().subject().withSequence(sequence), of.operation()),
                    Json.toObject(new InstanceGeneration(of.state().generation())));
        } else if (event instanceof OfMember of) {
            append(
                    unit,
                    of.state(),
                    sequence,
                    MemberEventPayload.TYPE,
                    MemberEventPayload.of(of.state().subject().withSequence(sequence), of.member(), of.operationId()),
                    Json.object());
        }
    }

    private void append(
            UnitOfWork unit,
            AppInstance instance,
            long sequence,
            String eventType,
            ObjectNode payload,
            ObjectNode privateFields) {
        events.append(unit, instance.ref(), sequence, eventType, payload, privateFields);
    }

    /** Locks an instance and loads parts of it. An instance of another project is not found. */
    Future<LoadedInstance> load(UnitOfWork unit, UUID projectId, UUID id, Part... parts) {
        var instance = lock(unit, LOCK, projectId, id);
        return load(unit, instance, Future.succeededFuture(), projectId, id, parts);
    }

    /** As {@link #load}, with the operation that a command belongs to; null if it belongs to none. */
    Future<LoadedInstance> loadByCommand(UnitOfWork unit, UUID projectId, UUID id, UUID commandId, Part... parts) {
        var instance = lock(unit, LOCK, projectId, id);
        var operation = operations.findByCommand(unit, projectId, id, commandId);
        return load(unit, instance, operation, projectId, id, parts);
    }

    /** In one flight: the statements behind the first run after it has acquired the lock. */
    private Future<LoadedInstance> load(
            UnitOfWork unit,
            Future<@Nullable AppInstance> instance,
            Future<@Nullable Operation> operation,
            UUID projectId,
            UUID id,
            Part... parts) {
        var wanted = Set.of(parts);
        var open = wanted.contains(Part.OPEN_OPERATIONS)
                ? operations.listOpen(unit, projectId, id)
                : Future.succeededFuture(List.<Operation>of());
        var members = wanted.contains(Part.MEMBERS)
                ? listMembers(unit, projectId, id)
                : Future.succeededFuture(List.<Member>of());
        return Future.all(instance, operation, open, members)
                .map(all ->
                        toLoaded(require(instance.result(), id), operation.result(), open.result(), members.result()));
    }

    /** As {@link #load}, with one operation and all parts; fails if the instance has no such operation. */
    Future<LoadedInstance> loadByOperation(UnitOfWork unit, UUID projectId, UUID id, UUID operationId) {
        var instance = lock(unit, LOCK, projectId, id);
        var operation = operations.find(unit, projectId, id, operationId);
        var open = operations.listOpen(unit, projectId, id);
        var members = listMembers(unit, projectId, id);
        return instance.compose(found -> {
            var present = require(found, id);
            return Future.all(operation, open, members)
                    .map(all -> toLoaded(present, operation.result(), open.result(), members.result()));
        });
    }

    /** As {@link #loadByOperation}, without waiting for the lock: null if another transaction has it. */
    Future<@Nullable LoadedInstance> loadIfFree(UnitOfWork unit, UUID projectId, UUID id, UUID operationId) {
        return lock(unit, LOCK_IF_FREE, projectId, id).compose(instance -> {
            if (instance == null) {
                return Future.succeededFuture();
            }
            var operation = operations.find(unit, projectId, id, operationId);
            var open = operations.listOpen(unit, projectId, id);
            var members = listMembers(unit, projectId, id);
            return Future.all(operation, open, members)
                    .map(all -> toLoaded(instance, operation.result(), open.result(), members.result()));
        });
    }

    private static LoadedInstance toLoaded(
            AppInstance instance, @Nullable Operation operation, List<Operation> open, List<Member> members) {
        return new LoadedInstance(instance, operation, MemberJson.readInput(operation), open, members);
    }

    private static Future<@Nullable AppInstance> lock(UnitOfWork unit, String statement, UUID projectId, UUID id) {
        return unit.query(statement, Tuple.of(id, projectId))
                .map(rows -> rows.size() == 0
                        ? null
                        : AppInstanceReadStore.fromRow(rows.iterator().next()));
    }

    private static Future<List<Member>> listMembers(UnitOfWork unit, UUID projectId, UUID instanceId) {
        return unit.query(AppInstanceReadStore.LIST_ALL_MEMBERS, Tuple.of(instanceId, projectId))
                .map(AppInstanceReadStore::membersFromRows);
    }

    private static void insert(UnitOfWork unit, AppInstance i) {
        var previous = i.previous();
        unit.insert(INSERT, Tuple.from(new @Nullable Object[] {
            i.id(),
            i.resourceName(),
            i.orgId(),
            i.projectId(),
            i.app().appId(),
            i.app().versionId(),
            i.displayName(),
            i.operatingMode(),
            i.controlPlaneScope(),
            i.tenantBoundaryMode(),
            i.status().text(),
            i.requestedByUserId(),
            i.requestedByPrincipalId(),
            i.operatorServiceAccountId(),
            i.config(),
            i.state().runtimeState(),
            i.state().failureReason(),
            i.generation(),
            i.state().sequence(),
            SqlTime.of(i.createdAt()),
            SqlTime.of(i.state().updatedAt()),
            SqlTime.ofNullable(i.state().deletedAt()),
            Json.text(PlacementJson.of(i.placement())),
            i.policyVersion(),
            i.lifecycleSettings().deleteSeconds(),
            i.lifecycleSettings().reap(),
            i.lifecycleSettings().registryVersions(),
            previous == null ? null : previous.versionId(),
            previous == null ? null : previous.config(),
            i.sharedRuntimeId()
        }));
    }

    private static void insert(UnitOfWork unit, UUID projectId, BudgetReservation reservation) {
        unit.insert(
                INSERT_RESERVATION,
                Tuple.of(
                        reservation.appInstanceId(),
                        projectId,
                        reservation.perHour(),
                        reservation.amount(),
                        reservation.committed(),
                        SqlTime.of(reservation.createdAt()),
                        SqlTime.of(reservation.expiresAt())));
    }

    private void update(UnitOfWork unit, AppInstance i, boolean withVersion) {
        var previous = i.previous();
        if (withVersion) {
            unit.write(UPDATE_VERSION, Tuple.from(new @Nullable Object[] {
                i.id(),
                i.projectId(),
                i.app().versionId(),
                i.config(),
                i.lifecycleSettings().deleteSeconds(),
                i.lifecycleSettings().reap(),
                previous == null ? null : previous.versionId(),
                previous == null ? null : previous.config(),
                i.lifecycleSettings().registryVersions()
            }));
        }
        subjects.updateState(unit, i.ref(), i.state());
    }

    private static void insertMembers(UnitOfWork unit, AppInstance instance, List<Member> members) {
        if (!members.isEmpty()) {
            unit.insert(INSERT_MEMBERS, Tuple.from(new Object[] {
                members.stream().map(Member::id).toArray(UUID[]::new),
                instance.id(),
                instance.projectId(),
                members.stream().map(Member::component).toArray(String[]::new),
                members.stream().map(member -> Json.text(member.labels())).toArray(String[]::new),
                SqlTime.of(unit.now())
            }));
        }
    }

    private static void updateMember(UnitOfWork unit, Member m) {
        unit.write(UPDATE_MEMBER, Tuple.from(new @Nullable Object[] {
            m.id(),
            m.subject().id(),
            m.subject().ownerId(),
            m.generation(),
            m.desired().text(),
            m.observed().text(),
            m.componentKey(),
            m.adapterDetail(),
            m.reason(),
            Json.text(m.labels()),
            m.cordoned(),
            SqlTime.of(m.updatedAt())
        }));
    }

    private static AppInstance require(@Nullable AppInstance instance, UUID id) {
        if (instance == null) {
            throw AppInstanceReadStore.notFound(id);
        }
        return instance;
    }
}
