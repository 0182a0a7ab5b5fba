package dev.slipway.catalog.app;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Cursor;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.messaging.Topics;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.Page;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.function.Function;

/** All SQL of apps and their versions. */
public final class AppStore {
    private static final String LIST = """
            SELECT id, slug, display_name, category, publisher, status, created_at, updated_at FROM app_catalog
            WHERE $1::timestamptz IS NULL OR (created_at, id) < ($1, $2::uuid)
            ORDER BY created_at DESC, id DESC LIMIT $3
            """;
    private static final String FIND = "SELECT id FROM app_catalog WHERE slug = $1";
    private static final String VERSIONS = """
            SELECT id, version, runtime_backend, status, manifest::text AS manifest, created_at FROM app_versions
            WHERE app_id = $1 AND ($2::timestamptz IS NULL OR (created_at, id) < ($2, $3::uuid))
            ORDER BY created_at DESC, id DESC LIMIT $4
            """;
    private static final String ADD_APP = """
            INSERT INTO app_catalog (id, slug, display_name, category, publisher, status)
            VALUES ($1, $2, $3, $4, $5, 'active') ON CONFLICT DO NOTHING RETURNING id
            """;
    private static final String ADD_VERSION = """
            INSERT INTO app_versions (id, app_id, version, runtime_backend, manifest, status)
            VALUES ($1, $2, $3, $4, $5::text::jsonb, 'active') ON CONFLICT DO NOTHING RETURNING id
            """;

    private final SqlClient reads;

    public AppStore(SqlClient reads) {
        this.reads = reads;
    }

    Future<Page<ObjectNode>> list(@Nullable Cursor after, int limit) {
        var parameters = Tuple.of(
                after == null ? null : after.createdAt().atOffset(ZoneOffset.UTC),
                after == null ? null : after.id(),
                limit + 1);
        return reads.preparedQuery(LIST).execute(parameters).map(rows -> page(rows, limit, AppStore::app));
    }

    Future<Page<ObjectNode>> versions(String slug, @Nullable Cursor after, int limit) {
        return reads.preparedQuery(FIND).execute(Tuple.of(slug)).compose(found -> {
            if (found.size() == 0) {
                return Future.failedFuture(Problem.of(ErrorCode.APP_NOT_FOUND, "There is no app " + slug + ".")
                        .asException());
            }
            var parameters = Tuple.of(
                    found.iterator().next().getUUID("id"),
                    after == null ? null : after.createdAt().atOffset(ZoneOffset.UTC),
                    after == null ? null : after.id(),
                    limit + 1);
            return reads.preparedQuery(VERSIONS)
                    .execute(parameters)
                    .map(rows -> page(rows, limit, row -> version(slug, row)));
        });
    }

    /** Adds what is not there; announces only what was added. */
    public Future<Void> ensure(UnitOfWork unit, CatalogSeed seed) {
        var chain = Future.<Void>succeededFuture();
        for (var app : seed.apps()) {
            chain = chain.compose(ok -> addApp(unit, app)).compose(ok -> addVersion(unit, app));
        }
        return chain;
    }

    private static Future<Void> addApp(UnitOfWork unit, CatalogSeed.App app) {
        var row = Tuple.of(app.id(), app.slug(), app.displayName(), app.category(), app.publisher());
        return unit.query(ADD_APP, row).map(added -> {
            if (added.size() > 0) {
                var payload = Json.object()
                        .put("app_id", app.id().toString())
                        .put("app_slug", app.slug())
                        .put("status", "active")
                        .put("revision", 1);
                unit.announce(Topics.CATALOG_STATE, "app:" + app.id(), "catalog.app.snapshot", payload);
            }
            return null;
        });
    }

    private static Future<Void> addVersion(UnitOfWork unit, CatalogSeed.App app) {
        var row = Tuple.of(app.versionId(), app.id(), app.version(), app.runtimeBackend(), app.manifest());
        return unit.query(ADD_VERSION, row).map(added -> {
            if (added.size() > 0) {
                var fact = Json.object()
                        .put("app_id", app.id().toString())
                        .put("app_slug", app.slug())
                        .put("app_version_id", app.versionId().toString())
                        .put("app_version", app.version())
                        .put("runtime_backend", app.runtimeBackend());
                unit.announce(Topics.CATALOG_EVENTS, app.id().toString(), "apps.version.published", fact);
                var snapshot = fact.deepCopy().put("status", "active").put("revision", 1);
                snapshot.set("manifest", Json.trusted(app.manifest()));
                unit.announce(Topics.CATALOG_STATE, "version:" + app.versionId(), "catalog.version.snapshot", snapshot);
            }
            return null;
        });
    }

    private static Page<ObjectNode> page(RowSet<Row> rows, int limit, Function<Row, ObjectNode> json) {
        var found = new ArrayList<Row>(rows.size());
        rows.forEach(found::add);
        var page = Page.of(
                found,
                limit,
                last -> new Cursor(last.getOffsetDateTime("created_at").toInstant(), last.getUUID("id")));
        return new Page<>(page.items().stream().map(json).toList(), page.next());
    }

    private static ObjectNode app(Row row) {
        return Json.object()
                .put("id", row.getUUID("id").toString())
                .put("slug", row.getString("slug"))
                .put("display_name", row.getString("display_name"))
                .put("category", row.getString("category"))
                .put("publisher", row.getString("publisher"))
                .put("status", row.getString("status"))
                .put("created_at", time(row, "created_at"))
                .put("updated_at", time(row, "updated_at"));
    }

    private static ObjectNode version(String slug, Row row) {
        var node = Json.object()
                .put("id", row.getUUID("id").toString())
                .put("app_slug", slug)
                .put("version", row.getString("version"))
                .put("runtime_backend", row.getString("runtime_backend"))
                .put("status", row.getString("status"))
                .put("created_at", time(row, "created_at"));
        node.set("manifest", Json.trusted(row.getString("manifest")));
        return node;
    }

    private static String time(Row row, String column) {
        return row.getOffsetDateTime(column).toInstant().toString();
    }
}
