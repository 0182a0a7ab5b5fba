package dev.slipway.catalog.app;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.catalog.entitlement.Launchability;
import dev.slipway.catalog.entitlement.Launchability.Verdict;
import dev.slipway.catalog.registry.RegistryEntry;
import dev.slipway.catalog.registry.RegistryStore;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.AuditTrail;
import dev.slipway.service.AuditTrail.Entry;
import dev.slipway.service.ETags;
import dev.slipway.service.Mutations;
import dev.slipway.service.Page;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;

/** The operations on apps. */
public final class AppApi {
    private final AppStore store;
    private final RegistryStore registries;
    private final Launchability launchability;
    private final Mutations mutations;

    public AppApi(AppStore store, RegistryStore registries, Launchability launchability, Mutations mutations) {
        this.store = store;
        this.registries = registries;
        this.launchability = launchability;
        this.mutations = mutations;
    }

    public Future<Reply> list(Request request) {
        return found(request).compose(page -> seen(request, page.items()).map(seen -> page.reply(seen::json)));
    }

    private Future<Page<App>> found(Request request) {
        var cursor = request.cursor();
        var category = request.query("category");
        var typed = request.query("q");
        if (typed == null) {
            return store.list(category, cursor, request.limit());
        }
        var words = SearchWords.query(typed);
        return words == null
                ? Future.succeededFuture(new Page<>(List.of(), null))
                : store.search(words, category, cursor, request.limit());
    }

    public Future<Reply> get(Request request) {
        return store.find(request.path("app_slug"))
                .compose(app -> seen(request, List.of(app)).map(seen -> tagged(Reply.of(seen.json(app)))));
    }

    public Future<Reply> create(Request request) {
        var body = request.body();
        var created = mutations.run(request, unit -> {
            var made = new App(
                    Ids.next(),
                    body.path("slug").asText(),
                    body.path("display_name").asText(),
                    body.path("category").asText(),
                    body.path("publisher").asText(),
                    body.path("product_id").asText(),
                    body.path("description").asText(""),
                    "active",
                    false,
                    1,
                    unit.now(),
                    unit.now(),
                    null);
            return store.add(unit, made)
                    .compose(added -> added ? requireProduct(unit, made) : Future.failedFuture(taken(made.slug())))
                    .map(ok -> done(request, unit, null, made, "/api/v1/apps/catalog/" + made.slug()));
        });
        return created.map(AppApi::tagged);
    }

    public Future<Reply> update(Request request) {
        var body = request.body();
        var updated = mutations.run(
                request, unit -> store.lock(unit, request.path("app_slug")).map(before -> {
                    ETags.requireIfGiven(request, before.revision());
                    var after = new App(
                            before.id(),
                            before.slug(),
                            body.path("display_name").asText(before.displayName()),
                            body.path("category").asText(before.category()),
                            body.path("publisher").asText(before.publisher()),
                            before.productId(),
                            body.path("description").asText(before.description()),
                            body.path("status").asText(before.status()),
                            before.published(),
                            before.revision() + 1,
                            before.createdAt(),
                            unit.now(),
                            null);
                    store.update(unit, after);
                    return done(request, unit, before, after, null);
                }));
        return updated.map(AppApi::tagged);
    }

    /** Apps as a project sees them, or as nobody in particular. */
    private record Seen(@Nullable Map<UUID, Verdict> verdicts) {
        ObjectNode json(App app) {
            var node = AppApi.json(app);
            if (verdicts == null) {
                return node;
            }
            var newest = app.newestVersionId();
            var verdict = newest == null ? null : verdicts.get(newest);
            return verdict == null
                    ? node.put("launchable", false)
                            .put("not_launchable_reason", ErrorCode.APP_VERSION_NOT_LAUNCHABLE.code())
                    : node.put("launchable", verdict.launchable()).put("not_launchable_reason", verdict.reason());
        }
    }

    private Future<Seen> seen(Request request, List<App> apps) {
        var orgId = request.orgId();
        var projectId = request.projectIdOrNull();
        if (orgId == null || projectId == null) {
            return Future.succeededFuture(new Seen(null));
        }
        var newest = apps.stream()
                .flatMap(app -> Stream.ofNullable(app.newestVersionId()))
                .toList();
        return launchability.of(orgId, projectId, newest).map(Seen::new);
    }

    private Future<Void> requireProduct(UnitOfWork unit, App app) {
        var product = String.valueOf(app.productId());
        return registries.active(unit, RegistryEntry.PRODUCT, List.of(product)).map(active -> {
            if (active.isEmpty()) {
                throw Problem.validationOf(
                                ErrorCode.VALIDATION_ERROR, "/product_id", "is not an active product of the registry")
                        .asException();
            }
            return null;
        });
    }

    private static Reply done(
            Request request, UnitOfWork unit, @Nullable App before, App after, @Nullable String location) {
        var metadata = Json.object();
        metadata.set("before", before == null ? null : adminJson(before));
        metadata.set("after", adminJson(after));
        AuditTrail.success(
                unit, request.principal(), new Entry("apps.app.write", "app", after.slug(), null, null, metadata));
        return Reply.of(adminJson(after), location);
    }

    private static Reply tagged(Reply reply) {
        return ETags.tagged(reply, "revision");
    }

    private static Throwable taken(String slug) {
        return Problem.validationOf(ErrorCode.SLUG_TAKEN, "/slug", "is taken: there is an app \"" + slug + "\"")
                .asException();
    }

    private static ObjectNode adminJson(App app) {
        return json(app).put("published", app.published());
    }

    private static ObjectNode json(App app) {
        return Json.object()
                .put("id", app.id().toString())
                .put("slug", app.slug())
                .put("display_name", app.displayName())
                .put("category", app.category())
                .put("publisher", app.publisher())
                .put("product_id", app.productId())
                .put("description", app.description())
                .put("status", app.status())
                .put("revision", app.revision())
                .put("created_at", app.createdAt().toString())
                .put("updated_at", app.updatedAt().toString());
    }
}
