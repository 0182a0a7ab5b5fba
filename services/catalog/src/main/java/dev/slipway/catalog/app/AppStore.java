package dev.slipway.catalog.app;

import dev.slipway.contract.Cursor;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.messaging.Topics;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.Page;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.UUID;

/** All SQL of apps. */
public final class AppStore {
    private static final String COLUMNS =
            "a.id, a.slug, a.display_name, a.category, a.publisher, a.product_id, a.description, a.status, a.published,"
                    + " a.revision, a.created_at, a.updated_at";
    /** With the newest version that could be launched: active ones before deprecated ones. */
    private static final String VISIBLE = "SELECT " + COLUMNS + ", v.id AS newest_id FROM app_catalog a " + """
            LEFT JOIN LATERAL (SELECT id FROM app_versions WHERE app_id = a.id AND status IN ('active', 'deprecated')
                               ORDER BY status, created_at DESC LIMIT 1) v ON true
            WHERE a.published AND (a.created_at, a.id) < ($1, $2)
            """;

    private static final String PAGE = " ORDER BY a.created_at DESC, a.id DESC LIMIT $3";
    private static final String OF_CATEGORY = " AND a.category = $4";
    private static final String LIST = VISIBLE + PAGE;
    private static final String LIST_CATEGORY = VISIBLE + OF_CATEGORY + PAGE;
    private static final String SEARCH = VISIBLE + " AND a.search @@ to_tsquery('simple', $4)" + PAGE;
    private static final String SEARCH_CATEGORY =
            VISIBLE + OF_CATEGORY + " AND a.search @@ to_tsquery('simple', $5)" + PAGE;
    private static final String FIND = VISIBLE + " AND a.slug = $3";
    private static final String LOCK = "SELECT " + COLUMNS + " FROM app_catalog a WHERE a.slug = $1 FOR NO KEY UPDATE";
    private static final String ADD_APP = """
            INSERT INTO app_catalog (id, slug, display_name, category, publisher, product_id, description, status, created_at, updated_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, 'active', $8, $8) ON CONFLICT DO NOTHING RETURNING id
            """;
    private static final String UPDATE_APP = """
            UPDATE app_catalog SET display_name = $2, category = $3, publisher = $4, description = $5, status = $6, revision = $7,
                updated_at = $8
            WHERE id = $1
            """;

    /** Before everything that there is, in the order of pages: so that a first page is read as any other, by the index. */
    private static final OffsetDateTime END_OF_TIME = OffsetDateTime.of(9999, 1, 1, 0, 0, 0, 0, ZoneOffset.UTC);

    private static final UUID LAST_ID = new UUID(-1, -1);

    private final SqlClient reads;

    public AppStore(SqlClient reads) {
        this.reads = reads;
    }

    /** Those that tenants see, newest first; {@code words} is what {@link SearchWords} makes of a question. */
    Future<Page<App>> list(@Nullable String words, @Nullable String category, @Nullable Cursor after, int limit) {
        var parameters = from(after).addInteger(limit + 1);
        if (category != null) {
            parameters.addString(category);
        }
        if (words != null) {
            parameters.addString(words);
        }
        var sql = words == null
                ? (category == null ? LIST : LIST_CATEGORY)
                : (category == null ? SEARCH : SEARCH_CATEGORY);
        return reads.preparedQuery(sql).execute(parameters).map(rows -> {
            var found = new ArrayList<App>(rows.size());
            rows.forEach(row -> found.add(app(row, row.getUUID("newest_id"))));
            return Page.of(found, limit, last -> new Cursor(last.createdAt(), last.id()));
        });
    }

    /** One that tenants see. */
    Future<App> find(String slug) {
        return reads.preparedQuery(FIND).execute(from(null).addString(slug)).map(rows -> {
            if (rows.size() == 0) {
                throw unknown(slug);
            }
            var row = rows.iterator().next();
            return app(row, row.getUUID("newest_id"));
        });
    }

    Future<App> lock(UnitOfWork unit, String slug) {
        return unit.query(LOCK, Tuple.of(slug)).map(rows -> {
            if (rows.size() == 0) {
                throw unknown(slug);
            }
            return app(rows.iterator().next(), null);
        });
    }

    /** Whether it was added: the slug may be taken. */
    Future<Boolean> add(UnitOfWork unit, App app) {
        var row = Tuple.from(new Object[] {
            app.id(),
            app.slug(),
            app.displayName(),
            app.category(),
            app.publisher(),
            app.productId(),
            app.description(),
            app.createdAt().atOffset(ZoneOffset.UTC)
        });
        return unit.query(ADD_APP, row).map(added -> {
            if (added.size() > 0) {
                announce(unit, "apps.app.created", app);
            }
            return added.size() > 0;
        });
    }

    void update(UnitOfWork unit, App next) {
        unit.write(UPDATE_APP, Tuple.from(new Object[] {
            next.id(),
            next.displayName(),
            next.category(),
            next.publisher(),
            next.description(),
            next.status(),
            next.revision(),
            next.updatedAt().atOffset(ZoneOffset.UTC)
        }));
        announce(unit, "apps.app.updated", next);
    }

    /** Adds what is not there; announces only what was added. */
    public Future<Void> ensure(UnitOfWork unit, CatalogSeed seed) {
        var chain = Future.<Void>succeededFuture();
        for (var app : seed.apps()) {
            chain = chain.compose(ok -> add(unit, seeded(unit, app))).mapEmpty();
        }
        return chain;
    }

    private static App seeded(UnitOfWork unit, CatalogSeed.App app) {
        return new App(
                app.id(),
                app.slug(),
                app.displayName(),
                app.category(),
                app.publisher(),
                app.productId(),
                "",
                "active",
                false,
                1,
                unit.now(),
                unit.now(),
                null);
    }

    private static void announce(UnitOfWork unit, String event, App app) {
        var fact = Json.object()
                .put("app_id", app.id().toString())
                .put("app_slug", app.slug())
                .put("display_name", app.displayName())
                .put("category", app.category())
                .put("publisher", app.publisher())
                .put("product_id", app.productId())
                .put("status", app.status());
        unit.announce(Topics.CATALOG_EVENTS, app.id().toString(), event, fact);
        var snapshot = Json.object()
                .put("app_id", app.id().toString())
                .put("app_slug", app.slug())
                .put("status", app.status())
                .put("revision", app.revision());
        unit.announce(Topics.CATALOG_STATE, "app:" + app.id(), "catalog.app.snapshot", snapshot);
    }

    private static Tuple from(@Nullable Cursor after) {
        return after == null
                ? Tuple.of(END_OF_TIME, LAST_ID)
                : Tuple.of(after.createdAt().atOffset(ZoneOffset.UTC), after.id());
    }

    private static App app(Row row, @Nullable UUID newestVersionId) {
        return new App(
                row.getUUID("id"),
                row.getString("slug"),
                row.getString("display_name"),
                row.getString("category"),
                row.getString("publisher"),
                row.getString("product_id"),
                row.getString("description"),
                row.getString("status"),
                row.getBoolean("published"),
                row.getLong("revision"),
                row.getOffsetDateTime("created_at").toInstant(),
                row.getOffsetDateTime("updated_at").toInstant(),
                newestVersionId);
    }

    private static RuntimeException unknown(String slug) {
        return Problem.of(ErrorCode.APP_NOT_FOUND, "There is no app " + slug + ".")
                .asException();
    }
}
