package dev.slipway.catalog.instanceprojection;

import dev.slipway.service.consistency.ClaimVerifier;
import io.vertx.sqlclient.Row;
import org.jspecify.annotations.Nullable;

/** Compares the projection of instances, from which quotas are counted, with the instances themselves. */
public final class InstanceProjectionInvariantStore {
    private static final String COMPARE = """
            SELECT c.key, split_part(c.value, '|', 1)::bigint AS sequence, split_part(c.value, '|', 2) AS status,
                i.sequence AS projected_sequence, i.status AS projected_status
            FROM unnest($1::text[], $2::text[]) AS c(key, value) LEFT JOIN launched_instances i ON i.id = c.key::uuid
            ORDER BY c.key
            """;

    private InstanceProjectionInvariantStore() {}

    public static ClaimVerifier verifier() {
        return new ClaimVerifier(
                "quota_counters",
                "The catalog counts every instance for quotas with its current status",
                "instances.state",
                COMPARE,
                InstanceProjectionInvariantStore::compare);
    }

    /** The projection can be ahead of the claim. */
    private static @Nullable String compare(Row row) {
        var projected = row.getLong("projected_sequence");
        if (projected == null) {
            return "the instance is " + row.getString("status") + ", but it is not counted";
        }
        return projected > row.getLong("sequence") || row.getString("status").equals(row.getString("projected_status"))
                ? null
                : "the instance is " + row.getString("status") + ", but it is counted as "
                        + row.getString("projected_status");
    }
}
