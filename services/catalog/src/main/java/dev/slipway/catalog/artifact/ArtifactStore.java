package dev.slipway.catalog.artifact;

import dev.slipway.authz.Principal;
import dev.slipway.catalog.artifact.ArtifactJson.VerificationFields;
import dev.slipway.catalog.artifact.domain.Artifact;
import dev.slipway.catalog.artifact.domain.Artifact.Trust;
import dev.slipway.catalog.artifact.domain.ArtifactEvent;
import dev.slipway.catalog.artifact.source.domain.Digest;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.messaging.QueryExecutor;
import dev.slipway.messaging.SqlTime;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.NotReplicatedException;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Writes artifacts and their history. */
public final class ArtifactStore {
    private static final String LOCK =
            ArtifactReadStore.SELECT + " WHERE a.id = $1 AND a.project_id = $2 FOR NO KEY UPDATE OF a";
    private static final String PROJECT = "SELECT org_id FROM projects WHERE id = $1 FOR NO KEY UPDATE";
    private static final String FIND_SAME =
            "SELECT id FROM app_artifacts WHERE project_id = $1 AND repository = $2 AND digest = $3";
    private static final String INSERT =
            ArtifactReadStore.COLUMNS.and("deployable").insert();
    private static final List<String> KEYS = List.of("id", "project_id");
    private static final String UPDATE = ArtifactReadStore.COLUMNS.update(
            KEYS, "lifecycle_state", "channel", "sequence", "updated_at", "release_verdict_id");
    private static final String UPDATE_TRUST =
            ArtifactReadStore.COLUMNS.update(KEYS, "trust_state", "trust_reason", "verification");
    /** Applies to all tenants, so only the first revocation of a digest is stored. */
    private static final String REVOKE = """
            INSERT INTO revoked_digests (digest, artifact_id, reason, revoked_at) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING
            """;
    /**
     * The trust in a digest across all tenants: a digest identifies the same bytes wherever it is registered. Registrations with a type
     * that cannot be deployed do not count, and one verified registration outweighs failed ones.
     */
    private static final String FIND_TRUST = """
            SELECT d.digest, CASE WHEN r.digest IS NOT NULL THEN 'revoked'
                WHEN bool_or(a.trust_state = 'verified') THEN 'verified'
                WHEN bool_or(a.trust_state = 'failed_verification') THEN 'failed_verification' ELSE 'unverified' END AS trust_state
            FROM unnest($1::text[]) AS d (digest) LEFT JOIN revoked_digests r ON r.digest = d.digest
            LEFT JOIN app_artifacts a ON a.digest = d.digest AND a.deployable
            WHERE r.digest IS NOT NULL OR a.id IS NOT NULL
            GROUP BY d.digest, r.digest
            """;

    public static final String REVOKED_AFTER =
            "SELECT digest, revoked_at FROM revoked_digests WHERE digest > $1 ORDER BY digest LIMIT $2";

    private static final String INSERT_HISTORY = ArtifactReadStore.HISTORY_COLUMNS.insert();

    /** Locks a project, so that concurrent registrations of a digest are serialized, and returns its organization. */
    Future<UUID> lockProject(UnitOfWork unit, UUID projectId) {
        return unit.query(PROJECT, Tuple.of(projectId))
                .compose(rows -> rows.size() == 0
                        // The request was authorized, so the project exists.
                        ? Future.failedFuture(new NotReplicatedException("Project data"))
                        : Future.succeededFuture(rows.iterator().next().getUUID("org_id")));
    }

    /** Locks an artifact of the project. Artifacts that others share with the project are not found. */
    Future<Artifact> lock(UnitOfWork unit, UUID projectId, UUID id) {
        return unit.query(LOCK, Tuple.of(id, projectId))
                .compose(rows -> rows.size() == 0
                        ? Future.failedFuture(ArtifactReadStore.notFound(id))
                        : Future.succeededFuture(
                                ArtifactReadStore.fromRow(rows.iterator().next())));
    }

    /** Returns the id of the project's artifact with the same repository and digest, or null. */
    Future<@Nullable UUID> findSame(UnitOfWork unit, UUID projectId, String repository, Digest digest) {
        return unit.query(FIND_SAME, Tuple.of(projectId, repository, digest.text()))
                .map(rows -> rows.size() == 0 ? null : rows.iterator().next().getUUID("id"));
    }

    /** {@code deployable}: whether the artifact's type can be deployed. */
    void insert(UnitOfWork unit, Principal actor, Artifact artifact, boolean deployable) {
        unit.write(INSERT, parameters(artifact, deployable));
        insertHistory(unit, actor, artifact, null, new ArtifactEvent.Registered());
    }

    void update(UnitOfWork unit, Principal actor, Trust before, Artifact next, ArtifactEvent event) {
        var channel = next.channel();
        unit.write(
                UPDATE,
                Tuple.of(
                        next.id(),
                        next.projectId(),
                        next.lifecycle().text(),
                        channel == null ? null : channel.text(),
                        next.sequence(),
                        SqlTime.of(next.updatedAt()),
                        next.releaseVerdictId()));
        if (event instanceof ArtifactEvent.Revoked revoked) {
            unit.write(
                    REVOKE, Tuple.of(next.digest().text(), next.id(), revoked.reason(), SqlTime.of(next.updatedAt())));
        } else if (event instanceof ArtifactEvent.Verified || event instanceof ArtifactEvent.VerificationFailed) {
            var verification = VerificationFields.of(next.verification());
            unit.write(
                    UPDATE_TRUST,
                    Tuple.of(
                            next.id(),
                            next.projectId(),
                            next.trust().text(),
                            next.trustReason(),
                            verification == null ? null : Json.text(verification)));
        }
        insertHistory(unit, actor, next, before, event);
    }

    /** Publishes the snapshot of a row of {@link #REVOKED_AFTER} again. */
    public static void republishRevoked(UnitOfWork unit, Row row) {
        ArtifactPublisher.publishRevokedDigest(unit, row.getString("digest"), SqlTime.read(row, "revoked_at"));
    }

    /** Returns the trust state of registered or revoked digests; unknown digests are missing. */
    public Future<Map<String, String>> findTrust(QueryExecutor executor, Collection<String> digests) {
        if (digests.isEmpty()) {
            return Future.succeededFuture(Map.of());
        }
        return executor.query(FIND_TRUST, Tuple.tuple().addArrayOfString(digests.toArray(String[]::new)))
                .map(rows -> {
                    var trust = new HashMap<String, String>();
                    rows.forEach(row -> trust.put(row.getString("digest"), row.getString("trust_state")));
                    return trust;
                });
    }

    private static void insertHistory(
            UnitOfWork unit, Principal actor, Artifact after, @Nullable Trust before, ArtifactEvent event) {
        var channel = after.channel();
        unit.write(INSERT_HISTORY, Tuple.from(new @Nullable Object[] {
            Ids.next(),
            after.id(),
            after.projectId(),
            after.sequence(),
            event.name(),
            after.lifecycle().text(),
            before == null ? null : before.text(),
            after.trust().text(),
            channel == null ? null : channel.text(),
            event.reason(),
            actor.id(),
            actor.type().text(),
            unit.context().correlationId(),
            SqlTime.of(unit.now())
        }));
    }

    private static Tuple parameters(Artifact artifact, boolean deployable) {
        var source = artifact.source();
        var channel = artifact.channel();
        var verification = VerificationFields.of(artifact.verification());
        return Tuple.from(new @Nullable Object[] {
            artifact.id(),
            artifact.resourceName(),
            artifact.orgId(),
            artifact.projectId(),
            artifact.appSlug(),
            artifact.artifactType(),
            artifact.artifactTypeVersion(),
            artifact.kind().text(),
            source.sourceType(),
            source.uri(),
            source.sourceRef(),
            source.sizeBytes(),
            source.contentEncoding(),
            artifact.repository(),
            artifact.tag(),
            artifact.digest().text(),
            artifact.mediaType(),
            artifact.sizeBytes(),
            artifact.visibility().text(),
            artifact.lifecycle().text(),
            artifact.trust().text(),
            artifact.trustReason(),
            channel == null ? null : channel.text(),
            verification == null ? null : Json.text(verification),
            artifact.sequence(),
            artifact.createdByPrincipalId(),
            artifact.createdByUserId(),
            SqlTime.of(artifact.createdAt()),
            SqlTime.of(artifact.updatedAt()),
            artifact.releaseVerdictId(),
            deployable
        });
    }
}
