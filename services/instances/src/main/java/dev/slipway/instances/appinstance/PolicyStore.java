package dev.slipway.instances.appinstance;

import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
import dev.slipway.contract.ProblemException;
import dev.slipway.instances.appinstance.LaunchPolicy.Said;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.policy.PolicyKeys;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;

import java.time.Duration;
import java.util.UUID;

/**
 * What policy says here, from what the catalog has announced. The levels come with the statement that asks about a project anyway; the keys
 * change so seldom that only their stamp does, and they are read again when it is another one.
 */
final class PolicyStore {
    /** Columns of a statement over {@code projects p} and {@code organizations o}. */
    static final String COLUMNS = """
            (SELECT extract(epoch FROM now() - f.known_until)::float8 FROM catalog_freshness f) AS policy_age_s,
            (SELECT coalesce(sum(k.version), 0)::bigint FROM policy_keys k) AS policy_stamp,
            (SELECT jsonb_build_object('items', coalesce(jsonb_agg(jsonb_build_object('level', l.level, 'subject_id', l.subject_id,
                    'version', l.version, 'values', l.said, 'hard_denies', l.hard_denies)), '[]'))::text
                FROM (VALUES ('global', 'platform'), ('plan', o.plan), ('organization', p.org_id::text),
                    ('department', p.department_id::text), ('project', p.id::text)) AS place (level, subject_id)
                JOIN policy_levels l ON l.level = place.level AND l.subject_id = place.subject_id) AS policy_levels
            """;

    private static final String KEYS = """
            SELECT jsonb_build_object('items', coalesce(jsonb_agg(jsonb_build_object('id', id, 'version', version, 'state', state,
                'body', body)), '[]'))::text AS keys FROM policy_keys
            """;
    private static final String AGE = "SELECT extract(epoch FROM now() - known_until)::float8 FROM catalog_freshness";
    private static final String OF_PROJECT = "SELECT " + COLUMNS + """
            FROM projects p JOIN organizations o ON o.id = p.org_id WHERE p.id = $1
            """;

    private final Duration budget;
    private final PolicyMetrics metrics;

    /** {@code budget}: how old what is known of the catalog may be where something new is let in. */
    PolicyStore(Duration budget, PolicyMetrics metrics) {
        this.budget = budget;
        this.metrics = metrics;
    }

    private record Known(long stamp, PolicyKeys keys) {}

    private volatile Known known = new Known(0, LaunchPolicy.keys("{}"));

    /** Looks how old what is known is, for those who watch: nobody may be deciding anything. */
    Future<Void> watch(SqlClient reads) {
        return reads.query(AGE).execute().map(rows -> {
            metrics.age(rows.iterator().next().getDouble(0));
            return null;
        });
    }

    Future<Said> ofProject(UnitOfWork unit, UUID projectId) {
        return inProject(unit, projectId).compose(row -> of(unit, row));
    }

    /** The same, unless nobody knows whether that is what policy says now. */
    Future<Said> freshOfProject(UnitOfWork unit, UUID projectId) {
        return inProject(unit, projectId).compose(row -> fresh(unit, row));
    }

    private static Future<Row> inProject(UnitOfWork unit, UUID projectId) {
        return unit.query(OF_PROJECT, Tuple.of(projectId))
                .compose(rows -> rows.size() == 0
                        ? Future.failedFuture(newHere())
                        : Future.succeededFuture(rows.iterator().next()));
    }

    /** What this service keeps of a project or a user has not arrived. */
    static ProblemException newHere() {
        return Problem.of(ErrorCode.SERVICE_UNAVAILABLE, "This project is new here. Try again in a moment.")
                .asException();
    }

    /** From a row that has the columns, unless nobody knows whether that is what policy says now: then nothing is let in. */
    private Future<Said> fresh(UnitOfWork unit, Row row) {
        requireFresh(row);
        return of(unit, row);
    }

    /** Refuses where the row's policy_age_s is beyond the budget. */
    void requireFresh(Row row) {
        var ageSeconds = row.getDouble("policy_age_s");
        metrics.age(ageSeconds);
        if (ageSeconds > budget.toSeconds()) {
            metrics.stale();
            throw Problem.of(
                            ErrorCode.POLICY_STALE,
                            "Policy has not been confirmed lately, so nothing was done. Try again shortly.")
                    .asException();
        }
    }

    /** From a row that has the columns. */
    Future<Said> of(UnitOfWork unit, Row row) {
        return keys(unit, row.getLong("policy_stamp"))
                .map(keys -> LaunchPolicy.said(keys, row.getString("policy_levels")));
    }

    /** A key is never removed, and every change raises its version: the sum of them is another after each. */
    private Future<PolicyKeys> keys(UnitOfWork unit, long stamp) {
        var latest = known;
        if (latest.stamp == stamp) {
            return Future.succeededFuture(latest.keys);
        }
        return unit.query(KEYS, Tuple.tuple()).map(rows -> {
            var keys = LaunchPolicy.keys(rows.iterator().next().getString("keys"));
            known = new Known(stamp, keys);
            return keys;
        });
    }
}
