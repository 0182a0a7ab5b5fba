package dev.slipway.catalog.policy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.authz.Principal;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.messaging.Topics;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.time.ZoneOffset;
import java.util.UUID;

/** All SQL of what the levels say. Every write is a new version, kept with its author and announced. */
public final class PolicyLevelStore {
    private static final String COLUMNS =
            "version, said::text AS said, hard_denies::text AS hard_denies, author_id, author_name, written_at";
    private static final String FIND = "SELECT " + COLUMNS + """
             FROM policy_levels WHERE level = $1 AND subject_id = $2 AND org_id IS NOT DISTINCT FROM $3::uuid
            """;
    /** Of all tenants; one that was begun and never written says nothing. */
    public static final String AFTER = "SELECT level, subject_id, org_id, " + COLUMNS + """
             FROM policy_levels WHERE (level, subject_id) > ($1, $2) AND version > 0 ORDER BY level, subject_id LIMIT $3 FOR SHARE
            """;

    private static final String FIND_VERSION = "SELECT " + COLUMNS + """
             FROM policy_versions WHERE level = $1 AND subject_id = $2 AND org_id IS NOT DISTINCT FROM $3::uuid AND version = $4
            """;
    private static final String LOCK = FIND + " FOR UPDATE";
    private static final String BEGIN = """
            INSERT INTO policy_levels (level, subject_id, org_id, version)
            SELECT $1, $2, $3::uuid, 0
            WHERE CASE $1 WHEN 'department' THEN EXISTS (SELECT FROM departments WHERE id = $4 AND org_id = $3)
                WHEN 'project' THEN EXISTS (SELECT FROM projects WHERE id = $5 AND org_id = $3) ELSE true END
            ON CONFLICT DO NOTHING
            """;
    private static final String IS_KNOWN = """
            SELECT CASE $1::text WHEN 'department' THEN EXISTS (SELECT FROM departments WHERE id = $3 AND org_id = $2)
                WHEN 'project' THEN EXISTS (SELECT FROM projects WHERE id = $4 AND org_id = $2) ELSE true END AS known
            """;
    private static final String UPDATE = """
            UPDATE policy_levels SET version = $4, said = $5::text::jsonb, hard_denies = $6::text::jsonb, author_id = $7,
                author_name = $8, written_at = $9
            WHERE level = $1 AND subject_id = $2 AND org_id IS NOT DISTINCT FROM $3::uuid
            """;
    private static final String KEEP = """
            INSERT INTO policy_versions (level, subject_id, org_id, version, said, hard_denies, author_id, author_name, written_at)
            VALUES ($1, $2, $3, $4, $5::text::jsonb, $6::text::jsonb, $7, $8, $9)
            """;

    /** A version of what a level says; version 0 is nothing, by nobody. */
    record Written(
            long version,
            ObjectNode values,
            ObjectNode hardDenies,
            @Nullable UUID authorId,
            @Nullable String authorName,
            @Nullable Instant writtenAt) {
        static final Written NOTHING = new Written(0, Json.object(), Json.object(), null, null, null);

        Written next(ObjectNode nextValues, ObjectNode nextDenies, Principal author, Instant now) {
            return new Written(version + 1, nextValues, nextDenies, author.id(), author.displayName(), now);
        }
    }

    private final SqlClient reads;

    public PolicyLevelStore(SqlClient reads) {
        this.reads = reads;
    }

    /** As it is now, or in an earlier version. Another tenant's department or project is not found. */
    Future<Written> find(Subject subject, @Nullable Integer version) {
        var asked = version == null
                ? reads.preparedQuery(FIND).execute(Tuple.of(subject.level().text(), subject.id(), subject.orgId()))
                : reads.preparedQuery(FIND_VERSION)
                        .execute(Tuple.of(subject.level().text(), subject.id(), subject.orgId(), version.longValue()));
        return asked.compose(rows -> {
            if (rows.size() > 0) {
                return Future.succeededFuture(written(rows.iterator().next()));
            }
            return version == null ? requireKnown(subject).map(Written.NOTHING) : Future.failedFuture(notFound());
        });
    }

    Future<Void> requireKnown(Subject subject) {
        var place = Tuple.of(subject.level().text(), subject.orgId(), subject.departmentId(), subject.projectId());
        return reads.preparedQuery(IS_KNOWN)
                .execute(place)
                .compose(rows -> rows.iterator().next().getBoolean("known")
                        ? Future.succeededFuture()
                        : Future.failedFuture(notFound()));
    }

    /** Behind a lock that also whoever writes it for the first time has to wait for. */
    static Future<Written> lock(UnitOfWork unit, Subject subject) {
        unit.write(
                BEGIN,
                Tuple.of(
                        subject.level().text(),
                        subject.id(),
                        subject.orgId(),
                        subject.departmentId(),
                        subject.projectId()));
        return unit.query(LOCK, Tuple.of(subject.level().text(), subject.id(), subject.orgId()))
                .compose(PolicyLevelStore::one);
    }

    static void write(UnitOfWork unit, Subject subject, Written next) {
        var writtenAt = next.writtenAt();
        var row = Tuple.from(new Object[] {
            subject.level().text(),
            subject.id(),
            subject.orgId(),
            next.version(),
            Json.text(next.values()),
            Json.text(next.hardDenies()),
            next.authorId(),
            next.authorName(),
            writtenAt == null ? null : writtenAt.atOffset(ZoneOffset.UTC)
        });
        unit.write(UPDATE, row);
        unit.write(KEEP, row);
        var level = subject.level().text();
        unit.announce(
                Topics.CATALOG_EVENTS,
                key(level, subject.id()),
                "policy.level.updated",
                fact(level, subject.id(), subject.orgId(), next));
        snapshot(unit, level, subject.id(), subject.orgId(), next);
    }

    /** For read models, once more. */
    public static void tell(UnitOfWork unit, Row row) {
        snapshot(unit, row.getString("level"), row.getString("subject_id"), row.getUUID("org_id"), written(row));
    }

    private static void snapshot(UnitOfWork unit, String level, String subject, @Nullable UUID orgId, Written said) {
        unit.announce(
                Topics.CATALOG_STATE,
                key(level, subject),
                "catalog.policy.snapshot",
                fact(level, subject, orgId, said).put("revision", said.version()));
    }

    private static String key(String level, String subject) {
        return "policy:" + level + ":" + subject;
    }

    private static ObjectNode fact(String level, String subject, @Nullable UUID orgId, Written said) {
        var fact = Json.object()
                .put("level", level)
                .put("subject_id", subject)
                .put("org_id", orgId == null ? null : orgId.toString())
                .put("version", said.version());
        fact.set("values", said.values());
        fact.set("hard_denies", said.hardDenies());
        return fact;
    }

    private static Future<Written> one(RowSet<Row> rows) {
        return rows.size() == 0
                ? Future.failedFuture(notFound())
                : Future.succeededFuture(written(rows.iterator().next()));
    }

    private static Written written(Row row) {
        var writtenAt = row.getOffsetDateTime("written_at");
        return new Written(
                row.getLong("version"),
                Json.trusted(row.getString("said")),
                Json.trusted(row.getString("hard_denies")),
                row.getUUID("author_id"),
                row.getString("author_name"),
                writtenAt == null ? null : writtenAt.toInstant());
    }

    private static Throwable notFound() {
        return Problem.of(ErrorCode.NOT_FOUND, "There is no such policy, or nothing that it could be for.")
                .asException();
    }
}
