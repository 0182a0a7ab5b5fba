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
import java.util.List;
import java.util.UUID;

/** All SQL of apps. */
public final class AppStore {
    private static final String COLUMNS =
            "a.id, a.slug, a.display_name, a.category, a.publisher, a.product_id, a.description, a.status, a.published,"
                    + " a.revision, a.created_at, a.updated_at";
    private static final String AFTER = " a.published AND (a.created_at, a.id) < ($1, $2)";
    private static final String NEWEST_FIRST = " ORDER BY a.created_at DESC, a.id DESC";
    private static final String PAGE = NEWEST_FIRST + " LIMIT $3)";
    /**
     * A page, each app with its newest version that could be launched: active ones before deprecated ones. How long the page is a prepared
     * plan does not know; OFFSET 0 has it look each app up all the same, instead of going through all there are.
     */
    private static final String WITH_NEWEST = " SELECT " + COLUMNS + """
            , coalesce((SELECT v.id FROM app_versions v WHERE v.app_id = a.id AND v.status = 'active'
                        ORDER BY v.created_at DESC LIMIT 1),
                       (SELECT v.id FROM app_versions v WHERE v.app_id = a.id AND v.status = 'deprecated'
                        ORDER BY v.created_at DESC LIMIT 1)) AS newest_id
            FROM page JOIN LATERAL (SELECT * FROM app_catalog c WHERE c.id = page.id OFFSET 0) a ON true
            """ + NEWEST_FIRST;

    private static final String KEYS = "SELECT a.id, a.created_at FROM app_catalog a WHERE";
    private static final String ALL = "WITH page AS MATERIALIZED (" + KEYS + AFTER;
    private static final String LIST = ALL + PAGE + WITH_NEWEST;
    private static final String LIST_CATEGORY = ALL + " AND a.category = $4" + PAGE + WITH_NEWEST;
    private static final String FIND = ALL + " AND a.slug = $4" + PAGE + WITH_NEWEST;

    /**
     * A search has two ways, and which one is short depends on how common the words are, which a prepared plan cannot know. Common ones
     * fill a page from the newest few hundred apps. Those that do not are rare enough to be fetched by the index and then sorted (OFFSET 0
     * has it in that order), which is done only then, and only where there are more apps than those few hundred.
     */
    private static final String SEARCH_AMONG = """
            WITH newest AS MATERIALIZED (
                SELECT a.id, a.created_at, a.search @@ (SELECT to_tsquery('simple', $4)) AS hit FROM app_catalog a
                WHERE %1$s ORDER BY a.created_at DESC, a.id DESC LIMIT 400),
            near AS MATERIALIZED (
                SELECT a.id, a.created_at FROM newest a WHERE a.hit ORDER BY a.created_at DESC, a.id DESC LIMIT $3),
            matching AS NOT MATERIALIZED (
                SELECT a.id, a.created_at FROM app_catalog a
                WHERE a.search @@ (SELECT to_tsquery('simple', $4)) AND %1$s
                    AND (SELECT count(*) FROM near) < $3 AND (SELECT count(*) FROM newest) = 400
                OFFSET 0),
            page AS MATERIALIZED (
                SELECT a.id, a.created_at FROM near a UNION
                (SELECT a.id, a.created_at FROM matching a ORDER BY a.created_at DESC, a.id DESC LIMIT $3)
                ORDER BY created_at DESC, id DESC LIMIT $3)
            """ + WITH_NEWEST;

    private static final String SEARCH = SEARCH_AMONG.formatted(AFTER);
    private static final String SEARCH_CATEGORY = SEARCH_AMONG.formatted(AFTER + " AND a.category = $5");

    public static final String AFTER_ID =
            "SELECT " + COLUMNS + " FROM app_catalog a WHERE a.id > $1 ORDER BY a.id LIMIT $2 FOR SHARE OF a";

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

    /** Those that tenants see, newest first. */
    Future<Page<App>> list(@Nullable String category, @Nullable Cursor after, int limit) {
        var parameters = from(after).addInteger(limit + 1);
        return category == null
                ? apps(LIST, parameters).map(found -> page(found, limit))
                : apps(LIST_CATEGORY, parameters.addString(category)).map(found -> page(found, limit));
    }

    /** The same, of those that {@code words} find, which is what {@link SearchWords} makes of a question. */
    Future<Page<App>> search(String words, @Nullable String category, @Nullable Cursor after, int limit) {
        var parameters = from(after).addInteger(limit + 1).addString(words);
        return category == null
                ? apps(SEARCH, parameters).map(found -> page(found, limit))
                : apps(SEARCH_CATEGORY, parameters.addString(category)).map(found -> page(found, limit));
    }

    private Future<List<App>> apps(String sql, Tuple parameters) {
        return reads.preparedQuery(sql).execute(parameters).map(rows -> {
            var found = new ArrayList<App>(rows.size());
            rows.forEach(row -> found.add(app(row, row.getUUID("newest_id"))));
            return found;
        });
    }

    private static Page<App> page(List<App> found, int limit) {
        return Page.of(found, limit, last -> new Cursor(last.createdAt(), last.id()));
    }

    /** One that tenants see. */
    Future<App> find(String slug) {
        return apps(FIND, from(null).addInteger(1).addString(slug)).map(found -> {
            if (found.isEmpty()) {
                throw unknown(slug);
            }
            return found.get(0);
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
        snapshot(unit, app);
    }

    /** For read models, once more. */
    public static void tell(UnitOfWork unit, Row row) {
        snapshot(unit, app(row, null));
    }

    private static void snapshot(UnitOfWork unit, App app) {
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
