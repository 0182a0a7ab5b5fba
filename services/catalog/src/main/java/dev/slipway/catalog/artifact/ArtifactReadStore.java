package dev.slipway.catalog.artifact;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.catalog.artifact.domain.Artifact;
import dev.slipway.catalog.artifact.domain.Artifact.Channel;
import dev.slipway.catalog.artifact.domain.Artifact.Kind;
import dev.slipway.catalog.artifact.domain.Artifact.Lifecycle;
import dev.slipway.catalog.artifact.domain.Artifact.Trust;
import dev.slipway.catalog.artifact.domain.Artifact.Visibility;
import dev.slipway.catalog.source.domain.Digest;
import dev.slipway.contract.Cursor;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.contract.ProblemException;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.Page;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;

/** The SQL that reads artifacts and their history, in the scope of a project. */
public final class ArtifactReadStore {
    static final String SELECT = """
            SELECT a.id, a.resource_name, a.org_id, a.project_id, a.app_slug, a.artifact_type, a.artifact_type_version, a.artifact_kind,
                a.source_type, a.source_uri, a.source_ref, a.source_size_bytes, a.source_content_encoding, a.repository, a.tag, a.digest,
                a.media_type, a.size_bytes, a.visibility, a.lifecycle_state,
                CASE WHEN r.digest IS NULL THEN a.trust_state ELSE 'revoked' END AS trust_state,
                CASE WHEN r.digest IS NULL THEN a.trust_reason ELSE r.reason END AS trust_reason,
                a.channel, a.verification::text AS verification, a.sequence, a.created_by_principal_id, a.created_by_user_id,
                a.created_at, a.updated_at
            FROM app_artifacts a LEFT JOIN revoked_digests r ON r.digest = a.digest
            """;
    /** A project's own, and what is shared with it. */
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
    private static final String HISTORY = """
            SELECT id, sequence, event, lifecycle_state, trust_from, trust_to, channel, reason, actor_principal_id, actor_type,
                correlation_id, occurred_at
            FROM artifact_history WHERE artifact_id = $1 AND project_id = $2
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

    /** One that the project may see. */
    Future<Artifact> find(@Nullable UUID orgId, UUID projectId, UUID id) {
        return reads.preparedQuery(FIND).execute(Tuple.of(id, projectId, orgId)).compose(rows -> found(rows, id));
    }

    /** One of the project itself. */
    Future<Artifact> findOwn(UUID projectId, UUID id) {
        return reads.preparedQuery(FIND_OWN).execute(Tuple.of(id, projectId)).compose(rows -> found(rows, id));
    }

    /** One that the project may see, as it is in this transaction. */
    Future<Artifact> find(UnitOfWork unit, UUID orgId, UUID projectId, UUID id) {
        return unit.query(FIND, Tuple.of(id, projectId, orgId)).compose(rows -> found(rows, id));
    }

    Future<Page<Artifact>> list(
            @Nullable UUID orgId, UUID projectId, ArtifactFilter filter, @Nullable Cursor after, int limit) {
        var parameters = Tuple.from(new @Nullable Object[] {
            projectId,
            filter.shared(),
            orgId,
            after == null ? null : at(after.createdAt()),
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
            rows.forEach(row -> all.add(artifact(row)));
            return Page.of(all, limit, last -> new Cursor(last.createdAt(), last.id()));
        });
    }

    Future<Page<ObjectNode>> history(Artifact artifact, @Nullable Cursor after, int limit) {
        var parameters = Tuple.of(
                artifact.id(),
                artifact.projectId(),
                after == null ? null : at(after.createdAt()),
                after == null ? null : after.id(),
                limit + 1);
        return reads.preparedQuery(HISTORY).execute(parameters).map(rows -> {
            var all = new ArrayList<Row>(rows.size());
            rows.forEach(all::add);
            var page = Page.of(
                    all,
                    limit,
                    last -> new Cursor(last.getOffsetDateTime("occurred_at").toInstant(), last.getUUID("id")));
            return new Page<>(
                    page.items().stream().map(ArtifactReadStore::history).toList(), page.next());
        });
    }

    /** Of all tenants together: for those who run the platform. */
    Future<Map<String, Long>> countByTrust() {
        return reads.query(COUNT_BY_TRUST).execute().map(rows -> {
            var counted = new HashMap<String, Long>();
            rows.forEach(row -> counted.put(row.getString("trust_state"), row.getLong("artifacts")));
            return counted;
        });
    }

    static ProblemException notFound(UUID id) {
        return Problem.of(ErrorCode.ARTIFACT_NOT_FOUND, "There is no artifact " + id + " in this project.")
                .asException();
    }

    static Artifact artifact(Row row) {
        var verification = row.getString("verification");
        var channel = row.getString("channel");
        return new Artifact(
                row.getUUID("id"),
                row.getString("resource_name"),
                row.getUUID("org_id"),
                row.getUUID("project_id"),
                row.getString("app_slug"),
                row.getString("artifact_type"),
                row.getInteger("artifact_type_version"),
                value(Kind.class, row.getString("artifact_kind")),
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
                value(Visibility.class, row.getString("visibility")),
                value(Lifecycle.class, row.getString("lifecycle_state")),
                value(Trust.class, row.getString("trust_state")),
                row.getString("trust_reason"),
                channel == null ? null : value(Channel.class, channel),
                verification == null ? null : ArtifactJson.verification(Json.trusted(verification)),
                row.getUUID("created_by_principal_id"),
                row.getUUID("created_by_user_id"),
                row.getLong("sequence"),
                row.getOffsetDateTime("created_at").toInstant(),
                row.getOffsetDateTime("updated_at").toInstant());
    }

    private static ObjectNode history(Row row) {
        return Json.object()
                .put("id", row.getUUID("id").toString())
                .put("sequence", row.getLong("sequence"))
                .put("event", row.getString("event"))
                .put("lifecycle_state", row.getString("lifecycle_state"))
                .put("trust_from", row.getString("trust_from"))
                .put("trust_to", row.getString("trust_to"))
                .put("channel", row.getString("channel"))
                .put("reason", row.getString("reason"))
                .put("actor_principal_id", row.getUUID("actor_principal_id").toString())
                .put("actor_type", row.getString("actor_type"))
                .put("correlation_id", row.getString("correlation_id"))
                .put(
                        "occurred_at",
                        row.getOffsetDateTime("occurred_at").toInstant().toString());
    }

    private static Future<Artifact> found(RowSet<Row> rows, UUID id) {
        return rows.size() == 0
                ? Future.failedFuture(notFound(id))
                : Future.succeededFuture(artifact(rows.iterator().next()));
    }

    private static <E extends Enum<E>> E value(Class<E> type, String text) {
        return Enum.valueOf(type, text.toUpperCase(Locale.ROOT));
    }

    private static OffsetDateTime at(Instant instant) {
        return instant.atOffset(ZoneOffset.UTC);
    }
}
