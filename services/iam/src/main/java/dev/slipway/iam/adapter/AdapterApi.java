package dev.slipway.iam.adapter;

import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.contract.domain.ResourceState;
import dev.slipway.iam.adapter.domain.Adapter;
import dev.slipway.iam.credential.domain.CredentialOwner;
import dev.slipway.iam.revision.domain.Revision;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.AuditTrail;
import dev.slipway.service.AuditTrail.AuditEntry;
import dev.slipway.service.ItemList;
import dev.slipway.service.Mutations;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.UUID;
import java.util.function.Function;

/** The API operations on adapters. */
public final class AdapterApi {
    private final AdapterPrincipalStore store;
    private final Mutations mutations;
    private final Function<UnitOfWork, Future<Revision>> beginRevision;

    private record CreateAdapter(String runtimeBackend, String displayName) {}

    private record AdapterView(
            UUID id,
            String runtimeBackend,
            String displayName,
            ResourceState state,
            Instant createdAt,
            @Nullable Instant disabledAt) {}

    private record AuditMetadata(String runtimeBackend) {}

    public AdapterApi(
            AdapterPrincipalStore store, Mutations mutations, Function<UnitOfWork, Future<Revision>> beginRevision) {
        this.store = store;
        this.mutations = mutations;
        this.beginRevision = beginRevision;
    }

    public Future<Reply> create(Request request) {
        var body = Json.toRecord(request.body(), CreateAdapter.class);
        return mutations.run(request, unit -> requireBackend(unit, body.runtimeBackend())
                .compose(ok -> beginRevision.apply(unit))
                .compose(revision -> create(request, unit, revision, body)));
    }

    private static Future<Void> requireBackend(UnitOfWork unit, String backend) {
        return AdapterPrincipalStore.isBackendActive(unit, backend)
                .compose(active -> active
                        ? Future.succeededFuture()
                        : Future.failedFuture(Problem.validationOf(
                                        ErrorCode.VALIDATION_ERROR,
                                        "/runtime_backend",
                                        backend + " is not an active runtime_backend of the registry")
                                .asException()));
    }

    private static Future<Reply> create(Request request, UnitOfWork unit, Revision revision, CreateAdapter body) {
        var adapter = new Adapter(
                Ids.next(),
                body.runtimeBackend(),
                body.displayName(),
                request.principal().responsibleUserId(),
                unit.now(),
                null);
        return AdapterPrincipalStore.insertIfMissing(unit, revision, adapter).map(ok -> {
            audit(request, unit, adapter, "create");
            return Reply.ofRecord(view(adapter), "/api/v1/admin/iam/adapters/" + adapter.id());
        });
    }

    public Future<Reply> get(Request request) {
        return store.find(adapterId(request)).map(found -> Reply.ofRecord(view(found)));
    }

    public Future<Reply> list(Request request) {
        return store.list().map(adapters -> ItemList.reply(adapters, AdapterApi::view));
    }

    public Future<Reply> disable(Request request) {
        return setDisabledAt(request, "disable", UnitOfWork::now);
    }

    public Future<Reply> enable(Request request) {
        return setDisabledAt(request, "enable", unit -> null);
    }

    public Future<CredentialOwner> findOwner(Request request) {
        return store.find(adapterId(request)).map(Adapter::credentialOwner);
    }

    public Future<CredentialOwner> lockOwner(Request request, UnitOfWork unit) {
        return AdapterPrincipalStore.lock(unit, adapterId(request)).map(Adapter::credentialOwner);
    }

    private Future<Reply> setDisabledAt(
            Request request, String verb, Function<UnitOfWork, @Nullable Instant> disabledAt) {
        return mutations.run(request, unit -> beginRevision.apply(unit).compose(revision -> AdapterPrincipalStore.lock(
                        unit, adapterId(request))
                .map(current -> {
                    var next = current.withDisabledAt(disabledAt.apply(unit));
                    AdapterPrincipalStore.updateDisabled(unit, revision, next);
                    audit(request, unit, next, verb);
                    return Reply.ofRecord(view(next));
                })));
    }

    private static UUID adapterId(Request request) {
        return request.pathId("adapter_id");
    }

    private static void audit(Request request, UnitOfWork unit, Adapter adapter, String verb) {
        var metadata = Json.toObject(new AuditMetadata(adapter.runtimeBackend()));
        AuditTrail.recordSuccess(
                unit,
                request.principal(),
                new AuditEntry("iam.adapter." + verb, "adapter", adapter.id().toString(), null, null, metadata));
    }

    private static AdapterView view(Adapter adapter) {
        return new AdapterView(
                adapter.id(),
                adapter.runtimeBackend(),
                adapter.displayName(),
                adapter.state(),
                adapter.createdAt(),
                adapter.disabledAt());
    }
}
