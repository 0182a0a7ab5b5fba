package dev.slipway.catalog.artifact;

import dev.slipway.authz.Principal;
import dev.slipway.catalog.artifact.domain.Artifact;
import dev.slipway.catalog.artifact.domain.Artifact.Trust;
import dev.slipway.catalog.artifact.domain.ArtifactEvent;
import dev.slipway.catalog.artifact.domain.Decision;
import dev.slipway.catalog.artifact.domain.Decision.Accepted;
import dev.slipway.catalog.artifact.domain.Decision.Refused;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.contract.ProblemException;
import dev.slipway.messaging.Queries;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;

/** All SQL of artifacts. A change runs the lifecycle's decision behind a lock and keeps what it decided, with its history. */
public final class ArtifactStore {
    private static final String LOCK =
            ArtifactReadStore.SELECT + " WHERE a.id = $1 AND a.project_id = $2 FOR NO KEY UPDATE OF a";
    private static final String PROJECT = "SELECT org_id FROM projects WHERE id = $1 FOR NO KEY UPDATE";
    private static final String SAME =
            "SELECT id FROM app_artifacts WHERE project_id = $1 AND repository = $2 AND digest = $3";
    private static final String INSERT = """
            INSERT INTO app_artifacts (id, resource_name, org_id, project_id, app_slug, artifact_type, artifact_type_version, artifact_kind,
                source_type, source_uri, source_ref, source_size_bytes, source_content_encoding, repository, tag, digest, media_type,
                size_bytes, visibility, lifecycle_state, trust_state, sequence, created_by_principal_id, created_by_user_id, created_at,
                updated_at, deployable)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $25, $26)
            """;
    private static final String UPDATE = """
            UPDATE app_artifacts SET lifecycle_state = $3, channel = $4, sequence = $5, updated_at = $6
            WHERE id = $1 AND project_id = $2
            """;
    private static final String UPDATE_TRUST = """
            UPDATE app_artifacts SET trust_state = $3, trust_reason = $4, verification = $5::text::jsonb WHERE id = $1 AND project_id = $2
            """;
    /** Of the platform, not of a tenant: the first to withdraw the trust in a digest has withdrawn it for all. */
    private static final String REVOKE = """
            INSERT INTO revoked_digests (digest, artifact_id, reason, revoked_at) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING
            """;
    /**
     * Of the platform: whoever registered a digest, it is the same bytes. What nothing is deployed from cannot vouch for what is; and one
     * registration that failed, for want of a signature beside it, says nothing against another that has one.
     */
    private static final String TRUST = """
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

    private static final String REMEMBER = """
            INSERT INTO artifact_history (id, artifact_id, project_id, sequence, event, lifecycle_state, trust_from, trust_to, channel,
                reason, actor_principal_id, actor_type, correlation_id, occurred_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
            """;
    /** What registers an artifact: everything of it but what this service finds out. */
    record Registration(Artifact artifact, boolean deployable) {}

    /** The organization of a project, which stays locked: two registrations of one digest come one after the other. */
    Future<UUID> lockProject(UnitOfWork unit, UUID projectId) {
        return unit.query(PROJECT, Tuple.of(projectId))
                .compose(rows -> rows.size() == 0
                        // Authorized, so it exists; what this service keeps of it has not arrived.
                        ? Future.failedFuture(Problem.of(
                                        ErrorCode.SERVICE_UNAVAILABLE,
                                        "This project is new here. Try again in a moment.")
                                .asException())
                        : Future.succeededFuture(rows.iterator().next().getUUID("org_id")));
    }

    /** Adds an artifact to a project that is locked, unless it has it. */
    Future<Artifact> create(UnitOfWork unit, Principal actor, Registration registration) {
        var artifact = registration.artifact;
        var same = Tuple.of(
                artifact.projectId(), artifact.repository(), artifact.digest().text());
        return unit.query(SAME, same)
                .compose(rows -> rows.size() > 0
                        ? Future.failedFuture(exists(rows.iterator().next().getUUID("id")))
                        : trust(unit, List.of(artifact.digest().text())))
                .compose(known -> {
                    if (Trust.REVOKED.text().equals(known.get(artifact.digest().text()))) {
                        return Future.failedFuture(
                                Problem.of(ErrorCode.ARTIFACT_REVOKED, "The trust in this digest was withdrawn.")
                                        .asException());
                    }
                    unit.write(INSERT, row(registration));
                    remember(unit, actor, artifact, null, new ArtifactEvent.Registered());
                    return Future.succeededFuture(artifact);
                });
    }

    /** Loads behind a lock, decides, keeps. Another project's artifact is not found, also where it can be seen. */
    Future<Accepted> change(
            UnitOfWork unit, Principal actor, UUID projectId, UUID id, Function<Artifact, Future<Decision>> decide) {
        return unit.query(LOCK, Tuple.of(id, projectId)).compose(rows -> {
            if (rows.size() == 0) {
                return Future.failedFuture(ArtifactReadStore.notFound(id));
            }
            var current = ArtifactReadStore.artifact(rows.iterator().next());
            return decide.apply(current).compose(decision -> {
                if (decision instanceof Refused refused) {
                    return Future.failedFuture(Problem.of(ErrorCode.of(refused.code()), refused.message())
                            .asException());
                }
                var accepted = (Accepted) decision;
                var event = accepted.event();
                if (event != null) {
                    keep(unit, accepted.next(), event);
                    remember(unit, actor, accepted.next(), current.trust(), event);
                }
                return Future.succeededFuture(accepted);
            });
        });
    }

    /** For read models, once more. */
    public static void tellRevoked(UnitOfWork unit, Row row) {
        ArtifactRecords.revoked(
                unit,
                row.getString("digest"),
                row.getOffsetDateTime("revoked_at").toInstant());
    }

    /** The trust in each digest that anybody has registered; what is absent is unknown. */
    Future<Map<String, String>> trust(Queries from, Collection<String> digests) {
        return from.query(TRUST, Tuple.tuple().addArrayOfString(digests.toArray(String[]::new)))
                .map(rows -> {
                    var trust = new HashMap<String, String>();
                    rows.forEach(row -> trust.put(row.getString("digest"), row.getString("trust_state")));
                    return trust;
                });
    }

    private static void keep(UnitOfWork unit, Artifact next, ArtifactEvent event) {
        unit.write(
                UPDATE,
                Tuple.of(
                        next.id(),
                        next.projectId(),
                        next.lifecycle().text(),
                        next.channel() == null ? null : next.channel().text(),
                        next.sequence(),
                        at(next.updatedAt())));
        if (event instanceof ArtifactEvent.Revoked revoked) {
            unit.write(REVOKE, Tuple.of(next.digest().text(), next.id(), revoked.reason(), at(next.updatedAt())));
        } else if (event instanceof ArtifactEvent.Verified || event instanceof ArtifactEvent.VerificationFailed) {
            var found = next.verification();
            unit.write(
                    UPDATE_TRUST,
                    Tuple.of(
                            next.id(),
                            next.projectId(),
                            next.trust().text(),
                            next.trustReason(),
                            found == null ? null : Json.text(ArtifactJson.verification(found))));
        }
    }

    private static void remember(
            UnitOfWork unit, Principal actor, Artifact after, @Nullable Trust before, ArtifactEvent event) {
        unit.write(REMEMBER, Tuple.from(new @Nullable Object[] {
            Ids.next(),
            after.id(),
            after.projectId(),
            after.sequence(),
            event.name(),
            after.lifecycle().text(),
            before == null ? null : before.text(),
            after.trust().text(),
            after.channel() == null ? null : after.channel().text(),
            event.reason(),
            actor.id(),
            actor.type().text(),
            unit.cause().correlationId(),
            at(unit.now())
        }));
    }

    private static Tuple row(Registration registration) {
        var artifact = registration.artifact;
        var source = artifact.source();
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
            artifact.sequence(),
            artifact.createdByPrincipalId(),
            artifact.createdByUserId(),
            at(artifact.createdAt()),
            registration.deployable
        });
    }

    private static ProblemException exists(UUID id) {
        var details = Json.object().put("artifact_id", id.toString());
        var message = "This digest is registered from this repository: " + id + ".";
        return new Problem(ErrorCode.ARTIFACT_EXISTS, message, details).asException();
    }

    private static OffsetDateTime at(Instant instant) {
        return instant.atOffset(ZoneOffset.UTC);
    }
}
