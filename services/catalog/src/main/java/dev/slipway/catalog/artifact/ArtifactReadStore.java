package dev.slipway.catalog.artifact;

import dev.slipway.catalog.artifact.ArtifactJson.HistoryEntry;
import dev.slipway.catalog.artifact.ArtifactJson.VerificationFields;
import dev.slipway.catalog.artifact.domain.Artifact;
import dev.slipway.catalog.artifact.domain.Artifact.Channel;
import dev.slipway.catalog.artifact.domain.Artifact.Kind;
import dev.slipway.catalog.artifact.domain.Artifact.Lifecycle;
import dev.slipway.catalog.artifact.domain.Artifact.Trust;
import dev.slipway.catalog.artifact.domain.Artifact.Visibility;
import dev.slipway.catalog.artifact.source.domain.Digest;
import dev.slipway.contract.Cursor;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
import dev.slipway.contract.ProblemException;
import dev.slipway.contract.domain.TextEnum;
import dev.slipway.messaging.SqlTime;
import dev.slipway.messaging.TableColumns;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.Page;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;

/** Reads artifacts and their history as a project sees them. */
public final class ArtifactReadStore {
    static final TableColumns COLUMNS = TableColumns.of(
                    "app_artifacts",
                    "id",
                    "resource_name",
                    "org_id",
                    "project_id",
                    "app_slug",
                    "artifact_type",
                    "artifact_type_version",
                    "artifact_kind",
                    "source_type",
                    "source_uri",
                    "source_ref",
                    "source_size_bytes",
                    "source_content_encoding",
                    "repository",
                    "tag",
                    "digest",
                    "media_type",
                    "size_bytes",
                    "visibility",
                    "lifecycle_state",
                    "trust_state",
                    "trust_reason",
                    "channel",
                    "verification",
                    "sequence",
                    "created_by_principal_id",
                    "created_by_user_id",
                    "created_at",
                    "updated_at",
                    "release_verdict_id")
            .withJson("verification");
    static final TableColumns HISTORY_COLUMNS = TableColumns.of(
            "artifact_history",
            "id",
            "artifact_id",
            "project_id",
            "sequence",
            "event",
            "lifecycle_state",
            "trust_from",
            "trust_to",
            "channel",
            "reason",
            "actor_principal_id",
            "actor_type",
            "correlation_id",
            "occurred_at");
    /** A revoked digest is revoked in every project that has registered it. */
    static final String SELECT = "SELECT " + COLUMNS.listOf("a") + """
            , r.digest IS NOT NULL AS revoked, r.reason AS revoked_reason
            FROM app_artifacts a LEFT JOIN revoked_digests r ON r.digest = a.digest
            """;
    /** The project's own artifacts and those shared with it. */
    private static final String VISIBLE =
            "(a.project_id = $2 OR (a.visibility = 'tenant' AND a.org_id = $3) OR a.visibility = 'platform')";

    private static final String FIND = SELECT + " WHERE a.id = $1 AND " + VISIBLE;
    private static final String FIND_OWN = SELECT + " WHERE a.id = $1 AND a.project_id = $2";
    private static final String LIST = SELECT + """
            WHERE (a.project_id = $1 OR ($2 AND ((a.visibility = 'tenant' AND a.org_id = $3) OR a.visibility = 'platform')))
            AND ($4::timestamptz IS NULL OR (a.created_at, a.id) < ($4, $5::uuid))
            AND ($6::text IS NULL OR a.lifecycle_state = $6)
            AND ($7::text IS NULL OR CASE WHEN r.digest IS NULL THEN a.trust_state ELSE 'revoked' END = $7)
            AND ($8::text IS NULL OR a.channel = $8) AND ($9::text IS NULL OR a.artifact_type = $9)
            AND ($10::text IS NULL OR a.app_slug = $10) AND ($11::text IS NULL OR a.digest = $11)
            ORDER BY a.created_at DESC, a.id DESC LIMIT $12
            """;
    private static final String HISTORY = HISTORY_COLUMNS.select() + """
            WHERE artifact_id = $1 AND project_id = $2
            AND ($3::timestamptz IS NULL OR (occurred_at, id) < ($3, $4::uuid))
            ORDER BY occurred_at DESC, id DESC LIMIT $5
            """;
    private static final String COUNT_BY_TRUST = """
            SELECT CASE WHEN r.digest IS NULL THEN a.trust_state ELSE 'revoked' END AS trust_state, count(*) AS artifacts
            FROM app_artifacts a LEFT JOIN revoked_digests r ON r.digest = a.digest GROUP BY 1
            """;

    private final SqlClient reads;

    public ArtifactReadStore(SqlClient reads) {
        this.reads = reads;
    }

    /** Finds an artifact that is visible to the project. */
    Future<Artifact> find(@Nullable UUID orgId, UUID projectId, UUID id) {
        return reads.preparedQuery(FIND).execute(Tuple.of(id, projectId, orgId)).compose(rows -> requireOne(rows, id));
    }

    /** Finds an artifact of the project itself. */
    Future<Artifact> findOwn(UUID projectId, UUID id) {
        return reads.preparedQuery(FIND_OWN).execute(Tuple.of(id, projectId)).compose(rows -> requireOne(rows, id));
    }

    /** Like {@link #find(UUID, UUID, UUID)}, within a transaction. */
    Future<Artifact> find(UnitOfWork unit, UUID orgId, UUID projectId, UUID id) {
        return unit.query(FIND, Tuple.of(id, projectId, orgId)).compose(rows -> requireOne(rows, id));
    }

    Future<Page<Artifact>> list(
            @Nullable UUID orgId, UUID projectId, ArtifactFilter filter, @Nullable Cursor after, int limit) {
        var parameters = Tuple.from(new @Nullable Object[] {
            projectId,
            filter.shared(),
            orgId,
            after == null ? null : SqlTime.of(after.createdAt()),
            after == null ? null : after.id(),
            filter.lifecycleState(),
            filter.trustState(),
            filter.channel(),
            filter.artifactType(),
            filter.appSlug(),
            filter.digest(),
            limit + 1
        });
        return reads.preparedQuery(LIST).execute(parameters).map(rows -> {
            var all = new ArrayList<Artifact>(rows.size());
            rows.forEach(row -> all.add(fromRow(row)));
            return Page.of(all, limit, last -> new Cursor(last.createdAt(), last.id()));
        });
    }

    Future<Page<HistoryEntry>> history(Artifact artifact, @Nullable Cursor after, int limit) {
        var parameters = Tuple.of(
                artifact.id(),
                artifact.projectId(),
                after == null ? null : SqlTime.of(after.createdAt()),
                after == null ? null : after.id(),
                limit + 1);
        return reads.preparedQuery(HISTORY).execute(parameters).map(rows -> {
            var entries = new ArrayList<HistoryEntry>(rows.size());
            rows.forEach(row -> entries.add(toHistoryEntry(row)));
            return Page.of(entries, limit, last -> new Cursor(last.occurredAt(), last.id()));
        });
    }

    /** Counts the artifacts of all tenants, for metrics. */
    Future<Map<String, Long>> countByTrust() {
        return reads.query(COUNT_BY_TRUST).execute().map(rows -> {
            var counted = new HashMap<String, Long>();
            rows.forEach(row -> counted.put(row.getString("trust_state"), row.getLong("artifacts")));
            return counted;
        });
    }

    static ProblemException notFound(UUID id) {
        return Problem.of(ErrorCode.ARTIFACT_NOT_FOUND, "Artifact " + id + " does not exist in this project.")
                .asException();
    }

    static Artifact fromRow(Row row) {
        var verification = row.getString("verification");
        var channel = row.getString("channel");
        var stored = new Artifact(
                row.getUUID("id"),
                row.getString("resource_name"),
                row.getUUID("org_id"),
                row.getUUID("project_id"),
                row.getString("app_slug"),
                row.getString("artifact_type"),
                row.getInteger("artifact_type_version"),
                TextEnum.parse(Kind.class, row.getString("artifact_kind")),
                new Artifact.Source(
                        row.getString("source_type"),
                        row.getString("source_uri"),
                        row.getString("source_ref"),
                        row.getLong("source_size_bytes"),
                        row.getString("source_content_encoding")),
                row.getString("repository"),
                row.getString("tag"),
                new Digest(row.getString("digest")),
                row.getString("media_type"),
                row.getLong("size_bytes"),
                TextEnum.parse(Visibility.class, row.getString("visibility")),
                TextEnum.parse(Lifecycle.class, row.getString("lifecycle_state")),
                TextEnum.parse(Trust.class, row.getString("trust_state")),
                row.getString("trust_reason"),
                channel == null ? null : TextEnum.parse(Channel.class, channel),
                verification == null ? null : VerificationFields.parse(verification),
                row.getUUID("created_by_principal_id"),
                row.getUUID("created_by_user_id"),
                row.getLong("sequence"),
                SqlTime.read(row, "created_at"),
                SqlTime.read(row, "updated_at"),
                row.getUUID("release_verdict_id"));
        return row.getBoolean("revoked") ? stored.withRevokedDigest(row.getString("revoked_reason")) : stored;
    }

    private static HistoryEntry toHistoryEntry(Row row) {
        return new HistoryEntry(
                row.getUUID("id"),
                row.getLong("sequence"),
                row.getString("event"),
                row.getString("lifecycle_state"),
                row.getString("trust_from"),
                row.getString("trust_to"),
                row.getString("channel"),
                row.getString("reason"),
                row.getUUID("actor_principal_id"),
                row.getString("actor_type"),
                row.getString("correlation_id"),
                SqlTime.read(row, "occurred_at"));
    }

    private static Future<Artifact> requireOne(RowSet<Row> rows, UUID id) {
        return rows.size() == 0
                ? Future.failedFuture(notFound(id))
                : Future.succeededFuture(fromRow(rows.iterator().next()));
    }
}
