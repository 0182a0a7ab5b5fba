package dev.slipway.audit.evidence;

import dev.slipway.audit.evidence.EvidenceStore.StoredType;
import dev.slipway.audit.evidence.domain.EvidenceType;
import dev.slipway.audit.evidence.domain.Gate;
import dev.slipway.audit.evidence.domain.GateFamily;
import dev.slipway.audit.evidence.domain.GateRequirement;
import dev.slipway.audit.evidence.domain.GateRequirement.Applicability;
import dev.slipway.audit.evidence.domain.TypeFamilies;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.contract.RegistrySeeds;
import dev.slipway.contract.RegistrySnapshot;
import dev.slipway.contract.domain.RegistryKind;
import dev.slipway.contract.domain.TextEnum;
import dev.slipway.messaging.InboxConsumer.ReceivedEvent;
import dev.slipway.messaging.QueryExecutor;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Map;
import java.util.Objects;

/** The evidence types: the seeds of the registry, and its changes from {@code catalog.state}. */
public final class EvidenceTypes {
    private static final RegistryKind KIND = RegistryKind.EVIDENCE_TYPE;

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
                                    "The evidence type " + id + " is not active. GET /api/v1/admin/registries/"
                                            + KIND.text() + " lists the types.")
                            .asException());
        }

        List<GateRequirement> requirements() {
            return types.stream()
                    .map(EvidenceType::requirement)
                    .filter(Objects::nonNull)
                    .toList();
        }

        List<TypeFamilies> families() {
            return types.stream().map(EvidenceType::families).toList();
        }
    }

    /** The fields of a registry entry. */
    private record TypeBody(
            @Nullable String owner,
            @Nullable List<String> requiredFields,
            @Nullable List<String> results,
            @Nullable List<String> passingResults,
            @Nullable String retentionClass,
            boolean releaseBlocking,
            @Nullable String gate,
            @Nullable String appliesTo,
            @Nullable List<String> requiredSubjects,
            boolean anySubject,
            boolean environmentBound,
            @Nullable GateFamily family,
            @Nullable Map<String, GateFamily> subjectFamilies) {}

    public EvidenceTypes(EvidenceStore store) {
        this.store = store;
    }

    /** Stores the seeds that are not stored yet, so that gates can be evaluated before the registry is replicated. */
    public Future<Void> ensureSeeds(UnitOfWork unit) {
        RegistrySeeds.load().entries().stream()
                .filter(entry -> entry.kind() == KIND)
                .forEach(entry -> store.insertTypeIfMissing(
                        unit, new StoredType(entry.id(), entry.version(), entry.lifecycle(), entry.body())));
        return Future.succeededFuture();
    }

    /** Applies changes of the registry. */
    public Future<Void> apply(UnitOfWork unit, List<ReceivedEvent> events) {
        for (var event : events) {
            var entry = RegistrySnapshot.ofKind(event.envelope(), KIND);
            if (entry != null) {
                store.upsertType(
                        unit, new StoredType(entry.entryId(), entry.entryVersion(), entry.lifecycle(), entry.body()));
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
        var body = Json.toRecord(stored.body(), TypeBody.class);
        return new EvidenceType(
                stored.id(),
                stored.version(),
                stored.lifecycle().isUsable(),
                Objects.requireNonNullElse(body.owner, ""),
                orEmpty(body.requiredFields),
                orEmpty(body.results),
                orEmpty(body.passingResults),
                Objects.requireNonNullElse(body.retentionClass, ""),
                body.releaseBlocking,
                body.gate == null || body.gate.isEmpty() ? null : TextEnum.parse(Gate.class, body.gate),
                TextEnum.parse(Applicability.class, Objects.requireNonNullElse(body.appliesTo, "all")),
                orEmpty(body.requiredSubjects),
                body.anySubject,
                body.environmentBound,
                new TypeFamilies(
                        stored.id(), body.family, body.subjectFamilies == null ? Map.of() : body.subjectFamilies));
    }

    private static List<String> orEmpty(@Nullable List<String> texts) {
        return texts == null ? List.of() : texts;
    }
}
