package dev.slipway.catalog.version;

import dev.slipway.catalog.app.CatalogSeed;
import dev.slipway.catalog.version.domain.AppVersion;
import dev.slipway.catalog.version.domain.AppVersion.Content;
import dev.slipway.catalog.version.domain.AppVersion.Status;
import dev.slipway.catalog.version.domain.Decision.Accepted;
import dev.slipway.catalog.version.domain.VersionEvent;
import dev.slipway.catalog.version.domain.VersionLifecycle;
import dev.slipway.contract.CanonicalJson;
import dev.slipway.contract.Cursor;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.messaging.Queries;
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

/** All SQL of versions. What tenants read leaves out drafts; what administrators read does not. */
public final class VersionStore {
    private static final String COLUMNS = """
            v.id, v.app_id, a.slug, v.version, v.runtime_backend, v.status, v.manifest::text AS manifest, v.manifest_digest,
            v.deprecation_date, v.successor, v.registry_versions::text AS registry_versions, v.revision, v.created_at, v.updated_at,
            v.published_at
            """;
    private static final String SELECT =
            "SELECT " + COLUMNS + " FROM app_versions v JOIN app_catalog a ON a.id = v.app_id ";
    /** Nobody was told of drafts. */
    public static final String AFTER_ID =
            SELECT + "WHERE v.id > $1 AND v.published_at IS NOT NULL ORDER BY v.id LIMIT $2 FOR SHARE OF v";

    /** A draft that was discarded is as unknown to tenants as it ever was. */
    private static final String TOLD = " AND v.published_at IS NOT NULL ";

    private static final String FIND = SELECT + "WHERE a.slug = $1 AND v.version = $2";
    private static final String FIND_TOLD = FIND + TOLD;
    private static final String LOCK = FIND + " FOR NO KEY UPDATE OF v";
    private static final String LIST_TOLD = SELECT + "WHERE v.app_id = $1" + TOLD + """
            AND (v.created_at, v.id) < ($2, $3) ORDER BY v.created_at DESC, v.id DESC LIMIT $4
            """;
    private static final String LIST_ALL = SELECT + """
            WHERE ($1::text IS NULL OR a.slug = $1) AND ($2::text IS NULL OR v.status = $2)
              AND (v.created_at, v.id) < ($3, $4) ORDER BY v.created_at DESC, v.id DESC LIMIT $5
            """;
    private static final String PUBLISHED_APP = "SELECT id FROM app_catalog WHERE slug = $1 AND published";
    private static final String LOCK_APP = "SELECT id FROM app_catalog WHERE slug = $1 FOR NO KEY UPDATE";
    private static final String PUBLISHED = """
            SELECT v.version FROM app_versions v JOIN app_catalog a ON a.id = v.app_id
            WHERE a.slug = $1 AND v.status IN ('active', 'deprecated', 'disabled')
            """;
    private static final String ADD = """
            INSERT INTO app_versions (id, app_id, version, runtime_backend, status, manifest, manifest_digest, revision, created_at,
                updated_at)
            VALUES ($1, $2, $3, $4, 'draft', $5::text::jsonb, $6, $7, $8, $8) ON CONFLICT DO NOTHING RETURNING id
            """;
    /** What it says changes in drafts alone, whatever the code asks for. */
    private static final String UPDATE = """
            UPDATE app_versions SET runtime_backend = CASE status WHEN 'draft' THEN $2 ELSE runtime_backend END,
                manifest = CASE status WHEN 'draft' THEN $3::text::jsonb ELSE manifest END,
                manifest_digest = CASE status WHEN 'draft' THEN $4 ELSE manifest_digest END,
                status = $5, deprecation_date = $6, successor = $7, registry_versions = $8::text::jsonb, revision = $9,
                updated_at = $10, published_at = $11
            WHERE id = $1
            """;

    private static final String SHOW_APP = "UPDATE app_catalog SET published = true WHERE id = $1 AND NOT published";
    private static final String WITHOUT_DIGEST =
            "SELECT id, manifest::text AS manifest FROM app_versions WHERE manifest_digest IS NULL";
    private static final String SET_DIGEST = "UPDATE app_versions SET manifest_digest = $2 WHERE id = $1";
    /** Before everything that there is, in the order of pages. */
    private static final OffsetDateTime END_OF_TIME = OffsetDateTime.of(9999, 1, 1, 0, 0, 0, 0, ZoneOffset.UTC);

    private static final UUID LAST_ID = new UUID(-1, -1);

    private final SqlClient reads;

    public VersionStore(SqlClient reads) {
        this.reads = reads;
    }

    Future<Page<AppVersion>> listTold(String slug, @Nullable Cursor after, int limit) {
        return reads.preparedQuery(PUBLISHED_APP).execute(Tuple.of(slug)).compose(found -> {
            var parameters = from(Tuple.of(appId(found, slug)), after).addInteger(limit + 1);
            return reads.preparedQuery(LIST_TOLD).execute(parameters).map(rows -> page(rows, limit));
        });
    }

    Future<Page<AppVersion>> listAll(
            @Nullable String slug, @Nullable String status, @Nullable Cursor after, int limit) {
        var parameters = from(Tuple.of(slug, status), after).addInteger(limit + 1);
        return reads.preparedQuery(LIST_ALL).execute(parameters).map(rows -> page(rows, limit));
    }

    Future<AppVersion> findTold(String slug, String version) {
        return reads.preparedQuery(FIND_TOLD).execute(Tuple.of(slug, version)).map(rows -> only(rows, slug, version));
    }

    Future<AppVersion> find(Queries from, String slug, String version) {
        return from.query(FIND, Tuple.of(slug, version)).map(rows -> only(rows, slug, version));
    }

    Future<AppVersion> lock(UnitOfWork unit, String slug, String version) {
        return unit.query(LOCK, Tuple.of(slug, version)).map(rows -> only(rows, slug, version));
    }

    /** Behind the app's lock: of two who register a version, the second sees the first's. */
    Future<UUID> lockApp(UnitOfWork unit, String slug) {
        return unit.query(LOCK_APP, Tuple.of(slug)).map(found -> appId(found, slug));
    }

    /** The versions of an app that instances can be of. */
    public Future<Set<String>> published(Queries from, String slug) {
        return from.query(PUBLISHED, Tuple.of(slug)).map(rows -> {
            var found = new HashSet<String>();
            rows.forEach(row -> found.add(row.getString(0)));
            return found;
        });
    }

    /** Whether it was added: the app may have, or have had, the version. */
    Future<Boolean> add(UnitOfWork unit, AppVersion draft) {
        var row = Tuple.from(new Object[] {
            draft.id(),
            draft.appId(),
            draft.version(),
            draft.runtimeBackend(),
            draft.manifest(),
            draft.manifestDigest(),
            draft.revision(),
            draft.createdAt().atOffset(ZoneOffset.UTC)
        });
        return unit.query(ADD, row).map(added -> added.size() > 0);
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
            published == null ? null : published.atOffset(ZoneOffset.UTC)
        }));
        if (event instanceof VersionEvent.Published) {
            unit.write(SHOW_APP, Tuple.of(next.appId()));
        }
        var type = VersionJson.type(event);
        if (type != null) {
            unit.announce(Topics.CATALOG_EVENTS, next.appId().toString(), type, VersionJson.event(next, event));
            snapshot(unit, next);
        }
    }

    /** For read models, once more. */
    public static void tell(UnitOfWork unit, Row row) {
        snapshot(unit, fromRow(row));
    }

    private static void snapshot(UnitOfWork unit, AppVersion version) {
        unit.announce(
                Topics.CATALOG_STATE,
                "version:" + version.id(),
                "catalog.version.snapshot",
                VersionJson.snapshot(version));
    }

    /** Adds a version of the seed, published, where the app has none of that name. */
    public Future<Void> seed(UnitOfWork unit, CatalogSeed.App seed) {
        var content = new Content(
                seed.runtimeBackend(), seed.manifest(), CanonicalJson.digest(Json.trusted(seed.manifest())));
        var draft = VersionLifecycle.register(
                seed.versionId(), seed.id(), seed.slug(), seed.version(), content, unit.now());
        return add(unit, draft).map(added -> {
            if (added && VersionLifecycle.publish(draft, "{}", unit.now()) instanceof Accepted published) {
                update(unit, published.next(), published.event());
            }
            return null;
        });
    }

    /** For versions from before digests were kept. */
    public Future<Void> ensureDigests(UnitOfWork unit) {
        return unit.query(WITHOUT_DIGEST, Tuple.tuple()).map(rows -> {
            rows.forEach(row -> unit.write(
                    SET_DIGEST,
                    Tuple.of(row.getUUID("id"), CanonicalJson.digest(Json.trusted(row.getString("manifest"))))));
            return null;
        });
    }

    private static UUID appId(RowSet<Row> found, String slug) {
        if (found.size() == 0) {
            throw Problem.of(ErrorCode.APP_NOT_FOUND, "There is no app " + slug + ".")
                    .asException();
        }
        return found.iterator().next().getUUID("id");
    }

    private static AppVersion only(RowSet<Row> rows, String slug, String version) {
        if (rows.size() == 0) {
            throw Problem.of(ErrorCode.APP_VERSION_NOT_FOUND, "There is no version " + version + " of " + slug + ".")
                    .asException();
        }
        return fromRow(rows.iterator().next());
    }

    private static Tuple from(Tuple parameters, @Nullable Cursor after) {
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
        var published = row.getOffsetDateTime("published_at");
        return new AppVersion(
                row.getUUID("id"),
                row.getUUID("app_id"),
                row.getString("slug"),
                row.getString("version"),
                row.getString("runtime_backend"),
                Status.of(row.getString("status")),
                row.getString("manifest"),
                row.getString("manifest_digest"),
                row.getLocalDate("deprecation_date"),
                row.getString("successor"),
                row.getString("registry_versions"),
                row.getLong("revision"),
                row.getOffsetDateTime("created_at").toInstant(),
                row.getOffsetDateTime("updated_at").toInstant(),
                published == null ? null : published.toInstant());
    }
}
