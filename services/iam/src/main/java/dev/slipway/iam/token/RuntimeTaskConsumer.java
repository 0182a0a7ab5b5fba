package dev.slipway.iam.token;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import dev.slipway.contract.Envelope;
import dev.slipway.contract.Json;
import dev.slipway.iam.token.domain.TaskTransition;
import dev.slipway.iam.token.domain.TaskTransition.OperationState;
import dev.slipway.messaging.InboxConsumer.ReceivedEvent;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Objects;
import java.util.UUID;

/**
 * Maintains the read model of instances, shared runtimes and their commands to adapters, from the events of the instances service. Events of one of them
 * arrive in order, possibly more than once.
 */
public final class RuntimeTaskConsumer {
    private RuntimeTaskConsumer() {}

    /** The payload of {@code apps.instance.requested}, as far as it is used here. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    record InstanceRequested(
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

        OperationState state() {
            return new OperationState(kind, status, commandId, cancelCommandId);
        }
    }

    public static Future<Void> apply(UnitOfWork unit, List<ReceivedEvent> events) {
        events.forEach(received -> apply(unit, received.envelope()));
        return Future.succeededFuture();
    }

    private static void apply(UnitOfWork unit, Envelope event) {
        var type = event.eventType();
        if (type.equals("apps.instance.requested")) {
            RuntimeTaskStore.insertLaunch(unit, Json.toRecord(event.payload(), InstanceRequested.class));
        } else if (type.startsWith("apps.instance_operation.") || type.startsWith("apps.shared_runtime.operation.")) {
            var changed = Json.toRecord(event.payload(), OperationChanged.class);
            RuntimeTaskStore.apply(
                    unit,
                    changed.subjectId(),
                    changed.sequence,
                    TaskTransition.of(changed.state()),
                    event.occurredAt());
        } else if (type.equals("apps.instance.deleted") || type.equals("apps.instance.force_deleted")) {
            endAll(unit, event, "app_instance_id");
        } else if (type.equals("apps.shared_runtime.deleted")) {
            endAll(unit, event, "shared_runtime_id");
        }
    }

    private static void endAll(UnitOfWork unit, Envelope event, String idField) {
        var subjectId = UUID.fromString(event.payload().path(idField).asText());
        RuntimeTaskStore.endAll(unit, subjectId, event.occurredAt());
    }
}
