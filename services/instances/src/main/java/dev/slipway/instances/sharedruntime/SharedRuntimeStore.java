package dev.slipway.instances.sharedruntime;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.instances.launch.PlacementJson;
import dev.slipway.instances.member.MemberJson;
import dev.slipway.instances.sharedruntime.domain.Attachment;
import dev.slipway.instances.sharedruntime.domain.LoadedSharedRuntime;
import dev.slipway.instances.sharedruntime.domain.SharedRuntime;
import dev.slipway.instances.sharedruntime.domain.SharedRuntimeChange;
import dev.slipway.instances.sharedruntime.domain.SharedRuntimeChange.OfAttachment;
import dev.slipway.instances.sharedruntime.domain.SharedRuntimeChange.OfOperation;
import dev.slipway.instances.sharedruntime.domain.SharedRuntimeChange.OfRuntime;
import dev.slipway.instances.sharedruntime.domain.SharedRuntimeChange.OfWorker;
import dev.slipway.instances.sharedruntime.domain.Worker;
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

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** The SQL that locks, loads and changes shared runtimes. Every change locks the runtime, and is applied with everything that belongs to it. */
public final class SharedRuntimeStore {
    private static final String LOCK = SharedRuntimeReadStore.FIND + " FOR NO KEY UPDATE OF r";
    private static final String LOCK_IF_FREE = LOCK + " SKIP LOCKED";
    private static final String LIST_WORKERS = SharedRuntimeReadStore.SELECT_WORKERS + """
            AND w.observed_state <> 'removed' ORDER BY w.created_at, w.id
            """;
    private static final String LIST_ATTACHMENTS = SharedRuntimeReadStore.SELECT_ATTACHMENTS + """
            AND t.status <> 'detached' ORDER BY t.created_at, t.id
            """;
    private static final String LIST_APP_INSTANCES = """
            SELECT id FROM app_instances WHERE shared_runtime_id = $1 AND project_id = $2 AND status <> 'deleted' ORDER BY id LIMIT 20
            """;
    private static final String LIST_ATTACHED_RUNTIMES = """
            SELECT shared_runtime_id, org_id FROM shared_runtime_attachments WHERE project_id = $1 AND status <> 'detached'
            ORDER BY shared_runtime_id
            """;
    private static final String INSERT = SharedRuntimeReadStore.COLUMNS.insert();
    private static final String UPDATE_VERSION = SharedRuntimeReadStore.COLUMNS.update(
            List.of("id", "org_id"),
            "app_version_id",
            "config",
            "delete_seconds",
            "reap",
            "previous_version_id",
            "previous_config",
            "registry_versions");
    private static final String INSERT_ATTACHMENT = SharedRuntimeReadStore.ATTACHMENT_COLUMNS.insert();
    private static final String UPDATE_ATTACHMENT =
            SharedRuntimeReadStore.ATTACHMENT_COLUMNS.update("id", "shared_runtime_id", "org_id");
    private static final String INSERT_WORKER = SharedRuntimeReadStore.WORKER_COLUMNS.insert();
    private static final String UPDATE_WORKER =
            SharedRuntimeReadStore.WORKER_COLUMNS.update("id", "shared_runtime_id", "org_id");

    private final SubjectStore subjects;
    private final OperationStore operations;
    private final CommandStore commands;
    private final EventStore events;

    public SharedRuntimeStore(
            SubjectStore subjects, OperationStore operations, CommandStore commands, EventStore events) {
        this.subjects = subjects;
        this.operations = operations;
        this.commands = commands;
        this.events = events;
    }

    /** A runtime that a project is attached to. */
    record AttachedRuntime(UUID orgId, UUID id) {}

    /** Stores a change: all rows, the events under the next sequence numbers, and the commands. Returns the runtime with its new sequence. */
    @CanIgnoreReturnValue
    SharedRuntime apply(UnitOfWork unit, SharedRuntimeChange change) {
        var before = change.before();
        var sequence = before == null ? 0 : before.state().sequence();
        var next = change.next().withSequence(sequence + change.events().size());
        if (before == null) {
            insert(unit, next);
        } else if (!next.equals(before)) {
            update(unit, next, change.changesVersion());
        }
        subjects.updateOperations(unit, change);
        change.updatedAttachments().forEach(attachment -> unit.write(UPDATE_ATTACHMENT, toRow(attachment)));
        change.addedAttachments().forEach(attachment -> unit.insert(INSERT_ATTACHMENT, toRow(attachment)));
        change.updatedWorkers().forEach(worker -> unit.write(UPDATE_WORKER, toRow(worker)));
        change.addedWorkers().forEach(worker -> unit.insert(INSERT_WORKER, toRow(worker)));
        change.commands()
                .forEach(command -> commands.send(
                        unit,
                        command.id(),
                        command.type(),
                        command.runtime().subject(),
                        SharedRuntimeCommandPayload.of(command)));
        subjects.openOperations(unit, next.ref(), change);
        for (var event : change.events()) {
            sequence++;
            append(unit, event, sequence);
        }
        return next;
    }

    private void append(UnitOfWork unit, SharedRuntimeChange.Event event, long sequence) {
        var none = Json.object();
        if (event instanceof OfRuntime of) {
            var payload = SharedRuntimeEventPayload.of(of.state(), of.event(), sequence);
            events.append(unit, of.state().ref(), sequence, SharedRuntimeEventPayload.type(of.event()), payload, none);
        } else if (event instanceof OfOperation of) {
            var ref = of.state().ref();
            events.append(
                    unit,
                    ref,
                    sequence,
                    ref.kind().operationEventType(of.event()),
                    OperationJson.event(of.state().subject().withSequence(sequence), of.operation()),
                    none);
        } else if (event instanceof OfWorker of) {
            var payload = SharedRuntimeEventPayload.of(of.state(), of.worker(), of.operationId(), sequence);
            events.append(unit, of.state().ref(), sequence, SharedRuntimeEventPayload.WORKER_CHANGED, payload, none);
        } else if (event instanceof OfAttachment of) {
            var payload = SharedRuntimeEventPayload.of(of.state(), of.attachment(), sequence);
            events.append(unit, of.state().ref(), sequence, SharedRuntimeEventPayload.type(of.event()), payload, none);
        }
    }

    /** Locks a runtime and loads everything that belongs to it. A runtime of another organization is not found. */
    Future<LoadedSharedRuntime> load(UnitOfWork unit, UUID orgId, UUID id) {
        return lock(unit, LOCK, orgId, id)
                .compose(runtime -> loadParts(unit, runtime, Future.succeededFuture()))
                .map(loaded -> require(loaded, id));
    }

    /** As {@link #load}, with the operation that a command belongs to; null if it belongs to none. */
    Future<LoadedSharedRuntime> loadByCommand(UnitOfWork unit, UUID orgId, UUID id, UUID commandId) {
        return lock(unit, LOCK, orgId, id)
                .compose(runtime -> loadParts(unit, runtime, operations.findByCommand(unit, orgId, id, commandId)))
                .map(loaded -> require(loaded, id));
    }

    /** As {@link #load}, with one operation; fails if the runtime has no such operation. */
    Future<LoadedSharedRuntime> loadByOperation(UnitOfWork unit, UUID orgId, UUID id, UUID operationId) {
        return loadByOperation(unit, LOCK, orgId, id, operationId).map(loaded -> require(loaded, id));
    }

    /** As {@link #loadByOperation}, without waiting for the lock: null if another transaction has it. */
    Future<@Nullable LoadedSharedRuntime> loadIfFree(UnitOfWork unit, UUID orgId, UUID id, UUID operationId) {
        return loadByOperation(unit, LOCK_IF_FREE, orgId, id, operationId);
    }

    private Future<@Nullable LoadedSharedRuntime> loadByOperation(
            UnitOfWork unit, String statement, UUID orgId, UUID id, UUID operationId) {
        return lock(unit, statement, orgId, id)
                .compose(runtime -> runtime == null
                        ? Future.succeededFuture()
                        : loadParts(
                                unit,
                                runtime,
                                operations.find(unit, orgId, id, operationId).map(found -> found)));
    }

    private static Future<@Nullable SharedRuntime> lock(UnitOfWork unit, String statement, UUID orgId, UUID id) {
        return unit.query(statement, Tuple.of(id, orgId))
                .map(rows -> rows.size() == 0
                        ? null
                        : SharedRuntimeReadStore.runtime(rows.iterator().next()));
    }

    /** These statements see what was committed before the lock was acquired. */
    private Future<@Nullable LoadedSharedRuntime> loadParts(
            UnitOfWork unit, @Nullable SharedRuntime runtime, Future<@Nullable Operation> operation) {
        if (runtime == null) {
            return Future.succeededFuture();
        }
        var scope = Tuple.of(runtime.id(), runtime.orgId());
        var open = operations.listOpen(unit, runtime.orgId(), runtime.id());
        var workers = unit.query(LIST_WORKERS, scope).map(SharedRuntimeReadStore::workers);
        var attachments = unit.query(LIST_ATTACHMENTS, scope).map(SharedRuntimeReadStore::attachments);
        return Future.all(operation, open, workers, attachments).map(all -> {
            var found = operation.result();
            return new LoadedSharedRuntime(
                    runtime, found, MemberJson.readInput(found), open.result(), workers.result(), attachments.result());
        });
    }

    /** Returns live app instances of a project that use the runtime; at most 20. */
    Future<List<UUID>> listAppInstances(UnitOfWork unit, UUID runtimeId, UUID projectId) {
        return unit.query(LIST_APP_INSTANCES, Tuple.of(runtimeId, projectId)).map(rows -> {
            var ids = new ArrayList<UUID>(rows.size());
            rows.forEach(row -> ids.add(row.getUUID("id")));
            return ids;
        });
    }

    /** Returns the runtimes that a project is attached to. */
    Future<List<AttachedRuntime>> listAttachedRuntimes(UnitOfWork unit, UUID projectId) {
        return unit.query(LIST_ATTACHED_RUNTIMES, Tuple.of(projectId)).map(rows -> {
            var runtimes = new ArrayList<AttachedRuntime>(rows.size());
            rows.forEach(
                    row -> runtimes.add(new AttachedRuntime(row.getUUID("org_id"), row.getUUID("shared_runtime_id"))));
            return runtimes;
        });
    }

    private static void insert(UnitOfWork unit, SharedRuntime r) {
        var previous = r.previous();
        unit.insert(INSERT, Tuple.from(new @Nullable Object[] {
            r.id(),
            r.resourceName(),
            r.orgId(),
            r.environment(),
            r.app().appId(),
            r.app().versionId(),
            r.displayName(),
            r.status().text(),
            r.requestedByUserId(),
            r.requestedByPrincipalId(),
            r.operatorId(),
            Json.text(PlacementJson.of(r.placement())),
            r.config(),
            AttachmentPolicyJson.text(r.contribution()),
            AttachmentPolicyJson.text(r.submission()),
            r.state().runtimeState(),
            r.state().failureReason(),
            r.generation(),
            r.state().sequence(),
            r.policyVersion(),
            r.lifecycleSettings().registryVersions(),
            r.lifecycleSettings().deleteSeconds(),
            r.lifecycleSettings().reap(),
            previous == null ? null : previous.versionId(),
            previous == null ? null : previous.config(),
            SqlTime.of(r.createdAt()),
            SqlTime.of(r.state().updatedAt()),
            SqlTime.ofNullable(r.state().deletedAt())
        }));
    }

    private void update(UnitOfWork unit, SharedRuntime r, boolean withVersion) {
        var previous = r.previous();
        if (withVersion) {
            unit.write(UPDATE_VERSION, Tuple.from(new @Nullable Object[] {
                r.id(),
                r.orgId(),
                r.app().versionId(),
                r.config(),
                r.lifecycleSettings().deleteSeconds(),
                r.lifecycleSettings().reap(),
                previous == null ? null : previous.versionId(),
                previous == null ? null : previous.config(),
                r.lifecycleSettings().registryVersions()
            }));
        }
        subjects.updateState(unit, r.ref(), r.state());
    }

    private static Tuple toRow(Attachment a) {
        return Tuple.from(new @Nullable Object[] {
            a.id(),
            a.sharedRuntimeId(),
            a.orgId(),
            a.projectId(),
            a.status().text(),
            AttachmentPolicyJson.text(a.contribution()),
            AttachmentPolicyJson.text(a.submission()),
            a.appPolicy(),
            a.billingPolicyRef(),
            a.failureReason(),
            a.revision(),
            SqlTime.of(a.createdAt()),
            SqlTime.of(a.updatedAt()),
            SqlTime.ofNullable(a.detachedAt())
        });
    }

    private static Tuple toRow(Worker w) {
        var m = w.member();
        return Tuple.from(new @Nullable Object[] {
            m.id(),
            m.subject().id(),
            m.subject().orgId(),
            m.component(),
            w.source().text(),
            w.projectId(),
            w.attachmentId(),
            w.allocationRef(),
            w.region(),
            w.sku(),
            m.generation(),
            m.desired().text(),
            m.observed().text(),
            m.componentKey(),
            m.adapterDetail(),
            m.reason(),
            Json.text(m.labels()),
            m.cordoned(),
            SqlTime.of(m.createdAt()),
            SqlTime.of(m.updatedAt())
        });
    }

    private static LoadedSharedRuntime require(@Nullable LoadedSharedRuntime loaded, UUID id) {
        if (loaded == null) {
            throw notFound(id);
        }
        return loaded;
    }

    static RuntimeException notFound(UUID id) {
        return Problem.of(ErrorCode.SHARED_RUNTIME_NOT_FOUND, "There is no shared runtime " + id + " here.")
                .asException();
    }
}
