package dev.slipway.catalog.artifact;

import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;
import io.vertx.sqlclient.Tuple;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** Who runs with a digest, as far as instances' events have come here. Of the platform: a digest that is revoked is so for every tenant. */
public final class DigestUserStore {
    private static final String USERS = """
            SELECT i.id, i.org_id, i.project_id, count(*) OVER () AS total
            FROM app_versions v JOIN app_catalog a ON a.id = v.app_id
            JOIN launched_instances i ON i.app_slug = a.slug AND i.app_version = v.version AND i.status <> 'deleted'
            WHERE (v.manifest -> 'artifacts') @> jsonb_build_array(jsonb_build_object('digest', $1::text))
            ORDER BY i.id LIMIT $2
            """;

    /** How many there are, and the first of them. */
    record Users(long total, List<User> first) {}

    record User(UUID orgId, UUID projectId, UUID appInstanceId) {}

    /** The live instances whose version names the digest. */
    Future<Users> of(UnitOfWork unit, String digest, int limit) {
        return unit.query(USERS, Tuple.of(digest, limit)).map(rows -> {
            var first = new ArrayList<User>(rows.size());
            var total = 0L;
            for (var row : rows) {
                first.add(new User(row.getUUID("org_id"), row.getUUID("project_id"), row.getUUID("id")));
                total = row.getLong("total");
            }
            return new Users(total, first);
        });
    }
}
