package dev.slipway.catalog.registry;

import dev.slipway.catalog.registry.RegistryJson.ChangedEvent;
import dev.slipway.catalog.registry.RegistryJson.Snapshot;
import dev.slipway.contract.Json;
import dev.slipway.contract.domain.RegistryKind;
import dev.slipway.contract.domain.RegistryLifecycle;
import dev.slipway.contract.domain.TextEnum;
import dev.slipway.messaging.QueryExecutor;
import dev.slipway.messaging.SqlTime;
import dev.slipway.messaging.TableColumns;
import dev.slipway.messaging.Topics;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Stores registry entries and all their versions. Every change appends a version, an event and a snapshot. */
public final class RegistryStore {
    private static final TableColumns ENTRIES = TableColumns.of(
                    "registry_entries",
                    "kind",
                    "id",
                    "version",
                    "state",
                    "body",
                    "seed_version",
                    "updated_at",
                    "created_at")
            .withJson("body");
    private static final TableColumns VERSIONS = TableColumns.of(
                    "registry_versions",
                    "kind",
                    "id",
                    "version",
                    "state",
                    "body",
                    "author_type",
                    "author_id",
                    "author_name",
                    "created_at")
            .withJson("body");
    private static final String SELECT = ENTRIES.select();
    public static final String AFTER = SELECT + "WHERE (kind, id) > ($1, $2) ORDER BY kind, id LIMIT $3 FOR SHARE";

    private static final String ACTIVE = SELECT + "WHERE kind = $1 AND id = ANY($2) AND state = 'active' ORDER BY id";
    private static final String FIND_ANY = SELECT + "WHERE kind = $1 AND id = ANY($2)";
    private static final String FIND = SELECT + "WHERE kind = $1 AND id = $2";
    private static final String LOCK = FIND + " FOR UPDATE";
    private static final String LIST = SELECT + """
            WHERE kind = $1 AND ($2::text IS NULL OR state = $2) AND ($3::text IS NULL OR id > $3)
            ORDER BY id LIMIT $4
            """;
    private static final String LIST_VERSIONS =
            VERSIONS.select() + "WHERE kind = $1 AND id = $2 ORDER BY version DESC LIMIT 500";
    private static final String INSERT = ENTRIES.insert() + "ON CONFLICT DO NOTHING RETURNING id";
    private static final String UPDATE = """
            UPDATE registry_entries SET version = $3, state = $4, body = $5::text::jsonb, seed_version = GREATEST(seed_version, $6),
                updated_at = $7
            WHERE kind = $1 AND id = $2
            """;
    private static final String INSERT_VERSION = VERSIONS.insert();

    private final SqlClient reads;

    public RegistryStore(SqlClient reads) {
        this.reads = reads;
    }

    /**
     * The current version of an entry.
     *
     * @param seedVersion the version of the seed, or the owner's revision, that was applied last
     */
    record StoredEntry(RegistryEntry entry, long seedVersion, Instant createdAt, Instant updatedAt) {}

    /** A version of an entry, with its author. */
    record EntryVersion(RegistryEntry entry, RegistryAuthor author, Instant createdAt) {}

    /** Returns the active entries among the ids, by id. */
    public Future<Map<String, RegistryEntry>> findActive(
            QueryExecutor executor, RegistryKind kind, Collection<String> ids) {
        return findByIds(executor, ACTIVE, kind, ids);
    }

    /** Returns the existing entries among the ids in any lifecycle state, by id. */
    public Future<Map<String, RegistryEntry>> findAny(
            QueryExecutor executor, RegistryKind kind, Collection<String> ids) {
        return findByIds(executor, FIND_ANY, kind, ids);
    }

    private static Future<Map<String, RegistryEntry>> findByIds(
            QueryExecutor executor, String sql, RegistryKind kind, Collection<String> ids) {
        return ids.isEmpty()
                ? Future.succeededFuture(Map.of())
                : executor.query(sql, Tuple.of(kind.text()).addArrayOfString(ids.toArray(String[]::new)))
                        .map(rows -> {
                            var entries = new LinkedHashMap<String, RegistryEntry>();
                            rows.forEach(row -> entries.put(row.getString("id"), toEntry(row)));
                            return entries;
                        });
    }

    Future<@Nullable StoredEntry> find(RegistryKind kind, String id) {
        return reads.preparedQuery(FIND).execute(Tuple.of(kind.text(), id)).map(RegistryStore::firstOrNull);
    }

    Future<@Nullable StoredEntry> lock(UnitOfWork unit, RegistryKind kind, String id) {
        return unit.query(LOCK, Tuple.of(kind.text(), id)).map(RegistryStore::firstOrNull);
    }

    /** Lists entries ordered by id, starting after the given id. */
    Future<List<StoredEntry>> list(RegistryKind kind, @Nullable String lifecycle, @Nullable String afterId, int limit) {
        return reads.preparedQuery(LIST)
                .execute(Tuple.of(kind.text(), lifecycle, afterId, limit))
                .map(rows -> {
                    var entries = new ArrayList<StoredEntry>(rows.size());
                    rows.forEach(row -> entries.add(toStoredEntry(row)));
                    return entries;
                });
    }

    /** Lists versions, newest first. */
    Future<List<EntryVersion>> listVersions(RegistryKind kind, String id) {
        return reads.preparedQuery(LIST_VERSIONS)
                .execute(Tuple.of(kind.text(), id))
                .map(rows -> {
                    var versions = new ArrayList<EntryVersion>(rows.size());
                    rows.forEach(row -> versions.add(new EntryVersion(
                            toEntry(row),
                            new RegistryAuthor(
                                    row.getString("author_type"),
                                    row.getUUID("author_id"),
                                    row.getString("author_name")),
                            SqlTime.read(row, "created_at"))));
                    return versions;
                });
    }

    /** Returns false if the entry exists. */
    Future<Boolean> insert(UnitOfWork unit, RegistryEntry entry, long seedVersion, RegistryAuthor author) {
        var row = parameters(unit, entry, seedVersion).addValue(SqlTime.of(unit.now()));
        return unit.query(INSERT, row).map(inserted -> {
            if (inserted.size() > 0) {
                appendVersion(unit, entry, author);
            }
            return inserted.size() > 0;
        });
    }

    void update(UnitOfWork unit, RegistryEntry next, long seedVersion, RegistryAuthor author) {
        unit.write(UPDATE, parameters(unit, next, seedVersion));
        appendVersion(unit, next, author);
    }

    /** Publishes the snapshot of a row of {@link #AFTER} again. */
    public static void republish(UnitOfWork unit, Row row) {
        publishSnapshot(unit, toEntry(row));
    }

    private static void appendVersion(UnitOfWork unit, RegistryEntry entry, RegistryAuthor author) {
        unit.write(INSERT_VERSION, Tuple.from(new Object[] {
            entry.kind().text(),
            entry.id(),
            entry.version(),
            entry.lifecycle().text(),
            Json.text(entry.body()),
            author.actorType(),
            author.principalId(),
            author.displayName(),
            SqlTime.of(unit.now())
        }));
        unit.publish(
                Topics.CATALOG_EVENTS, key(entry), "registries.entry.changed", Json.toObject(ChangedEvent.of(entry)));
        publishSnapshot(unit, entry);
    }

    private static void publishSnapshot(UnitOfWork unit, RegistryEntry entry) {
        unit.publish(Topics.CATALOG_STATE, key(entry), "catalog.registry.snapshot", Json.toObject(Snapshot.of(entry)));
    }

    private static String key(RegistryEntry entry) {
        return "registry:" + entry.kind().text() + ":" + entry.id();
    }

    private static Tuple parameters(UnitOfWork unit, RegistryEntry entry, long seedVersion) {
        return Tuple.from(new Object[] {
            entry.kind().text(),
            entry.id(),
            entry.version(),
            entry.lifecycle().text(),
            Json.text(entry.body()),
            seedVersion,
            SqlTime.of(unit.now())
        });
    }

    private static @Nullable StoredEntry firstOrNull(RowSet<Row> rows) {
        return rows.size() == 0 ? null : toStoredEntry(rows.iterator().next());
    }

    private static StoredEntry toStoredEntry(Row row) {
        return new StoredEntry(
                toEntry(row),
                row.getLong("seed_version"),
                SqlTime.read(row, "created_at"),
                SqlTime.read(row, "updated_at"));
    }

    private static RegistryEntry toEntry(Row row) {
        return new RegistryEntry(
                TextEnum.parse(RegistryKind.class, row.getString("kind")),
                row.getString("id"),
                row.getInteger("version"),
                TextEnum.parse(RegistryLifecycle.class, row.getString("state")),
                Json.parseStoredObject(row.getString("body")));
    }
}
