package dev.slipway.catalog.app;

import dev.slipway.catalog.app.AppJson.AppEvent;
import dev.slipway.catalog.app.AppJson.Snapshot;
import dev.slipway.catalog.app.domain.AppStatus;
import dev.slipway.contract.Cursor;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.contract.domain.TextEnum;
import dev.slipway.messaging.SqlTime;
import dev.slipway.messaging.TableColumns;
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

/** Stores apps, and publishes an event and a snapshot for every change. */
public final class AppStore {
    private static final TableColumns TABLE = TableColumns.of(
            "app_catalog",
            "id",
            "slug",
            "display_name",
            "category",
            "publisher",
            "product_id",
            "description",
            "status",
            "published",
            "revision",
            "created_at",
            "updated_at");
    private static final String COLUMNS = TABLE.listOf("a");
    private static final String AFTER = " a.published AND (a.created_at, a.id) < ($1, $2)";
    private static final String NEWEST_FIRST = " ORDER BY a.created_at DESC, a.id DESC";
    private static final String PAGE = NEWEST_FIRST + " LIMIT $3)";
    /**
     * Adds to each app of a page its newest version, active before deprecated. OFFSET 0 makes the planner, which does not know the page
     * size, look up each app by its key instead of scanning the table.
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
     * Searches in two steps, because the cheaper plan depends on how common the words are, which a prepared statement does not know.
     * Common words fill a page from the newest 400 apps. If they do not, the words are rare enough to fetch all matches from the text
     * index and sort them (OFFSET 0 enforces that order); this step is skipped if there are no more than 400 apps.
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
    private static final String INSERT = TABLE.insert() + "ON CONFLICT DO NOTHING RETURNING id";
    private static final String UPDATE = TABLE.update(
            List.of("id"), "display_name", "category", "publisher", "description", "status", "revision", "updated_at");

    /** The position before the first page, so that the first page uses the same indexed condition as the others. */
    private static final OffsetDateTime END_OF_TIME = OffsetDateTime.of(9999, 1, 1, 0, 0, 0, 0, ZoneOffset.UTC);

    private static final UUID LAST_ID = new UUID(-1, -1);

    private final SqlClient reads;

    public AppStore(SqlClient reads) {
        this.reads = reads;
    }

    /** Lists published apps, newest first. */
    Future<Page<App>> list(@Nullable String category, @Nullable Cursor after, int limit) {
        var parameters = pageStart(after).addInteger(limit + 1);
        return category == null
                ? queryApps(LIST, parameters).map(found -> page(found, limit))
                : queryApps(LIST_CATEGORY, parameters.addString(category)).map(found -> page(found, limit));
    }

    /** Searches published apps, newest first; {@code words} comes from {@link SearchQuery}. */
    Future<Page<App>> search(String words, @Nullable String category, @Nullable Cursor after, int limit) {
        var parameters = pageStart(after).addInteger(limit + 1).addString(words);
        return category == null
                ? queryApps(SEARCH, parameters).map(found -> page(found, limit))
                : queryApps(SEARCH_CATEGORY, parameters.addString(category)).map(found -> page(found, limit));
    }

    private Future<List<App>> queryApps(String sql, Tuple parameters) {
        return reads.preparedQuery(sql).execute(parameters).map(rows -> {
            var found = new ArrayList<App>(rows.size());
            rows.forEach(row -> found.add(fromRow(row, row.getUUID("newest_id"))));
            return found;
        });
    }

    private static Page<App> page(List<App> found, int limit) {
        return Page.of(found, limit, last -> new Cursor(last.createdAt(), last.id()));
    }

    /** Finds a published app. */
    Future<App> find(String slug) {
        return queryApps(FIND, pageStart(null).addInteger(1).addString(slug)).map(found -> {
            if (found.isEmpty()) {
                throw notFound(slug);
            }
            return found.get(0);
        });
    }

    Future<App> lock(UnitOfWork unit, String slug) {
        return unit.query(LOCK, Tuple.of(slug)).map(rows -> {
            if (rows.size() == 0) {
                throw notFound(slug);
            }
            return fromRow(rows.iterator().next(), null);
        });
    }

    /** Returns false if the slug is taken. */
    Future<Boolean> insert(UnitOfWork unit, App app) {
        var row = Tuple.from(new Object[] {
            app.id(),
            app.slug(),
            app.displayName(),
            app.category(),
            app.publisher(),
            app.productId(),
            app.description(),
            app.status().text(),
            app.published(),
            app.revision(),
            SqlTime.of(app.createdAt()),
            SqlTime.of(app.updatedAt())
        });
        return unit.query(INSERT, row).map(inserted -> {
            if (inserted.size() > 0) {
                appendEvents(unit, "apps.app.created", app);
            }
            return inserted.size() > 0;
        });
    }

    void update(UnitOfWork unit, App next) {
        unit.write(UPDATE, Tuple.from(new Object[] {
            next.id(),
            next.displayName(),
            next.category(),
            next.publisher(),
            next.description(),
            next.status().text(),
            next.revision(),
            SqlTime.of(next.updatedAt())
        }));
        appendEvents(unit, "apps.app.updated", next);
    }

    /** Inserts the seeded apps that do not exist. */
    public Future<Void> ensureSeeds(UnitOfWork unit, CatalogSeed seed) {
        var chain = Future.<Void>succeededFuture();
        for (var app : seed.apps()) {
            chain = chain.compose(ok -> insert(unit, fromSeed(unit, app))).mapEmpty();
        }
        return chain;
    }

    private static App fromSeed(UnitOfWork unit, CatalogSeed.App app) {
        return new App(
                app.id(),
                app.slug(),
                app.displayName(),
                app.category(),
                app.publisher(),
                app.productId(),
                "",
                AppStatus.ACTIVE,
                false,
                1,
                unit.now(),
                unit.now(),
                null);
    }

    private static void appendEvents(UnitOfWork unit, String eventType, App app) {
        unit.publish(Topics.CATALOG_EVENTS, app.id().toString(), eventType, Json.toObject(AppEvent.of(app)));
        publishSnapshot(unit, app);
    }

    /** Publishes the snapshot of a row of {@link #AFTER_ID} again. */
    public static void republish(UnitOfWork unit, Row row) {
        publishSnapshot(unit, fromRow(row, null));
    }

    private static void publishSnapshot(UnitOfWork unit, App app) {
        unit.publish(Topics.CATALOG_STATE, "app:" + app.id(), "catalog.app.snapshot", Json.toObject(Snapshot.of(app)));
    }

    private static Tuple pageStart(@Nullable Cursor after) {
        return after == null ? Tuple.of(END_OF_TIME, LAST_ID) : Tuple.of(SqlTime.of(after.createdAt()), after.id());
    }

    private static App fromRow(Row row, @Nullable UUID newestVersionId) {
        return new App(
                row.getUUID("id"),
                row.getString("slug"),
                row.getString("display_name"),
                row.getString("category"),
                row.getString("publisher"),
                row.getString("product_id"),
                row.getString("description"),
                TextEnum.parse(AppStatus.class, row.getString("status")),
                row.getBoolean("published"),
                row.getLong("revision"),
                SqlTime.read(row, "created_at"),
                SqlTime.read(row, "updated_at"),
                newestVersionId);
    }

    private static RuntimeException notFound(String slug) {
        return Problem.of(ErrorCode.APP_NOT_FOUND, "App " + slug + " does not exist.")
                .asException();
    }
}
