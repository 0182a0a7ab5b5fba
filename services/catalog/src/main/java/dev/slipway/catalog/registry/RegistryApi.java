package dev.slipway.catalog.registry;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.catalog.registry.RegistryStore.Kept;
import dev.slipway.catalog.registry.RegistryStore.Past;
import dev.slipway.catalog.registry.domain.Lifecycle;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.NameCursor;
import dev.slipway.contract.Problem;
import dev.slipway.contract.Problem.FieldProblem;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.AuditTrail;
import dev.slipway.service.AuditTrail.Entry;
import dev.slipway.service.ETags;
import dev.slipway.service.Mutations;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/** The operations on the registries. */
public final class RegistryApi {
    private static final String ACTION = "registry.write";

    private final RegistryStore store;
    private final RegistryBodies bodies;
    private final Mutations mutations;

    public RegistryApi(RegistryStore store, RegistryBodies bodies, Mutations mutations) {
        this.store = store;
        this.bodies = bodies;
        this.mutations = mutations;
    }

    public Future<Reply> list(Request request) {
        var given = request.query("cursor");
        var after = given == null ? null : NameCursor.decode(given).last();
        var limit = request.limit();
        return store.list(request.path("kind"), request.query("lifecycle"), after, limit + 1)
                .map(found -> {
                    var page = found.size() <= limit ? found : found.subList(0, limit);
                    var body = items(page.stream().map(RegistryApi::json).toList());
                    var last = found.size() <= limit
                            ? null
                            : page.get(limit - 1).entry().id();
                    return Reply.of(body.put("next_cursor", last == null ? null : new NameCursor(last).encode()));
                });
    }

    public Future<Reply> get(Request request) {
        return store.find(request.path("kind"), request.path("entry_id"))
                .map(found -> ETags.tagged(Reply.of(json(require(found, request)))));
    }

    public Future<Reply> versions(Request request) {
        return store.versions(request.path("kind"), request.path("entry_id")).map(found -> {
            if (found.isEmpty()) {
                throw unknown(request);
            }
            return Reply.of(items(found.stream().map(RegistryApi::past).toList()));
        });
    }

    /** A new version: as a draft where there is nothing yet, and as alive as it was where there is. */
    public Future<Reply> put(Request request) {
        var kind = request.path("kind");
        var body = (ObjectNode) request.body().path("body");
        var made = new RegistryEntry(kind, request.path("entry_id"), 1, Lifecycle.DRAFT.text(), body);
        return mutations.run(request, unit -> put(request, unit, made)).map(ETags::tagged);
    }

    private Future<Reply> put(Request request, UnitOfWork unit, RegistryEntry made) {
        var kind = made.kind();
        var body = made.body();
        return store.add(unit, made, 0, Author.of(request.principal()))
                .compose(added -> checked(unit, kind, body).map(added))
                .compose(added -> {
                    if (added) {
                        var now = unit.now().toString();
                        return Future.succeededFuture(done(request, unit, null, new Kept(made, 0, now, now)));
                    }
                    return store.lock(unit, kind, made.id())
                            .compose(found -> revise(request, unit, require(found, request), body));
                });
    }

    private Future<Reply> revise(Request request, UnitOfWork unit, Kept before, ObjectNode body) {
        ETags.require(request, before.entry().version());
        if (before.entry().lifecycle() == Lifecycle.RETIRED) {
            throw Problem.of(ErrorCode.STATE_CONFLICT, "This entry is retired for good. Register another id.")
                    .asException();
        }
        return Future.succeededFuture(
                changed(request, unit, before, before.entry().saying(body)));
    }

    public Future<Reply> move(Request request) {
        var next = Lifecycle.of(request.body().path("lifecycle").asText());
        return mutations
                .run(request, unit -> store.lock(unit, request.path("kind"), request.path("entry_id"))
                        .compose(found -> move(request, unit, require(found, request), next)))
                .map(ETags::tagged);
    }

    private Future<Reply> move(Request request, UnitOfWork unit, Kept before, Lifecycle next) {
        var now = before.entry().lifecycle();
        if (now == next) {
            return Future.succeededFuture(done(request, unit, before, before));
        }
        if (!now.leadsTo(next)) {
            throw Problem.of(
                            ErrorCode.STATE_CONFLICT,
                            "This entry is " + now.text() + " and cannot become " + next.text() + ".")
                    .asException();
        }
        var ready = next == Lifecycle.ACTIVE
                ? checked(unit, before.entry().kind(), before.entry().body())
                : Future.<Void>succeededFuture();
        return ready.map(ok -> changed(request, unit, before, before.entry().in(next)));
    }

    /** The fields of its kind, and no id of an entry that is not active. */
    private Future<Void> checked(UnitOfWork unit, String kind, ObjectNode body) {
        var problems = bodies.faults(kind, "/body", body);
        var chain = Future.<Void>succeededFuture();
        for (var named : RegistryBodies.references(body).entrySet()) {
            var reference = named.getValue();
            chain = chain.compose(ok -> store.active(unit, reference.kind(), List.of(reference.id())))
                    .map(found -> {
                        if (found.isEmpty()) {
                            problems.add(new FieldProblem(
                                    "/body/" + named.getKey(), "is not an active " + reference.kind()));
                        }
                        return null;
                    });
        }
        return chain.map(ok -> {
            if (!problems.isEmpty()) {
                throw Problem.validation(problems).asException();
            }
            return null;
        });
    }

    private Reply changed(Request request, UnitOfWork unit, Kept before, RegistryEntry next) {
        store.update(unit, next, 0, Author.of(request.principal()));
        return done(
                request,
                unit,
                before,
                new Kept(
                        next,
                        before.seedVersion(),
                        before.createdAt(),
                        unit.now().toString()));
    }

    private static Reply done(Request request, UnitOfWork unit, @Nullable Kept before, Kept after) {
        var metadata = Json.object();
        metadata.set("before", before == null ? null : json(before));
        metadata.set("after", json(after));
        var target = after.entry().kind() + ":" + after.entry().id();
        AuditTrail.success(
                unit, request.principal(), new Entry(ACTION, "registry_entry", target, null, null, metadata));
        return Reply.of(json(after));
    }

    private static Kept require(@Nullable Kept found, Request request) {
        if (found == null) {
            throw unknown(request);
        }
        return found;
    }

    private static RuntimeException unknown(Request request) {
        return Problem.of(
                        ErrorCode.NOT_FOUND,
                        "There is no " + request.path("kind") + " " + request.path("entry_id") + ".")
                .asException();
    }

    private static ObjectNode items(List<ObjectNode> each) {
        var body = Json.object();
        body.putArray("items").addAll(new ArrayList<>(each));
        return body;
    }

    private static ObjectNode json(Kept kept) {
        var entry = kept.entry();
        return versioned(Json.object().put("kind", entry.kind()).put("id", entry.id()), entry)
                .put("created_at", kept.createdAt())
                .put("updated_at", kept.updatedAt());
    }

    private static ObjectNode past(Past past) {
        var node = versioned(Json.object(), past.entry());
        var id = past.author().id();
        node.putObject("author")
                .put("actor_type", past.author().type())
                .put("principal_id", id == null ? null : id.toString())
                .put("display_name", past.author().name());
        return node.put("created_at", past.createdAt());
    }

    private static ObjectNode versioned(ObjectNode node, RegistryEntry entry) {
        node.put("version", entry.version()).put("lifecycle", entry.state());
        node.set("body", entry.body());
        return node;
    }
}
