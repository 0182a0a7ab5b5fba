package dev.slipway.catalog.registry;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
import dev.slipway.messaging.Queries;
import dev.slipway.messaging.Topics;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** All SQL of the registries. Every change of an entry is a new version of it, kept with its author and announced. */
public final class RegistryStore {
    private static final String SELECT =
            "SELECT kind, id, version, state, body::text AS body, seed_version, created_at, updated_at"
                    + " FROM registry_entries ";
    public static final String AFTER = SELECT + "WHERE (kind, id) > ($1, $2) ORDER BY kind, id LIMIT $3 FOR SHARE";

    private static final String ACTIVE = SELECT + "WHERE kind = $1 AND id = ANY($2) AND state = 'active' ORDER BY id";
    private static final String KNOWN = SELECT + "WHERE kind = $1 AND id = ANY($2)";
    private static final String ALL_ACTIVE = SELECT + "WHERE kind = $1 AND state = 'active' ORDER BY id";
    private static final String FIND = SELECT + "WHERE kind = $1 AND id = $2";
    private static final String LOCK = FIND + " FOR UPDATE";
    private static final String LIST = SELECT + """
            WHERE kind = $1 AND ($2::text IS NULL OR state = $2) AND ($3::text IS NULL OR id > $3)
            ORDER BY id LIMIT $4
            """;
    private static final String VERSIONS = """
            SELECT kind, id, version, state, body::text AS body, author_type, author_id, author_name, created_at
            FROM registry_versions WHERE kind = $1 AND id = $2 ORDER BY version DESC LIMIT 500
            """;
    private static final String ADD = """
            INSERT INTO registry_entries (kind, id, version, state, body, seed_version, created_at, updated_at)
            VALUES ($1, $2, $3, $4, $5::text::jsonb, $6, $7, $7) ON CONFLICT DO NOTHING RETURNING id
            """;
    private static final String UPDATE = """
            UPDATE registry_entries SET version = $3, state = $4, body = $5::text::jsonb, seed_version = GREATEST(seed_version, $6),
                updated_at = $7
            WHERE kind = $1 AND id = $2
            """;
    private static final String KEEP = """
            INSERT INTO registry_versions (kind, id, version, state, body, author_type, author_id, author_name, created_at)
            VALUES ($1, $2, $3, $4, $5::text::jsonb, $6, $7, $8, $9)
            """;

    private final SqlClient reads;

    public RegistryStore(SqlClient reads) {
        this.reads = reads;
    }

    /** Those of the ids that can be put to use, by id: what is unknown, or not active, is absent. */
    public Future<Map<String, RegistryEntry>> active(Queries from, String kind, Collection<String> ids) {
        return among(ids, ACTIVE, from, kind);
    }

    /** The same of whatever state. */
    public Future<Map<String, RegistryEntry>> known(Queries from, String kind, Collection<String> ids) {
        return among(ids, KNOWN, from, kind);
    }

    private static Future<Map<String, RegistryEntry>> among(
            Collection<String> ids, String sql, Queries from, String kind) {
        return ids.isEmpty()
                ? Future.succeededFuture(Map.of())
                : from.query(sql, Tuple.of(kind).addArrayOfString(ids.toArray(String[]::new)))
                        .map(RegistryStore::byId);
    }

    /** All entries of a kind that can be put to use, by id. */
    public Future<Map<String, RegistryEntry>> active(Queries from, String kind) {
        return from.query(ALL_ACTIVE, Tuple.of(kind)).map(RegistryStore::byId);
    }

    /** Adds an entry of the seed, or brings it to the seed's newer version. What an administrator did since the last seed stands until then. */
    public Future<Boolean> seed(UnitOfWork unit, RegistryEntry seeded) {
        return lock(unit, seeded.kind(), seeded.id()).compose(found -> {
            if (found == null) {
                var first = new RegistryEntry(seeded.kind(), seeded.id(), 1, seeded.state(), seeded.body());
                return add(unit, first, seeded.version(), Author.SEED);
            }
            if (found.seedVersion >= seeded.version()) {
                return Future.succeededFuture(false);
            }
            var next = new RegistryEntry(
                    seeded.kind(), seeded.id(), found.entry.version() + 1, seeded.state(), seeded.body());
            update(unit, next, seeded.version(), Author.SEED);
            return Future.succeededFuture(true);
        });
    }

    /** Keeps an entry that another service owns, in the state of its revision; one that is not newer changes nothing. */
    Future<Void> follow(UnitOfWork unit, RegistryEntry owned, long revision) {
        return lock(unit, owned.kind(), owned.id()).compose(found -> {
            if (found == null) {
                return add(unit, owned, revision, Author.IAM).mapEmpty();
            }
            var kept = found.entry;
            if (found.seedVersion < revision
                    && !(kept.state().equals(owned.state()) && kept.body().equals(owned.body()))) {
                update(
                        unit,
                        new RegistryEntry(kept.kind(), kept.id(), kept.version() + 1, owned.state(), owned.body()),
                        revision,
                        Author.IAM);
            }
            return Future.succeededFuture();
        });
    }

    Future<Boolean> add(UnitOfWork unit, RegistryEntry entry, long seedVersion, Author author) {
        return unit.query(ADD, row(unit, entry, seedVersion)).map(added -> {
            if (added.size() > 0) {
                changed(unit, entry, author);
            }
            return added.size() > 0;
        });
    }

    void update(UnitOfWork unit, RegistryEntry next, long seedVersion, Author author) {
        unit.write(UPDATE, row(unit, next, seedVersion));
        changed(unit, next, author);
    }

    Future<@Nullable Kept> lock(UnitOfWork unit, String kind, String id) {
        return unit.query(LOCK, Tuple.of(kind, id)).map(RegistryStore::first);
    }

    Future<@Nullable Kept> find(String kind, String id) {
        return reads.preparedQuery(FIND).execute(Tuple.of(kind, id)).map(RegistryStore::first);
    }

    /** In the order of ids, after one of them. */
    Future<List<Kept>> list(String kind, @Nullable String state, @Nullable String after, int limit) {
        return reads.preparedQuery(LIST)
                .execute(Tuple.of(kind, state, after, limit))
                .map(rows -> {
                    var found = new ArrayList<Kept>(rows.size());
                    rows.forEach(row -> found.add(kept(row)));
                    return found;
                });
    }

    /** Newest first. */
    Future<List<Past>> versions(String kind, String id) {
        return reads.preparedQuery(VERSIONS).execute(Tuple.of(kind, id)).map(rows -> {
            var found = new ArrayList<Past>(rows.size());
            rows.forEach(row -> found.add(new Past(
                    entry(row),
                    new Author(row.getString("author_type"), row.getUUID("author_id"), row.getString("author_name")),
                    time(row, "created_at"))));
            return found;
        });
    }

    /** An entry as it is now. */
    record Kept(RegistryEntry entry, long seedVersion, String createdAt, String updatedAt) {}

    /** An entry as it was made by somebody, some time. */
    record Past(RegistryEntry entry, Author author, String createdAt) {}

    private static void changed(UnitOfWork unit, RegistryEntry entry, Author author) {
        unit.write(KEEP, Tuple.from(new Object[] {
            entry.kind(),
            entry.id(),
            entry.version(),
            entry.state(),
            Json.text(entry.body()),
            author.type(),
            author.id(),
            author.name(),
            unit.now().atOffset(ZoneOffset.UTC)
        }));
        unit.announce(Topics.CATALOG_EVENTS, key(entry), "registries.entry.changed", fact(entry));
        snapshot(unit, entry);
    }

    /** For read models, once more. */
    public static void tell(UnitOfWork unit, Row row) {
        snapshot(unit, entry(row));
    }

    private static void snapshot(UnitOfWork unit, RegistryEntry entry) {
        var snapshot = fact(entry).put("revision", entry.version());
        snapshot.set("body", entry.body());
        unit.announce(Topics.CATALOG_STATE, key(entry), "catalog.registry.snapshot", snapshot);
    }

    private static String key(RegistryEntry entry) {
        return "registry:" + entry.kind() + ":" + entry.id();
    }

    private static ObjectNode fact(RegistryEntry entry) {
        return Json.object()
                .put("kind", entry.kind())
                .put("entry_id", entry.id())
                .put("entry_version", entry.version())
                .put("lifecycle", entry.state());
    }

    private static Tuple row(UnitOfWork unit, RegistryEntry entry, long seedVersion) {
        return Tuple.from(new Object[] {
            entry.kind(),
            entry.id(),
            entry.version(),
            entry.state(),
            Json.text(entry.body()),
            seedVersion,
            unit.now().atOffset(ZoneOffset.UTC)
        });
    }

    private static Map<String, RegistryEntry> byId(RowSet<Row> rows) {
        var found = new LinkedHashMap<String, RegistryEntry>();
        rows.forEach(row -> found.put(row.getString("id"), entry(row)));
        return found;
    }

    private static @Nullable Kept first(RowSet<Row> rows) {
        return rows.size() == 0 ? null : kept(rows.iterator().next());
    }

    private static Kept kept(Row row) {
        return new Kept(entry(row), row.getLong("seed_version"), time(row, "created_at"), time(row, "updated_at"));
    }

    private static RegistryEntry entry(Row row) {
        return new RegistryEntry(
                row.getString("kind"),
                row.getString("id"),
                row.getInteger("version"),
                row.getString("state"),
                Json.trusted(row.getString("body")));
    }

    private static String time(Row row, String column) {
        return row.getOffsetDateTime(column).toInstant().toString();
    }
}
