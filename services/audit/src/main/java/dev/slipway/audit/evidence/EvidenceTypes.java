package dev.slipway.audit.evidence;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.audit.evidence.EvidenceStore.StoredType;
import dev.slipway.audit.evidence.domain.EvidenceType;
import dev.slipway.audit.evidence.domain.Gate;
import dev.slipway.audit.evidence.domain.GateRequirement;
import dev.slipway.audit.evidence.domain.GateRequirement.Applicability;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
import dev.slipway.contract.RegistrySeeds;
import dev.slipway.messaging.InboxConsumer.ReceivedEvent;
import dev.slipway.messaging.QueryExecutor;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/** The evidence types: the seeds of the registry, and its changes from {@code catalog.state}. */
public final class EvidenceTypes {
    private static final String KIND = "evidence_type";
    private static final Set<String> ACTIVE_STATES = Set.of("active", "deprecated");

    private final EvidenceStore store;

    /** The types at one moment. */
    record TypeSet(List<EvidenceType> types) {
        /** Returns the type, or throws a problem if it is not registered or not active. */
        EvidenceType requireActive(String id) {
            return types.stream()
                    .filter(type -> type.id().equals(id) && type.active())
                    .findFirst()
                    .orElseThrow(() -> Problem.of(
                                    ErrorCode.EVIDENCE_TYPE_INACTIVE,
                                    "The evidence type " + id + " is not active. GET /api/v1/admin/registries/" + KIND
                                            + " lists the types.")
                            .asException());
        }

        List<GateRequirement> requirements() {
            return types.stream()
                    .map(EvidenceType::requirement)
                    .filter(Objects::nonNull)
                    .toList();
        }
    }

    public EvidenceTypes(EvidenceStore store) {
        this.store = store;
    }

    /** Stores the seeds that are not stored yet, so that gates can be evaluated before the registry is replicated. */
    public Future<Void> ensureSeeds(UnitOfWork unit) {
        RegistrySeeds.load().entries().stream()
                .filter(entry -> entry.kind().equals(KIND))
                .forEach(entry -> store.insertTypeIfMissing(
                        unit, new StoredType(entry.id(), entry.version(), entry.lifecycle(), entry.body())));
        return Future.succeededFuture();
    }

    /** Applies changes of the registry. */
    public Future<Void> apply(UnitOfWork unit, List<ReceivedEvent> events) {
        for (var event : events) {
            var payload = event.envelope().payload();
            if (event.envelope().eventType().equals("catalog.registry.snapshot")
                    && payload.path("kind").asText().equals(KIND)
                    && payload.path("body") instanceof ObjectNode body) {
                store.upsertType(
                        unit,
                        new StoredType(
                                payload.path("entry_id").asText(),
                                payload.path("entry_version").asInt(),
                                payload.path("lifecycle").asText(),
                                body));
            }
        }
        return Future.succeededFuture();
    }

    Future<TypeSet> load(QueryExecutor executor) {
        return store.listTypes(executor)
                .map(stored ->
                        new TypeSet(stored.stream().map(EvidenceTypes::toType).toList()));
    }

    static EvidenceType toType(StoredType stored) {
        var body = stored.body();
        var gate = body.path("gate").asText("");
        return new EvidenceType(
                stored.id(),
                stored.version(),
                ACTIVE_STATES.contains(stored.lifecycle()),
                body.path("owner").asText(),
                texts(body.path("required_fields")),
                texts(body.path("results")),
                texts(body.path("passing_results")),
                body.path("retention_class").asText(),
                body.path("release_blocking").asBoolean(),
                gate.isEmpty() ? null : Gate.of(gate),
                Applicability.of(body.path("applies_to").asText("all")),
                texts(body.path("required_subjects")),
                body.path("any_subject").asBoolean(),
                body.path("environment_bound").asBoolean());
    }

    static List<String> texts(JsonNode array) {
        var texts = new ArrayList<String>();
        array.forEach(text -> texts.add(text.asText()));
        return texts;
    }
}
