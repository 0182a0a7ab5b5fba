package dev.slipway.iam.tenancy;

import dev.slipway.iam.tenancy.domain.BindingScope;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;
import io.vertx.sqlclient.Tuple;

/** Reads whether the organization or project of a scope exists and is deleted. */
public final class BindingScopeStore {
    private static final String FIND = """
            SELECT ($1::uuid IS NULL OR EXISTS (SELECT FROM organizations WHERE id = $1))
                    AND ($2::uuid IS NULL OR EXISTS (SELECT FROM projects WHERE id = $2 AND org_id = $1)) AS found,
                EXISTS (SELECT FROM organizations WHERE id = $1 AND deleted_at IS NOT NULL)
                    OR EXISTS (SELECT FROM projects WHERE id = $2 AND org_id = $1 AND deleted_at IS NOT NULL) AS deleted
            """;

    private BindingScopeStore() {}

    /** Tells whether the organization and project exist, and whether one of them is deleted. */
    record ScopeState(boolean found, boolean deleted) {}

    static Future<ScopeState> find(UnitOfWork unit, BindingScope scope) {
        return unit.query(FIND, Tuple.of(scope.orgId(), scope.projectId())).map(rows -> {
            var row = rows.iterator().next();
            return new ScopeState(row.getBoolean("found"), row.getBoolean("deleted"));
        });
    }
}
