package dev.slipway.iam.tenancy.me;

import dev.slipway.iam.tenancy.binding.RoleBindingStore;
import dev.slipway.iam.tenancy.domain.RoleBinding;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** Reads the current role bindings of a user, direct ones and those of their groups. */
public final class MeStore {
    private static final String LIST_ACTIVE = "SELECT " + RoleBindingStore.COLUMNS + """
            , r.label
            FROM role_bindings b
            JOIN roles r ON r.name = b.role AND r.removed_at IS NULL
            LEFT JOIN organizations o ON o.id = b.org_id
            LEFT JOIN projects p ON p.id = b.project_id
            WHERE b.principal_id = ANY(ARRAY(SELECT $1::uuid UNION ALL
                    SELECT m.group_id FROM group_members m WHERE m.user_id = $1 AND m.removed_at IS NULL))
            AND b.removed_at IS NULL AND (b.expires_at IS NULL OR b.expires_at > now())
            AND o.deleted_at IS NULL AND p.deleted_at IS NULL
            ORDER BY b.created_at, b.id
            """;

    private final SqlClient reads;

    /** A binding and the display name of its role. */
    record HeldBinding(RoleBinding binding, String label) {}

    public MeStore(SqlClient reads) {
        this.reads = reads;
    }

    Future<List<HeldBinding>> listActiveBindings(UUID userId) {
        return reads.preparedQuery(LIST_ACTIVE).execute(Tuple.of(userId)).map(rows -> {
            var held = new ArrayList<HeldBinding>();
            rows.forEach(row -> held.add(new HeldBinding(RoleBindingStore.fromRow(row), row.getString("label"))));
            return held;
        });
    }
}
