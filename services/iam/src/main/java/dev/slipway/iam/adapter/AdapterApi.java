package dev.slipway.iam.adapter;

import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.iam.credential.Credentials;
import dev.slipway.iam.credential.Owner;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.AuditTrail;
import dev.slipway.service.AuditTrail.Entry;
import dev.slipway.service.Mutations;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.UUID;
import java.util.function.Function;

/** The operations on adapters and their credentials. */
public final class AdapterApi {
    private final AdapterStore store;
    private final Credentials credentials;
    private final Mutations mutations;

    public AdapterApi(AdapterStore store, Credentials credentials, Mutations mutations) {
        this.store = store;
        this.credentials = credentials;
        this.mutations = mutations;
    }

    public Future<Reply> create(Request request) {
        var backend = request.body().path("runtime_backend").asText();
        var name = request.body().path("display_name").asText();
        return mutations.run(request, unit -> {
            var responsible = request.principal().responsibleUserId();
            var adapter = new Adapter(Ids.next(), backend, name, responsible, unit.now(), null);
            return store.create(unit, adapter).map(ok -> {
                audit(request, unit, adapter, "create");
                return Reply.of(adapter.json(), "/api/v1/admin/iam/adapters/" + adapter.id());
            });
        });
    }

    public Future<Reply> get(Request request) {
        return store.find(adapterId(request)).map(found -> Reply.of(found.json()));
    }

    public Future<Reply> list(Request request) {
        return store.list().map(all -> {
            var body = Json.object();
            var items = body.putArray("items");
            all.forEach(adapter -> items.add(adapter.json()));
            return Reply.of(body);
        });
    }

    public Future<Reply> disable(Request request) {
        return change(request, "disable", UnitOfWork::now);
    }

    public Future<Reply> enable(Request request) {
        return change(request, "enable", unit -> null);
    }

    public Future<Reply> createCredential(Request request) {
        return credentials.create(request, unit -> lock(request, unit));
    }

    public Future<Reply> listCredentials(Request request) {
        return credentials.list(store.find(adapterId(request)).map(AdapterApi::owner));
    }

    public Future<Reply> revokeCredential(Request request) {
        return credentials.revoke(request, unit -> lock(request, unit));
    }

    private Future<Reply> change(Request request, String verb, Function<UnitOfWork, @Nullable Instant> disabledAt) {
        return mutations.run(request, unit -> store.disabled(unit, adapterId(request), disabledAt.apply(unit))
                .map(changed -> {
                    audit(request, unit, changed, verb);
                    return Reply.of(changed.json());
                }));
    }

    private Future<Owner> lock(Request request, UnitOfWork unit) {
        return store.lock(unit, adapterId(request)).map(AdapterApi::owner);
    }

    private static Owner owner(Adapter adapter) {
        return new Owner(Owner.Kind.ADAPTER, adapter.id(), null, null);
    }

    private static UUID adapterId(Request request) {
        return request.pathId("adapter_id");
    }

    private static void audit(Request request, UnitOfWork unit, Adapter adapter, String verb) {
        var metadata = Json.object().put("runtime_backend", adapter.runtimeBackend());
        AuditTrail.success(
                unit,
                request.principal(),
                new Entry("iam.adapter." + verb, "adapter", adapter.id().toString(), null, null, metadata));
    }
}
