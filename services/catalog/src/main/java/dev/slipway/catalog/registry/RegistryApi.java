package dev.slipway.catalog.registry;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.catalog.registry.RegistryJson.AuditMetadata;
import dev.slipway.catalog.registry.RegistryJson.EntryPage;
import dev.slipway.catalog.registry.RegistryJson.EntryResponse;
import dev.slipway.catalog.registry.RegistryJson.PutRequest;
import dev.slipway.catalog.registry.RegistryJson.TransitionRequest;
import dev.slipway.catalog.registry.RegistryJson.VersionList;
import dev.slipway.catalog.registry.RegistryJson.VersionResponse;
import dev.slipway.catalog.registry.RegistryStore.StoredEntry;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.NameCursor;
import dev.slipway.contract.Problem;
import dev.slipway.contract.Problem.FieldProblem;
import dev.slipway.contract.domain.RegistryKind;
import dev.slipway.contract.domain.RegistryLifecycle;
import dev.slipway.contract.domain.TextEnum;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.AuditTrail;
import dev.slipway.service.AuditTrail.AuditEntry;
import dev.slipway.service.ETags;
import dev.slipway.service.Mutations;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.util.List;

/** API operations on registries. */
public final class RegistryApi {
    private static final String ACTION = "registry.write";

    private final RegistryStore store;
    private final RegistryBodyValidator bodies;
    private final Mutations mutations;

    public RegistryApi(RegistryStore store, RegistryBodyValidator bodies, Mutations mutations) {
        this.store = store;
        this.bodies = bodies;
        this.mutations = mutations;
    }

    public Future<Reply> list(Request request) {
        var cursor = request.query("cursor");
        var afterId = cursor == null ? null : NameCursor.decode(cursor).last();
        var limit = request.limit();
        return store.list(kind(request), request.query("lifecycle"), afterId, limit + 1)
                .map(found -> {
                    var hasMore = found.size() > limit;
                    var items = (hasMore ? found.subList(0, limit) : found)
                            .stream().map(EntryResponse::of).toList();
                    var next = hasMore
                            ? new NameCursor(found.get(limit - 1).entry().id()).encode()
                            : null;
                    return Reply.ofRecord(new EntryPage(items, next));
                });
    }

    public Future<Reply> get(Request request) {
        return store.find(kind(request), request.path("entry_id"))
                .map(found -> ETags.withETag(reply(require(found, request))));
    }

    public Future<Reply> listVersions(Request request) {
        return store.listVersions(kind(request), request.path("entry_id")).map(versions -> {
            if (versions.isEmpty()) {
                throw notFound(request);
            }
            var items = versions.stream().map(VersionResponse::of).toList();
            return Reply.ofRecord(new VersionList(items));
        });
    }

    /** Creates a draft, or adds a version in the same lifecycle state. */
    public Future<Reply> put(Request request) {
        var body = Json.toRecord(request.body(), PutRequest.class).body();
        var draft = new RegistryEntry(kind(request), request.path("entry_id"), 1, RegistryLifecycle.DRAFT, body);
        return mutations.run(request, unit -> put(request, unit, draft)).map(ETags::withETag);
    }

    private Future<Reply> put(Request request, UnitOfWork unit, RegistryEntry draft) {
        return store.insert(unit, draft, 0, RegistryAuthor.of(request.principal()))
                .compose(inserted ->
                        requireValidBody(unit, draft.kind(), draft.body()).map(inserted))
                .compose(inserted -> inserted
                        ? Future.succeededFuture(
                                auditAndReply(request, unit, null, new StoredEntry(draft, 0, unit.now(), unit.now())))
                        : store.lock(unit, draft.kind(), draft.id())
                                .map(found -> addVersion(request, unit, require(found, request), draft.body())));
    }

    private Reply addVersion(Request request, UnitOfWork unit, StoredEntry before, ObjectNode body) {
        ETags.requireMatch(request, before.entry().version());
        if (before.entry().lifecycle() == RegistryLifecycle.RETIRED) {
            throw Problem.of(
                            ErrorCode.STATE_CONFLICT,
                            "This entry is retired and cannot be changed. Create an entry with another id.")
                    .asException();
        }
        return saveVersion(request, unit, before, before.entry().withBody(body));
    }

    public Future<Reply> transition(Request request) {
        var next = TextEnum.parse(
                RegistryLifecycle.class,
                Json.toRecord(request.body(), TransitionRequest.class).lifecycle());
        return mutations
                .run(request, unit -> store.lock(unit, kind(request), request.path("entry_id"))
                        .compose(found -> transition(request, unit, require(found, request), next)))
                .map(ETags::withETag);
    }

    private Future<Reply> transition(Request request, UnitOfWork unit, StoredEntry before, RegistryLifecycle next) {
        var current = before.entry().lifecycle();
        if (current == next) {
            return Future.succeededFuture(auditAndReply(request, unit, before, before));
        }
        if (!current.canTransitionTo(next)) {
            throw Problem.of(
                            ErrorCode.STATE_CONFLICT,
                            "This entry is " + current.text() + " and cannot become " + next.text() + ".")
                    .asException();
        }
        var valid = next == RegistryLifecycle.ACTIVE
                ? requireValidBody(unit, before.entry().kind(), before.entry().body())
                : Future.<Void>succeededFuture();
        return valid.map(ok -> saveVersion(request, unit, before, before.entry().withLifecycle(next)));
    }

    /** Fails unless the body matches the schema of its kind and references active entries only. */
    private Future<Void> requireValidBody(UnitOfWork unit, RegistryKind kind, ObjectNode body) {
        var problems = bodies.validate(kind, "/body", body);
        var chain = Future.<Void>succeededFuture();
        for (var field : RegistryBodyValidator.references(body).entrySet()) {
            var reference = field.getValue();
            chain = chain.compose(ok -> store.findActive(unit, reference.kind(), List.of(reference.id())))
                    .map(found -> {
                        if (found.isEmpty()) {
                            problems.add(new FieldProblem(
                                    "/body/" + field.getKey(),
                                    "is not an active " + reference.kind().text()));
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

    private Reply saveVersion(Request request, UnitOfWork unit, StoredEntry before, RegistryEntry next) {
        store.update(unit, next, 0, RegistryAuthor.of(request.principal()));
        return auditAndReply(
                request, unit, before, new StoredEntry(next, before.seedVersion(), before.createdAt(), unit.now()));
    }

    private static Reply auditAndReply(
            Request request, UnitOfWork unit, @Nullable StoredEntry before, StoredEntry after) {
        var metadata = new AuditMetadata(before == null ? null : EntryResponse.of(before), EntryResponse.of(after));
        var target = after.entry().kind().text() + ":" + after.entry().id();
        AuditTrail.recordSuccess(
                unit,
                request.principal(),
                new AuditEntry(ACTION, "registry_entry", target, null, null, Json.toObject(metadata)));
        return reply(after);
    }

    private static Reply reply(StoredEntry entry) {
        return Reply.ofRecord(EntryResponse.of(entry));
    }

    private static RegistryKind kind(Request request) {
        return TextEnum.parse(RegistryKind.class, request.path("kind"));
    }

    private static StoredEntry require(@Nullable StoredEntry found, Request request) {
        if (found == null) {
            throw notFound(request);
        }
        return found;
    }

    private static RuntimeException notFound(Request request) {
        return Problem.of(
                        ErrorCode.NOT_FOUND, request.path("kind") + " " + request.path("entry_id") + " does not exist.")
                .asException();
    }
}
