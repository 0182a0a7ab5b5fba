package dev.slipway.catalog.policy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.authz.Principal;
import dev.slipway.catalog.policy.PolicyJson.LevelEvent;
import dev.slipway.catalog.policy.PolicyJson.LevelSnapshot;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.contract.domain.TextEnum;
import dev.slipway.messaging.Topics;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.policy.PolicyLevel;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.time.ZoneOffset;
import java.util.UUID;

/** Stores policy documents and all their versions. Every write publishes an event and a snapshot. */
public final class PolicyLevelStore {
    private static final String COLUMNS =
            "version, said::text AS said, hard_denies::text AS hard_denies, author_id, author_name, written_at";
    private static final String FIND = "SELECT " + COLUMNS + """
             FROM policy_levels WHERE level = $1 AND subject_id = $2 AND org_id IS NOT DISTINCT FROM $3::uuid
            """;
    /** Placeholders, which have version 0, have no snapshot. */
    public static final String AFTER = "SELECT level, subject_id, org_id, " + COLUMNS + """
             FROM policy_levels WHERE (level, subject_id) > ($1, $2) AND version > 0 ORDER BY level, subject_id LIMIT $3 FOR SHARE
            """;

    private static final String FIND_VERSION = "SELECT " + COLUMNS + """
             FROM policy_versions WHERE level = $1 AND subject_id = $2 AND org_id IS NOT DISTINCT FROM $3::uuid AND version = $4
            """;
    private static final String LOCK = FIND + " FOR UPDATE";
    private static final String INSERT_PLACEHOLDER = """
            INSERT INTO policy_levels (level, subject_id, org_id, version)
            SELECT $1, $2, $3::uuid, 0
            WHERE CASE $1 WHEN 'department' THEN EXISTS (SELECT FROM departments WHERE id = $4 AND org_id = $3)
                WHEN 'project' THEN EXISTS (SELECT FROM projects WHERE id = $5 AND org_id = $3) ELSE true END
            ON CONFLICT DO NOTHING
            """;
    private static final String EXISTS = """
            SELECT CASE $1::text WHEN 'department' THEN EXISTS (SELECT FROM departments WHERE id = $3 AND org_id = $2)
                WHEN 'project' THEN EXISTS (SELECT FROM projects WHERE id = $4 AND org_id = $2) ELSE true END AS known
            """;
    private static final String UPDATE = """
            UPDATE policy_levels SET version = $4, said = $5::text::jsonb, hard_denies = $6::text::jsonb, author_id = $7,
                author_name = $8, written_at = $9
            WHERE level = $1 AND subject_id = $2 AND org_id IS NOT DISTINCT FROM $3::uuid
            """;
    private static final String INSERT_VERSION = """
            INSERT INTO policy_versions (level, subject_id, org_id, version, said, hard_denies, author_id, author_name, written_at)
            VALUES ($1, $2, $3, $4, $5::text::jsonb, $6::text::jsonb, $7, $8, $9)
            """;

    /** A version of a document. Version 0 is the empty document of a level that was never written. */
    record PolicyVersion(
            long version,
            ObjectNode values,
            ObjectNode hardDenies,
            @Nullable UUID authorId,
            @Nullable String authorName,
            @Nullable Instant writtenAt) {
        static final PolicyVersion NONE = new PolicyVersion(0, Json.object(), Json.object(), null, null, null);

        PolicyVersion nextVersion(ObjectNode nextValues, ObjectNode nextDenies, Principal author, Instant now) {
            return new PolicyVersion(version + 1, nextValues, nextDenies, author.id(), author.displayName(), now);
        }
    }

    private final SqlClient reads;

    public PolicyLevelStore(SqlClient reads) {
        this.reads = reads;
    }

    /** Finds the current or an earlier version. Fails if the department or project does not belong to the organization. */
    Future<PolicyVersion> find(PolicySubject subject, @Nullable Integer version) {
        var found = version == null
                ? reads.preparedQuery(FIND).execute(Tuple.of(subject.level().text(), subject.id(), subject.orgId()))
                : reads.preparedQuery(FIND_VERSION)
                        .execute(Tuple.of(subject.level().text(), subject.id(), subject.orgId(), version.longValue()));
        return found.compose(rows -> {
            if (rows.size() > 0) {
                return Future.succeededFuture(fromRow(rows.iterator().next()));
            }
            return version == null ? requireExists(subject).map(PolicyVersion.NONE) : Future.failedFuture(notFound());
        });
    }

    Future<Void> requireExists(PolicySubject subject) {
        var place = Tuple.of(subject.level().text(), subject.orgId(), subject.departmentId(), subject.projectId());
        return reads.preparedQuery(EXISTS)
                .execute(place)
                .compose(rows -> rows.iterator().next().getBoolean("known")
                        ? Future.succeededFuture()
                        : Future.failedFuture(notFound()));
    }

    /** Locks the document, inserting a placeholder if it was never written, so that concurrent first writes are serialized. */
    static Future<PolicyVersion> lock(UnitOfWork unit, PolicySubject subject) {
        unit.write(
                INSERT_PLACEHOLDER,
                Tuple.of(
                        subject.level().text(),
                        subject.id(),
                        subject.orgId(),
                        subject.departmentId(),
                        subject.projectId()));
        return unit.query(LOCK, Tuple.of(subject.level().text(), subject.id(), subject.orgId()))
                .compose(PolicyLevelStore::requireOne);
    }

    static void update(UnitOfWork unit, PolicySubject subject, PolicyVersion next) {
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
        unit.write(INSERT_VERSION, row);
        unit.publish(
                Topics.CATALOG_EVENTS,
                key(subject.level(), subject.id()),
                "policy.level.updated",
                Json.toObject(event(subject.level(), subject.id(), subject.orgId(), next)));
        publishSnapshot(unit, subject.level(), subject.id(), subject.orgId(), next);
    }

    /** Publishes the snapshot of a row of {@link #AFTER} again. */
    public static void republish(UnitOfWork unit, Row row) {
        publishSnapshot(
                unit,
                TextEnum.parse(PolicyLevel.class, row.getString("level")),
                row.getString("subject_id"),
                row.getUUID("org_id"),
                fromRow(row));
    }

    private static void publishSnapshot(
            UnitOfWork unit, PolicyLevel level, String subjectId, @Nullable UUID orgId, PolicyVersion version) {
        unit.publish(
                Topics.CATALOG_STATE,
                key(level, subjectId),
                "catalog.policy.snapshot",
                Json.toObject(new LevelSnapshot(event(level, subjectId, orgId, version), version.version())));
    }

    private static String key(PolicyLevel level, String subjectId) {
        return "policy:" + level.text() + ":" + subjectId;
    }

    private static LevelEvent event(PolicyLevel level, String subjectId, @Nullable UUID orgId, PolicyVersion version) {
        return new LevelEvent(level, subjectId, orgId, version.version(), version.values(), version.hardDenies());
    }

    private static Future<PolicyVersion> requireOne(RowSet<Row> rows) {
        return rows.size() == 0
                ? Future.failedFuture(notFound())
                : Future.succeededFuture(fromRow(rows.iterator().next()));
    }

    private static PolicyVersion fromRow(Row row) {
        var writtenAt = row.getOffsetDateTime("written_at");
        return new PolicyVersion(
                row.getLong("version"),
                Json.parseStoredObject(row.getString("said")),
                Json.parseStoredObject(row.getString("hard_denies")),
                row.getUUID("author_id"),
                row.getString("author_name"),
                writtenAt == null ? null : writtenAt.toInstant());
    }

    private static Throwable notFound() {
        return Problem.of(
                        ErrorCode.NOT_FOUND, "This policy, or the department or project it belongs to, does not exist.")
                .asException();
    }
}
