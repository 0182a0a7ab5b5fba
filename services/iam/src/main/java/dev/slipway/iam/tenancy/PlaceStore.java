package dev.slipway.iam.tenancy;

import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
import dev.slipway.iam.tenancy.domain.Place;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;
import io.vertx.sqlclient.Tuple;

/** Whether a place still takes changes. */
public final class PlaceStore {
    private static final String DELETED = """
            SELECT EXISTS (SELECT FROM organizations WHERE id = $1 AND deleted_at IS NOT NULL)
                OR EXISTS (SELECT FROM projects WHERE id = $2 AND org_id = $1 AND deleted_at IS NOT NULL)
            """;

    private PlaceStore() {}

    /** Fails with resource_deleted unless it does. */
    public static Future<Void> requireLive(UnitOfWork unit, Place place) {
        return unit.query(DELETED, Tuple.of(place.orgId(), place.projectId())).map(rows -> {
            if (rows.iterator().next().getBoolean(0)) {
                throw Problem.of(
                                ErrorCode.RESOURCE_DELETED,
                                "This " + place.level().text() + " is deleted and takes no more changes.")
                        .asException();
            }
            return null;
        });
    }
}
