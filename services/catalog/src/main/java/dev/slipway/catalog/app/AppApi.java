package dev.slipway.catalog.app;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.catalog.app.AppJson.AdminAppResponse;
import dev.slipway.catalog.app.AppJson.AppFields;
import dev.slipway.catalog.app.AppJson.AppResponse;
import dev.slipway.catalog.app.AppJson.AuditMetadata;
import dev.slipway.catalog.app.AppJson.CreateRequest;
import dev.slipway.catalog.app.AppJson.UpdateRequest;
import dev.slipway.catalog.app.domain.AppStatus;
import dev.slipway.catalog.policy.domain.Eligibility;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.contract.domain.RegistryKind;
import dev.slipway.contract.domain.TextEnum;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.AuditTrail;
import dev.slipway.service.AuditTrail.AuditEntry;
import dev.slipway.service.ETags;
import dev.slipway.service.Mutations;
import dev.slipway.service.Page;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.Stream;

/** API operations on apps. */
public final class AppApi {
    private static final Eligibility NO_VERSION = new Eligibility(false, ErrorCode.APP_VERSION_NOT_LAUNCHABLE.code());

    private final AppStore store;
    private final EntryLookup activeEntries;
    private final EligibilityLookup eligibility;
    private final Mutations mutations;

    public AppApi(AppStore store, EntryLookup activeEntries, EligibilityLookup eligibility, Mutations mutations) {
        this.store = store;
        this.activeEntries = activeEntries;
        this.eligibility = eligibility;
        this.mutations = mutations;
    }

    public Future<Reply> list(Request request) {
        return findPage(request)
                .compose(page -> loadProjectView(request, page.items()).map(view -> page.toReply(view::toJson)));
    }

    private Future<Page<App>> findPage(Request request) {
        var category = request.query("category");
        var text = request.query("q");
        if (text == null) {
            return store.list(category, request.cursor(), request.limit());
        }
        var query = SearchQuery.toTsQuery(text);
        return query == null
                ? Future.succeededFuture(new Page<>(List.of(), null))
                : store.search(query, category, request.cursor(), request.limit());
    }

    public Future<Reply> get(Request request) {
        return store.find(request.path("app_slug")).compose(app -> loadProjectView(request, List.of(app))
                .map(view -> withETag(Reply.of(view.toJson(app)))));
    }

    public Future<Reply> create(Request request) {
        var body = Json.toRecord(request.body(), CreateRequest.class);
        return mutations
                .run(request, unit -> {
                    var app = create(body, unit.now());
                    return store.insert(unit, app)
                            .compose(inserted -> inserted
                                    ? requireProduct(unit, body.productId())
                                    : Future.failedFuture(slugTaken(app.slug())))
                            .map(ok -> auditAndReply(request, unit, null, app, "/api/v1/apps/catalog/" + app.slug()));
                })
                .map(AppApi::withETag);
    }

    private static App create(CreateRequest body, Instant now) {
        return new App(
                Ids.next(),
                body.slug(),
                body.displayName(),
                body.category(),
                body.publisher(),
                body.productId(),
                Objects.requireNonNullElse(body.description(), ""),
                AppStatus.ACTIVE,
                false,
                1,
                now,
                now,
                null);
    }

    public Future<Reply> update(Request request) {
        var body = Json.toRecord(request.body(), UpdateRequest.class);
        return mutations
                .run(request, unit -> store.lock(unit, request.path("app_slug")).map(before -> {
                    ETags.requireMatchIfGiven(request, before.revision());
                    var after = update(before, body, unit.now());
                    store.update(unit, after);
                    return auditAndReply(request, unit, before, after, null);
                }))
                .map(AppApi::withETag);
    }

    private static App update(App before, UpdateRequest body, Instant now) {
        var status = body.status();
        return new App(
                before.id(),
                before.slug(),
                Objects.requireNonNullElse(body.displayName(), before.displayName()),
                Objects.requireNonNullElse(body.category(), before.category()),
                Objects.requireNonNullElse(body.publisher(), before.publisher()),
                before.productId(),
                Objects.requireNonNullElse(body.description(), before.description()),
                status == null ? before.status() : TextEnum.parse(AppStatus.class, status),
                before.published(),
                before.revision() + 1,
                before.createdAt(),
                now,
                null);
    }

    /** Apps as seen by the project of the request; {@code byVersion} is null if the request names none. */
    private record ProjectView(@Nullable Map<UUID, Eligibility> byVersion) {
        ObjectNode toJson(App app) {
            return Json.toObject(new AppResponse(AppFields.of(app), launchFields(app)));
        }

        private @Nullable LaunchFields launchFields(App app) {
            if (byVersion == null) {
                return null;
            }
            var newest = app.newestVersionId();
            return LaunchFields.of(newest == null ? NO_VERSION : byVersion.getOrDefault(newest, NO_VERSION));
        }
    }

    private Future<ProjectView> loadProjectView(Request request, List<App> apps) {
        var orgId = request.orgId();
        var projectId = request.projectIdOrNull();
        if (orgId == null || projectId == null) {
            return Future.succeededFuture(new ProjectView(null));
        }
        var newest = apps.stream()
                .flatMap(app -> Stream.ofNullable(app.newestVersionId()))
                .toList();
        return eligibility.find(orgId, projectId, newest).map(ProjectView::new);
    }

    private Future<Void> requireProduct(UnitOfWork unit, String productId) {
        return activeEntries
                .find(unit, RegistryKind.PRODUCT, List.of(productId))
                .map(active -> {
                    if (active.isEmpty()) {
                        throw Problem.validationOf(
                                        ErrorCode.VALIDATION_ERROR,
                                        "/product_id",
                                        "is not an active product of the registry")
                                .asException();
                    }
                    return null;
                });
    }

    private static Reply auditAndReply(
            Request request, UnitOfWork unit, @Nullable App before, App after, @Nullable String location) {
        var response = AdminAppResponse.of(after);
        var metadata = new AuditMetadata(before == null ? null : AdminAppResponse.of(before), response);
        AuditTrail.recordSuccess(
                unit,
                request.principal(),
                new AuditEntry("apps.app.write", "app", after.slug(), null, null, Json.toObject(metadata)));
        return Reply.ofRecord(response, location);
    }

    private static Reply withETag(Reply reply) {
        return ETags.withETag(reply, "revision");
    }

    private static Throwable slugTaken(String slug) {
        return Problem.validationOf(ErrorCode.SLUG_TAKEN, "/slug", "is taken: app \"" + slug + "\" exists")
                .asException();
    }
}
