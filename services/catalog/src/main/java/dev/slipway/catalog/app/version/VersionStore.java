package dev.slipway.catalog.app.version;

import dev.slipway.catalog.app.version.VersionJson.Snapshot;
import dev.slipway.catalog.app.version.VersionJson.VersionChanged;
import dev.slipway.catalog.app.version.domain.AppVersion;
import dev.slipway.catalog.app.version.domain.AppVersion.Status;
import dev.slipway.catalog.app.version.domain.VersionEvent;
import dev.slipway.contract.CanonicalJson;
import dev.slipway.contract.Cursor;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.contract.domain.TextEnum;
import dev.slipway.messaging.QueryExecutor;
import dev.slipway.messaging.SqlTime;
import dev.slipway.messaging.TableColumns;
import dev.slipway.messaging.Topics;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.Page;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/** Stores app versions, and publishes an event and a snapshot for every change of a published version. */
public final class VersionStore {
    private static final TableColumns COLUMNS = TableColumns.of(
                    "app_versions",
                    "id",
                    "app_id",
                    "version",
                    "runtime_backend",
                    "status",
                    "manifest",
                    "manifest_digest",
                    "deprecation_date",
                    "successor",
                    "registry_versions",
                    "revision",
                    "created_at",
                    "updated_at",
                    "published_at",
                    "release_verdict_id")
            .withJson("manifest", "registry_versions");
    private static final String SELECT =
            "SELECT a.slug, " + COLUMNS.listOf("v") + " FROM app_versions v JOIN app_catalog a ON a.id = v.app_id ";
    /** Drafts have no snapshot. */
    public static final String AFTER_ID =
            SELECT + "WHERE v.id > $1 AND v.published_at IS NOT NULL ORDER BY v.id LIMIT $2 FOR SHARE OF v";

    /** Excludes drafts, including retired ones. */
    private static final String PUBLISHED_ONLY = " AND v.published_at IS NOT NULL ";

    private static final String FIND = SELECT + "WHERE a.slug = $1 AND v.version = $2";
    private static final String FIND_PUBLISHED = FIND + PUBLISHED_ONLY;
    private static final String LOCK = FIND + " FOR NO KEY UPDATE OF v";
    private static final String LIST_PUBLISHED = SELECT + "WHERE v.app_id = $1" + PUBLISHED_ONLY + """
            AND (v.created_at, v.id) < ($2, $3) ORDER BY v.created_at DESC, v.id DESC LIMIT $4
            """;
    private static final String LIST_ALL = SELECT + """
            WHERE ($1::text IS NULL OR a.slug = $1) AND ($2::text IS NULL OR v.status = $2)
              AND (v.created_at, v.id) < ($3, $4) ORDER BY v.created_at DESC, v.id DESC LIMIT $5
            """;
    private static final String PUBLISHED_APP = "SELECT id FROM app_catalog WHERE slug = $1 AND published";
    private static final String LOCK_APP = "SELECT id FROM app_catalog WHERE slug = $1 FOR NO KEY UPDATE";
    private static final String LIST_PUBLISHED_NAMES = """
            SELECT v.version FROM app_versions v JOIN app_catalog a ON a.id = v.app_id
            WHERE a.slug = $1 AND v.status IN ('active', 'deprecated', 'disabled')
            """;
    private static final String INSERT = COLUMNS.insert() + "ON CONFLICT DO NOTHING RETURNING id";
    /** The statement itself ensures that the manifest of a published version never changes. */
    private static final String UPDATE = """
            UPDATE app_versions SET runtime_backend = CASE status WHEN 'draft' THEN $2 ELSE runtime_backend END,
                manifest = CASE status WHEN 'draft' THEN $3::text::jsonb ELSE manifest END,
                manifest_digest = CASE status WHEN 'draft' THEN $4 ELSE manifest_digest END,
                status = $5, deprecation_date = $6, successor = $7, registry_versions = $8::text::jsonb, revision = $9,
                updated_at = $10, published_at = $11, release_verdict_id = $12
            WHERE id = $1
            """;

    private static final String MARK_APP_PUBLISHED =
            "UPDATE app_catalog SET published = true WHERE id = $1 AND NOT published";
    private static final String WITHOUT_DIGEST =
            "SELECT id, manifest::text AS manifest FROM app_versions WHERE manifest_digest IS NULL";
    private static final String SET_DIGEST = "UPDATE app_versions SET manifest_digest = $2 WHERE id = $1";
    /** The position before the first page. */
    private static final OffsetDateTime END_OF_TIME = OffsetDateTime.of(9999, 1, 1, 0, 0, 0, 0, ZoneOffset.UTC);

    private static final UUID LAST_ID = new UUID(-1, -1);

    private final SqlClient reads;

    public VersionStore(SqlClient reads) {
        this.reads = reads;
    }

    Future<Page<AppVersion>> listPublished(String slug, @Nullable Cursor after, int limit) {
        return reads.preparedQuery(PUBLISHED_APP).execute(Tuple.of(slug)).compose(found -> {
            var parameters = withCursor(Tuple.of(appId(found, slug)), after).addInteger(limit + 1);
            return reads.preparedQuery(LIST_PUBLISHED).execute(parameters).map(rows -> page(rows, limit));
        });
    }

    Future<Page<AppVersion>> listAll(
            @Nullable String slug, @Nullable String status, @Nullable Cursor after, int limit) {
        var parameters = withCursor(Tuple.of(slug, status), after).addInteger(limit + 1);
        return reads.preparedQuery(LIST_ALL).execute(parameters).map(rows -> page(rows, limit));
    }

    Future<AppVersion> findPublished(String slug, String version) {
        return reads.preparedQuery(FIND_PUBLISHED)
                .execute(Tuple.of(slug, version))
                .map(rows -> requireOne(rows, slug, version));
    }

    Future<AppVersion> find(QueryExecutor executor, String slug, String version) {
        return executor.query(FIND, Tuple.of(slug, version)).map(rows -> requireOne(rows, slug, version));
    }

    Future<AppVersion> lock(UnitOfWork unit, String slug, String version) {
        return unit.query(LOCK, Tuple.of(slug, version)).map(rows -> requireOne(rows, slug, version));
    }

    /** Locks the app, so that concurrent registrations of a version are serialized. */
    Future<UUID> lockApp(UnitOfWork unit, String slug) {
        return unit.query(LOCK_APP, Tuple.of(slug)).map(found -> appId(found, slug));
    }

    /** Returns the versions of an app that can have instances. */
    public Future<Set<String>> listPublishedNames(QueryExecutor executor, String slug) {
        return executor.query(LIST_PUBLISHED_NAMES, Tuple.of(slug)).map(rows -> {
            var found = new HashSet<String>();
            rows.forEach(row -> found.add(row.getString("version")));
            return found;
        });
    }

    /** Returns false if the app has, or had, the version. */
    Future<Boolean> insert(UnitOfWork unit, AppVersion draft) {
        var row = Tuple.from(new @Nullable Object[] {
            draft.id(),
            draft.appId(),
            draft.version(),
            draft.runtimeBackend(),
            draft.status().text(),
            draft.manifest(),
            draft.manifestDigest(),
            draft.deprecationDate(),
            draft.successor(),
            draft.registryVersions(),
            draft.revision(),
            SqlTime.of(draft.createdAt()),
            SqlTime.of(draft.updatedAt()),
            SqlTime.ofNullable(draft.publishedAt()),
            draft.releaseVerdictId()
        });
        return unit.query(INSERT, row).map(inserted -> inserted.size() > 0);
    }

    void update(UnitOfWork unit, AppVersion next, VersionEvent event) {
        var published = next.publishedAt();
        unit.write(UPDATE, Tuple.from(new Object[] {
            next.id(),
            next.runtimeBackend(),
            next.manifest(),
            next.manifestDigest(),
            next.status().text(),
            next.deprecationDate(),
            next.successor(),
            next.registryVersions(),
            next.revision(),
            next.updatedAt().atOffset(ZoneOffset.UTC),
            published == null ? null : published.atOffset(ZoneOffset.UTC),
            next.releaseVerdictId()
        }));
        if (event instanceof VersionEvent.Published) {
            unit.write(MARK_APP_PUBLISHED, Tuple.of(next.appId()));
        }
        var type = VersionJson.eventType(event);
        if (type != null) {
            unit.publish(
                    Topics.CATALOG_EVENTS,
                    next.appId().toString(),
                    type,
                    Json.toObject(VersionChanged.of(next, event)));
            publishSnapshot(unit, next);
        }
    }

    /** Publishes the snapshot of a row of {@link #AFTER_ID} again. */
    public static void republish(UnitOfWork unit, Row row) {
        publishSnapshot(unit, fromRow(row));
    }

    private static void publishSnapshot(UnitOfWork unit, AppVersion version) {
        unit.publish(
                Topics.CATALOG_STATE,
                "version:" + version.id(),
                "catalog.version.snapshot",
                Json.toObject(Snapshot.of(version)));
    }

    /** Computes the digests of versions that were stored before digests existed. */
    public Future<Void> backfillDigests(UnitOfWork unit) {
        return unit.query(WITHOUT_DIGEST, Tuple.tuple()).map(rows -> {
            rows.forEach(row -> unit.write(
                    SET_DIGEST,
                    Tuple.of(
                            row.getUUID("id"),
                            CanonicalJson.digest(Json.parseStoredObject(row.getString("manifest"))))));
            return null;
        });
    }

    private static UUID appId(RowSet<Row> found, String slug) {
        if (found.size() == 0) {
            throw Problem.of(ErrorCode.APP_NOT_FOUND, "App " + slug + " does not exist.")
                    .asException();
        }
        return found.iterator().next().getUUID("id");
    }

    private static AppVersion requireOne(RowSet<Row> rows, String slug, String version) {
        if (rows.size() == 0) {
            throw Problem.of(ErrorCode.APP_VERSION_NOT_FOUND, "App " + slug + " has no version " + version + ".")
                    .asException();
        }
        return fromRow(rows.iterator().next());
    }

    private static Tuple withCursor(Tuple parameters, @Nullable Cursor after) {
        return after == null
                ? parameters.addOffsetDateTime(END_OF_TIME).addUUID(LAST_ID)
                : parameters
                        .addOffsetDateTime(after.createdAt().atOffset(ZoneOffset.UTC))
                        .addUUID(after.id());
    }

    private static Page<AppVersion> page(RowSet<Row> rows, int limit) {
        List<AppVersion> found = new ArrayList<>(rows.size());
        rows.forEach(row -> found.add(fromRow(row)));
        return Page.of(found, limit, last -> new Cursor(last.createdAt(), last.id()));
    }

    private static AppVersion fromRow(Row row) {
        return new AppVersion(
                row.getUUID("id"),
                row.getUUID("app_id"),
                row.getString("slug"),
                row.getString("version"),
                row.getString("runtime_backend"),
                TextEnum.parse(Status.class, row.getString("status")),
                row.getString("manifest"),
                row.getString("manifest_digest"),
                row.getLocalDate("deprecation_date"),
                row.getString("successor"),
                row.getString("registry_versions"),
                row.getLong("revision"),
                SqlTime.read(row, "created_at"),
                SqlTime.read(row, "updated_at"),
                SqlTime.readNullable(row, "published_at"),
                row.getUUID("release_verdict_id"));
    }
}
