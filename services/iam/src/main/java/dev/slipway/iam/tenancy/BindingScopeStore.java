package dev.slipway.iam.tenancy;

import dev.slipway.iam.tenancy.domain.BindingScope;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;
import io.vertx.sqlclient.Tuple;

/** Reads whether the organization or project of a scope is deleted. */
public final class BindingScopeStore {
    private static final String IS_DELETED = """
            SELECT EXISTS (SELECT FROM organizations WHERE id = $1 AND deleted_at IS NOT NULL)
                OR EXISTS (SELECT FROM projects WHERE id = $2 AND org_id = $1 AND deleted_at IS NOT NULL) AS deleted
            """;

    private BindingScopeStore() {}

    static Future<Boolean> isDeleted(UnitOfWork unit, BindingScope scope) {
        return unit.query(IS_DELETED, Tuple.of(scope.orgId(), scope.projectId()))
                .map(rows -> rows.iterator().next().getBoolean("deleted"));
    }
}
