package dev.slipway.audit.evidence;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Cursor;
import dev.slipway.contract.Json;
import dev.slipway.contract.domain.RegistryLifecycle;
import dev.slipway.contract.domain.TextEnum;
import dev.slipway.messaging.QueryExecutor;
import dev.slipway.messaging.SqlTime;
import dev.slipway.messaging.TableColumns;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/** All SQL of evidence. Rows are inserted and read, never changed, except that their content is deleted at the end of its retention. */
public final class EvidenceStore {
    private static final TableColumns WRITTEN = TableColumns.of(
            "evidence_items",
            "id",
            "release_id",
            "sequence",
            "type",
            "type_version",
            "owner",
            "subject",
            "result",
            "source_sha",
            "fields",
            "format",
            "digest",
            "content_digest",
            "content_bytes",
            "retention_class",
            "release_blocking",
            "producer_id",
            "producer_type",
            "correlation_id",
            "supersedes_id",
            "recorded_at");
    private static final TableColumns COLUMNS = WRITTEN.and("content_deleted_at");
    private static final TableColumns WITH_CONTENT = COLUMNS.and("content");
    private static final String INSERT = WRITTEN.and("content").insert();
    private static final String LIST_CURRENT = "SELECT DISTINCT ON (release_id, type, subject) " + COLUMNS.list()
            + " FROM evidence_items WHERE release_id = ANY($1) ORDER BY release_id, type, subject, sequence DESC";
    private static final String LIST = COLUMNS.select() + """
            e WHERE release_id = $1 AND (recorded_at, id) < ($2, $3)
                AND ($4 OR NOT EXISTS (SELECT FROM evidence_items s WHERE s.supersedes_id = e.id))
            ORDER BY recorded_at DESC, id DESC LIMIT $5
            """;
    private static final String FIND = WITH_CONTENT.select() + "WHERE release_id = $1 AND id = $2";
    private static final String FIND_ALL = WITH_CONTENT.select() + "WHERE release_id = ANY($1) AND id = ANY($2)";
    private static final String COUNT = "SELECT count(*) AS items FROM evidence_items WHERE release_id = $1";
    private static final String DELETE_EXPIRED = "SELECT * FROM delete_expired_evidence($1, $2)";
    private static final String FIND_RETAINED = """
            SELECT DISTINCT content_digest FROM evidence_items WHERE content_digest = ANY($1) AND content_deleted_at IS NULL
            """;
    /** The outbox has the events that are not published yet. */
    private static final String FIND_OLDEST_UNPUBLISHED =
            "SELECT occurred_at FROM outbox WHERE event_type = 'evidence.release.snapshot' ORDER BY seq LIMIT 1";

    private static final TableColumns TYPES = TableColumns.of("evidence_types", "id", "version", "lifecycle", "body")
            .withJson("body");
    private static final String UPSERT_TYPE = TYPES.upsert("id") + "WHERE evidence_types.version <= $2";
    private static final String INSERT_TYPE = TYPES.insert() + "ON CONFLICT DO NOTHING";
    private static final String LIST_TYPES = TYPES.select() + "ORDER BY id";

    private final SqlClient reads;

    /** An evidence type as the registry stores it. */
    record StoredType(String id, int version, RegistryLifecycle lifecycle, ObjectNode body) {}

    /** A row and its inline content; the content is null if there is none, or if it is in the object store. */
    record EvidenceRow(Evidence evidence, byte @Nullable [] content) {}

    /** The content of an item that was deleted; that of an item with {@code inRow} was not in the object store. */
    record ExpiredContent(
            UUID releaseId,
            @Nullable UUID orgId,
            @Nullable UUID projectId,
            String digest,
            String retentionClass,
            boolean inRow) {}

    public EvidenceStore(SqlClient reads) {
        this.reads = reads;
    }

    QueryExecutor reads() {
        return QueryExecutor.of(reads);
    }

    void insert(UnitOfWork unit, Evidence evidence, byte @Nullable [] inlineContent) {
        unit.write(INSERT, Tuple.from(new @Nullable Object[] {
            evidence.id(),
            evidence.releaseId(),
            evidence.sequence(),
            evidence.type(),
            evidence.typeVersion(),
            evidence.owner(),
            evidence.subject(),
            evidence.result(),
            evidence.sourceSha(),
            Json.text(evidence.fields()),
            evidence.format(),
            evidence.digest(),
            evidence.contentDigest(),
            evidence.contentBytes(),
            evidence.retentionClass(),
            evidence.releaseBlocking(),
            evidence.producerId(),
            evidence.producerType(),
            evidence.correlationId(),
            evidence.supersedesId(),
            SqlTime.of(evidence.recordedAt()),
            inlineContent == null ? null : Buffer.buffer(inlineContent)
        }));
    }

    /** Returns the newest evidence of every type and subject of the candidates. */
    Future<List<Evidence>> listCurrent(QueryExecutor executor, Collection<UUID> releaseIds) {
        return executor.query(LIST_CURRENT, Tuple.tuple().addArrayOfUUID(releaseIds.toArray(UUID[]::new)))
                .map(rows -> ReleaseStore.list(rows, EvidenceStore::toEvidence));
    }

    Future<List<Evidence>> list(UUID releaseId, boolean superseded, @Nullable Cursor after, int limit) {
        var parameters = ReleaseStore.withCursor(Tuple.of(releaseId), after)
                .addBoolean(superseded)
                .addInteger(limit);
        return reads.preparedQuery(LIST)
                .execute(parameters)
                .map(rows -> ReleaseStore.list(rows, EvidenceStore::toEvidence));
    }

    Future<@Nullable EvidenceRow> find(UUID releaseId, UUID id) {
        return reads.preparedQuery(FIND)
                .execute(Tuple.of(releaseId, id))
                .map(rows -> rows.size() == 0 ? null : toRow(rows.iterator().next()));
    }

    Future<List<EvidenceRow>> findAll(Collection<UUID> releaseIds, Collection<UUID> ids) {
        return reads.preparedQuery(FIND_ALL)
                .execute(Tuple.tuple()
                        .addArrayOfUUID(releaseIds.toArray(UUID[]::new))
                        .addArrayOfUUID(ids.toArray(UUID[]::new)))
                .map(rows -> ReleaseStore.list(rows, EvidenceStore::toRow));
    }

    Future<Long> count(UnitOfWork unit, UUID releaseId) {
        return unit.query(COUNT, Tuple.of(releaseId))
                .map(rows -> rows.iterator().next().getLong("items"));
    }

    /** Deletes the content of up to {@code limit} items whose retention has ended and returns them. Content outside the row is not deleted. */
    Future<List<ExpiredContent>> deleteExpired(UnitOfWork unit, int limit) {
        return unit.query(DELETE_EXPIRED, Tuple.of(SqlTime.of(unit.now()), limit))
                .map(rows -> ReleaseStore.list(
                        rows,
                        row -> new ExpiredContent(
                                row.getUUID("release_id"),
                                row.getUUID("org_id"),
                                row.getUUID("project_id"),
                                row.getString("content_digest"),
                                row.getString("retention_class"),
                                row.getBoolean("in_row"))));
    }

    /** Returns those of the digests whose content belongs to an item that still has it. */
    Future<Set<String>> findRetained(UnitOfWork unit, Collection<String> digests) {
        return unit.query(FIND_RETAINED, Tuple.tuple().addArrayOfString(digests.toArray(String[]::new)))
                .map(rows -> Set.copyOf(ReleaseStore.list(rows, row -> row.getString("content_digest"))));
    }

    /** Returns when the oldest verdict that is not published yet was committed, or null if all are published. */
    Future<@Nullable Instant> findOldestUnpublished() {
        return reads.preparedQuery(FIND_OLDEST_UNPUBLISHED)
                .execute()
                .map(rows ->
                        rows.size() == 0 ? null : SqlTime.read(rows.iterator().next(), "occurred_at"));
    }

    /** Stores a type, unless a later version is stored. */
    void upsertType(UnitOfWork unit, StoredType type) {
        unit.write(UPSERT_TYPE, parameters(type));
    }

    void insertTypeIfMissing(UnitOfWork unit, StoredType type) {
        unit.write(INSERT_TYPE, parameters(type));
    }

    Future<List<StoredType>> listTypes(QueryExecutor executor) {
        return executor.query(LIST_TYPES, Tuple.tuple())
                .map(rows -> ReleaseStore.list(
                        rows,
                        row -> new StoredType(
                                row.getString("id"),
                                row.getInteger("version"),
                                TextEnum.parse(RegistryLifecycle.class, row.getString("lifecycle")),
                                Json.parseStoredObject(row.getString("body")))));
    }

    private static Tuple parameters(StoredType type) {
        return Tuple.of(type.id, type.version, type.lifecycle.text(), Json.text(type.body));
    }

    private static EvidenceRow toRow(Row row) {
        var content = row.getBuffer("content");
        return new EvidenceRow(toEvidence(row), content == null ? null : content.getBytes());
    }

    private static Evidence toEvidence(Row row) {
        return new Evidence(
                row.getUUID("id"),
                row.getUUID("release_id"),
                row.getLong("sequence"),
                row.getString("type"),
                row.getInteger("type_version"),
                row.getString("owner"),
                row.getString("subject"),
                row.getString("result"),
                row.getString("source_sha"),
                Json.parseStoredObject(row.getString("fields")),
                row.getString("format"),
                row.getString("digest"),
                row.getString("content_digest"),
                row.getLong("content_bytes"),
                row.getString("retention_class"),
                row.getBoolean("release_blocking"),
                row.getUUID("producer_id"),
                row.getString("producer_type"),
                row.getString("correlation_id"),
                row.getUUID("supersedes_id"),
                SqlTime.read(row, "recorded_at"),
                SqlTime.readNullable(row, "content_deleted_at"));
    }
}
