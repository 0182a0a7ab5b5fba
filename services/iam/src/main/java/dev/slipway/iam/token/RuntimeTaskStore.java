package dev.slipway.iam.token;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import dev.slipway.contract.Envelope;
import dev.slipway.contract.Json;
import dev.slipway.messaging.InboxConsumer.ReceivedEvent;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;

/**
 * Maintains the read model of instances, shared runtimes and their commands to adapters, from the events of the instances service. Events of one of them
 * arrive in order, possibly more than once.
 */
public final class RuntimeTaskStore {
    private static final Set<String> STARTS_GENERATION = Set.of("create", "upgrade", "rollback", "delete");
    private static final Set<String> ENDED = Set.of("succeeded", "failed", "canceled");

    private static final String INSERT_LAUNCH = """
            INSERT INTO instance_operators (app_instance_id, org_id, project_id, operator_service_account_id, runtime_backend, commands_known)
            VALUES ($1, $2, $3, $4, $5, true) ON CONFLICT DO NOTHING
            """;
    private static final String INSERT_TASK = """
            INSERT INTO runtime_tasks (command_id, subject_id, starts_generation, sequence) VALUES ($1, $2, $3, $4)
            ON CONFLICT DO NOTHING
            """;
    private static final String MARK_COMMANDS_REPLICATED =
            "UPDATE instance_operators SET commands_known = true WHERE app_instance_id = $1 AND NOT commands_known";
    private static final String END = """
            UPDATE runtime_tasks SET ended_at = $3 WHERE command_id = $1 AND subject_id = $2 AND ended_at IS NULL
            """;
    /** The sequence protects a later command from an event that arrives again. */
    private static final String END_GENERATION = """
            UPDATE runtime_tasks SET ended_at = $3
            WHERE subject_id = $1 AND starts_generation AND sequence < $2 AND ended_at IS NULL
            """;

    private static final String END_ALL =
            "UPDATE runtime_tasks SET ended_at = $2 WHERE subject_id = $1 AND ended_at IS NULL";

    /** The payload of {@code apps.instance.requested}, as far as it is used here. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    private record InstanceRequested(
            UUID appInstanceId, UUID orgId, UUID projectId, UUID operatorServiceAccountId, String runtimeBackend) {}

    /** The payload of an operation's event, as far as it is used here. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    private record OperationChanged(
            @Nullable UUID appInstanceId,
            @Nullable UUID sharedRuntimeId,
            String kind,
            String status,
            long sequence,
            @Nullable UUID commandId,
            @Nullable UUID cancelCommandId) {
        UUID subjectId() {
            return Objects.requireNonNull(appInstanceId == null ? sharedRuntimeId : appInstanceId);
        }

        boolean startsGeneration() {
            return STARTS_GENERATION.contains(kind);
        }

        /** A command that started a generation stays open for later reports, until the next generation or the end of a deletion. */
        boolean endsCommand() {
            return startsGeneration() ? kind.equals("delete") && status.equals("succeeded") : ENDED.contains(status);
        }
    }

    public Future<Void> apply(UnitOfWork unit, List<ReceivedEvent> events) {
        for (var received : events) {
            var event = received.envelope();
            var type = event.eventType();
            if (type.equals("apps.instance.requested")) {
                insertLaunch(unit, Json.toRecord(event.payload(), InstanceRequested.class));
            } else if (type.startsWith("apps.instance_operation.")
                    || type.startsWith("apps.shared_runtime.operation.")) {
                apply(unit, event, Json.toRecord(event.payload(), OperationChanged.class));
            } else if (type.equals("apps.instance.deleted") || type.equals("apps.instance.force_deleted")) {
                endAll(unit, event, "app_instance_id");
            } else if (type.equals("apps.shared_runtime.deleted")) {
                endAll(unit, event, "shared_runtime_id");
            }
        }
        return Future.succeededFuture();
    }

    private static void endAll(UnitOfWork unit, Envelope event, String idField) {
        var subjectId = UUID.fromString(event.payload().path(idField).asText());
        unit.write(END_ALL, Tuple.of(subjectId, occurredAt(event)));
    }

    private static void insertLaunch(UnitOfWork unit, InstanceRequested launch) {
        unit.write(
                INSERT_LAUNCH,
                Tuple.of(
                        launch.appInstanceId,
                        launch.orgId,
                        launch.projectId,
                        launch.operatorServiceAccountId,
                        launch.runtimeBackend));
    }

    private static void apply(UnitOfWork unit, Envelope event, OperationChanged changed) {
        var subjectId = changed.subjectId();
        var commandId = changed.commandId;
        if (commandId != null && changed.status.equals("accepted")) {
            unit.write(INSERT_TASK, Tuple.of(commandId, subjectId, changed.startsGeneration(), changed.sequence));
            if (changed.startsGeneration() && !changed.kind.equals("create")) {
                unit.write(END_GENERATION, Tuple.of(subjectId, changed.sequence, occurredAt(event)));
                unit.write(MARK_COMMANDS_REPLICATED, Tuple.of(subjectId));
            }
        }
        if (commandId != null && changed.endsCommand()) {
            unit.write(END, Tuple.of(commandId, subjectId, occurredAt(event)));
        }
        var cancelCommandId = changed.cancelCommandId;
        if (cancelCommandId != null) {
            unit.write(INSERT_TASK, Tuple.of(cancelCommandId, subjectId, false, changed.sequence));
            if (ENDED.contains(changed.status)) {
                unit.write(END, Tuple.of(cancelCommandId, subjectId, occurredAt(event)));
            }
        }
    }

    private static OffsetDateTime occurredAt(Envelope event) {
        return event.occurredAt().atOffset(ZoneOffset.UTC);
    }
}
