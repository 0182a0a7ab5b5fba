package dev.slipway.catalog.artifact;

import dev.slipway.messaging.UnitOfWork;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.time.ZoneOffset;
import java.util.UUID;

/** Stores intents. */
public final class IntentStore {
    private static final String INSERT = """
            INSERT INTO artifact_intents (id, org_id, project_id, action, registry, host, repository, artifact_id, lease_id,
                created_by_principal_id, created_at, expires_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
            """;

    void create(UnitOfWork unit, UUID orgId, UUID projectId, Intent intent, String leaseId, UUID createdBy) {
        unit.write(INSERT, Tuple.from(new @Nullable Object[] {
            intent.id(),
            orgId,
            projectId,
            intent.action(),
            intent.source().name(),
            intent.source().host(),
            intent.repository(),
            intent.artifactId(),
            leaseId,
            createdBy,
            intent.createdAt().atOffset(ZoneOffset.UTC),
            intent.expiresAt().atOffset(ZoneOffset.UTC)
        }));
    }
}
