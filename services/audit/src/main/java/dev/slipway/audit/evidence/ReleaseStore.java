package dev.slipway.audit.evidence;

import dev.slipway.audit.evidence.domain.CandidateGates;
import dev.slipway.audit.evidence.domain.Gate;
import dev.slipway.audit.evidence.domain.GateVerdict;
import dev.slipway.audit.evidence.domain.Promotion;
import dev.slipway.audit.evidence.domain.ReleaseAttributes;
import dev.slipway.audit.evidence.domain.ReleaseCandidate;
import dev.slipway.audit.evidence.domain.Waiver;
import dev.slipway.contract.Cursor;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
import dev.slipway.contract.domain.TextEnum;
import dev.slipway.messaging.QueryExecutor;
import dev.slipway.messaging.SqlTime;
import dev.slipway.messaging.TableColumns;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;

/** All SQL of release candidates, waivers and verdicts. A null project represents the platform, which sees all candidates. */
public final class ReleaseStore {
    private static final TableColumns COLUMNS = TableColumns.of(
            "release_candidates",
            "id",
            "org_id",
            "project_id",
            "product",
            "version",
            "source_sha",
            "branch",
            "environment",
            "profile",
            "production_impacting",
            "capacity_impacting",
            "required_journeys",
            "promotion",
            "validated_release_id",
            "author_id",
            "author_user_id",
            "revision",
            "verdict",
            "release_verdict_id",
            "valid_until",
            "created_at",
            "updated_at");
    private static final String SELECT = COLUMNS.select();
    private static final String FIND = SELECT + "WHERE id = $1 AND ($2::uuid IS NULL OR project_id = $2)";
    private static final String LOCK = FIND + " FOR NO KEY UPDATE";
    private static final String LOCK_BY_SOURCE =
            SELECT + "WHERE source_sha = $1 ORDER BY id LIMIT $2 FOR NO KEY UPDATE";
    /** Locked, so that its verdict cannot change before the fast candidate that depends on it is stored. */
    private static final String LOCK_PASSED = SELECT + """
            WHERE source_sha = $1 AND product = $2 AND project_id IS NOT DISTINCT FROM $3::uuid AND promotion = 'full' AND verdict = 'pass'
            ORDER BY id DESC LIMIT 1 FOR SHARE
            """;

    private static final String LOCK_FAST = SELECT + "WHERE validated_release_id = $1 ORDER BY id FOR NO KEY UPDATE";
    private static final String COUNT_FAST =
            "SELECT count(*) AS candidates FROM release_candidates WHERE validated_release_id = $1";
    private static final String LIST = SELECT + """
            WHERE ($1::uuid IS NULL OR project_id = $1) AND ($2::text IS NULL OR product = $2) AND ($3::text IS NULL OR verdict = $3)
                AND (created_at, id) < ($4, $5)
            ORDER BY created_at DESC, id DESC LIMIT $6
            """;
    private static final String LATEST_PER_PRODUCT = """
            SELECT DISTINCT ON (product) id FROM release_candidates WHERE $1::text IS NULL OR product = $1
            ORDER BY product, created_at DESC, id DESC LIMIT $2
            """;
    private static final String LIST_LATEST = SELECT + "WHERE id IN (" + LATEST_PER_PRODUCT + ") ORDER BY product";
    private static final String INSERT = COLUMNS.insert();
    private static final String UPDATE_VERDICT =
            COLUMNS.update(List.of("id"), "revision", "verdict", "release_verdict_id", "valid_until", "updated_at");
    private static final String INSERT_WAIVER = """
            INSERT INTO release_waivers (id, release_id, gate, owner, reason, granted_by, granted_at, expires_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
            """;
    private static final String LIST_WAIVERS =
            "SELECT id, gate, granted_at, expires_at FROM release_waivers WHERE release_id = $1 ORDER BY id";
    private static final TableColumns VERDICT_COLUMNS = TableColumns.of(
            "gate_verdicts",
            "id",
            "release_id",
            "release_verdict_id",
            "revision",
            "gate",
            "verdict",
            "document",
            "digest",
            "evaluated_at");
    private static final String SELECT_VERDICT = VERDICT_COLUMNS.select();
    private static final String CURRENT_VERDICTS =
            SELECT_VERDICT + "WHERE release_id = $1 AND revision = $2 ORDER BY id";
    private static final String CURRENT_VERDICTS_OF = """
            SELECT %s
            FROM gate_verdicts v JOIN release_candidates r ON r.id = v.release_id AND r.revision = v.revision
            WHERE v.release_id = ANY($1) AND v.gate = $2
            """.formatted(VERDICT_COLUMNS.listOf("v"));
    private static final String CURRENT_GATES = """
            SELECT v.release_id, v.gate, v.verdict
            FROM gate_verdicts v JOIN release_candidates r ON r.id = v.release_id AND r.revision = v.revision
            WHERE v.release_id = ANY($1)
            """;
    private static final String FIND_VERDICT = SELECT_VERDICT + "WHERE release_id = $1 AND id = $2";
    private static final String LIST_VERDICTS = SELECT_VERDICT + """
            WHERE release_id = $1 AND (evaluated_at, id) < ($2, $3) ORDER BY evaluated_at DESC, id DESC LIMIT $4
            """;

    /** The position before the first page. */
    private static final OffsetDateTime END_OF_TIME = OffsetDateTime.of(9999, 1, 1, 0, 0, 0, 0, ZoneOffset.UTC);

    private static final UUID LAST_ID = new UUID(-1, -1);

    private final SqlClient reads;

    /** A stored verdict of a gate; the document is the canonical JSON that its digest covers. */
    record StoredVerdict(
            UUID id,
            UUID releaseId,
            long revision,
            Gate gate,
            GateVerdict verdict,
            String document,
            String digest,
            Instant evaluatedAt) {}

    public ReleaseStore(SqlClient reads) {
        this.reads = reads;
    }

    QueryExecutor reads() {
        return QueryExecutor.of(reads);
    }

    void insert(UnitOfWork unit, ReleaseCandidate candidate) {
        var attributes = candidate.attributes();
        unit.write(INSERT, Tuple.from(new @Nullable Object[] {
            candidate.id(),
            candidate.orgId(),
            candidate.projectId(),
            attributes.product(),
            attributes.version(),
            attributes.sourceSha(),
            attributes.branch(),
            attributes.environment(),
            attributes.profile(),
            attributes.productionImpacting(),
            attributes.capacityImpacting(),
            attributes.requiredJourneys().toArray(String[]::new),
            candidate.promotion().kind().text(),
            candidate.promotion().validatedReleaseId(),
            candidate.authorId(),
            candidate.authorUserId(),
            candidate.revision(),
            candidate.verdict().text(),
            candidate.releaseVerdictId(),
            SqlTime.ofNullable(candidate.validUntil()),
            SqlTime.of(candidate.createdAt()),
            SqlTime.of(candidate.updatedAt())
        }));
    }

    void updateVerdict(UnitOfWork unit, ReleaseCandidate candidate) {
        unit.write(
                UPDATE_VERDICT,
                Tuple.of(
                        candidate.id(),
                        candidate.revision(),
                        candidate.verdict().text(),
                        candidate.releaseVerdictId(),
                        SqlTime.ofNullable(candidate.validUntil()),
                        SqlTime.of(candidate.updatedAt())));
    }

    /** Fails with not_found if the project has no such candidate. */
    Future<ReleaseCandidate> find(UUID id, @Nullable UUID projectId) {
        return find(reads(), id, projectId);
    }

    Future<ReleaseCandidate> find(QueryExecutor executor, UUID id, @Nullable UUID projectId) {
        return executor.query(FIND, Tuple.of(id, projectId)).map(ReleaseStore::requireOne);
    }

    Future<ReleaseCandidate> lock(UnitOfWork unit, UUID id, @Nullable UUID projectId) {
        return unit.query(LOCK, Tuple.of(id, projectId)).map(ReleaseStore::requireOne);
    }

    /** Locks the candidates of a source revision, in the order of their ids. */
    Future<List<ReleaseCandidate>> lockBySource(UnitOfWork unit, String sourceSha, int limit) {
        return unit.query(LOCK_BY_SOURCE, Tuple.of(sourceSha, limit))
                .map(rows -> list(rows, ReleaseStore::toCandidate));
    }

    /** Returns and locks the newest full candidate of the product, source revision and project that has passed; null if there is none. */
    Future<@Nullable ReleaseCandidate> lockPassed(
            UnitOfWork unit, String sourceSha, String product, @Nullable UUID projectId) {
        return unit.query(LOCK_PASSED, Tuple.of(sourceSha, product, projectId))
                .map(rows ->
                        rows.size() == 0 ? null : toCandidate(rows.iterator().next()));
    }

    /** Locks the fast candidates whose source revision the candidate validated, in the order of their ids. */
    Future<List<ReleaseCandidate>> lockFastCandidates(UnitOfWork unit, UUID validatedReleaseId) {
        return unit.query(LOCK_FAST, Tuple.of(validatedReleaseId)).map(rows -> list(rows, ReleaseStore::toCandidate));
    }

    Future<Long> countFastCandidates(UnitOfWork unit, UUID validatedReleaseId) {
        return unit.query(COUNT_FAST, Tuple.of(validatedReleaseId))
                .map(rows -> rows.iterator().next().getLong("candidates"));
    }

    Future<List<ReleaseCandidate>> list(
            @Nullable UUID projectId,
            @Nullable String product,
            @Nullable String verdict,
            @Nullable Cursor after,
            int limit) {
        var parameters =
                withCursor(Tuple.of(projectId, product, verdict), after).addInteger(limit);
        return reads.preparedQuery(LIST).execute(parameters).map(rows -> list(rows, ReleaseStore::toCandidate));
    }

    /** Returns the newest candidate of each product, by name. */
    Future<List<ReleaseCandidate>> listLatestPerProduct(@Nullable String product, int limit) {
        return reads.preparedQuery(LIST_LATEST)
                .execute(Tuple.of(product, limit))
                .map(rows -> list(rows, ReleaseStore::toCandidate));
    }

    /** Returns the newest candidates of the platform and of all projects, with the current verdicts of their gates. */
    public Future<List<CandidateGates>> listNewestWithGates(int limit) {
        return list(null, null, null, null, limit).compose(candidates -> reads.preparedQuery(CURRENT_GATES)
                .execute(Tuple.of(
                        (Object) candidates.stream().map(ReleaseCandidate::id).toArray(UUID[]::new)))
                .map(rows -> {
                    var gates = new HashMap<UUID, Map<Gate, GateVerdict>>();
                    for (var row : rows) {
                        gates.computeIfAbsent(row.getUUID("release_id"), id -> new EnumMap<>(Gate.class))
                                .put(
                                        TextEnum.parse(Gate.class, row.getString("gate")),
                                        TextEnum.parse(GateVerdict.class, row.getString("verdict")));
                    }
                    return candidates.stream()
                            .map(candidate ->
                                    new CandidateGates(candidate, gates.getOrDefault(candidate.id(), Map.of())))
                            .toList();
                }));
    }

    void insertWaiver(UnitOfWork unit, UUID releaseId, Waiver waiver, String owner, String reason, UUID grantedBy) {
        unit.write(INSERT_WAIVER, Tuple.from(new Object[] {
            waiver.id(),
            releaseId,
            waiver.gate().text(),
            owner,
            reason,
            grantedBy,
            SqlTime.of(waiver.grantedAt()),
            SqlTime.of(waiver.expiresAt())
        }));
    }

    Future<List<Waiver>> listWaivers(UnitOfWork unit, UUID releaseId) {
        return unit.query(LIST_WAIVERS, Tuple.of(releaseId))
                .map(rows -> list(
                        rows,
                        row -> new Waiver(
                                row.getUUID("id"),
                                TextEnum.parse(Gate.class, row.getString("gate")),
                                SqlTime.read(row, "granted_at"),
                                SqlTime.read(row, "expires_at"))));
    }

    void insertVerdict(UnitOfWork unit, UUID releaseVerdictId, StoredVerdict verdict) {
        unit.write(VERDICT_COLUMNS.insert(), Tuple.from(new Object[] {
            verdict.id,
            verdict.releaseId,
            releaseVerdictId,
            verdict.revision,
            verdict.gate.text(),
            verdict.verdict.text(),
            verdict.document,
            verdict.digest,
            SqlTime.of(verdict.evaluatedAt)
        }));
    }

    Future<List<StoredVerdict>> listCurrentVerdicts(QueryExecutor executor, ReleaseCandidate candidate) {
        return executor.query(CURRENT_VERDICTS, Tuple.of(candidate.id(), candidate.revision()))
                .map(rows -> list(rows, ReleaseStore::toVerdict));
    }

    /** Returns the current verdicts of one gate for the candidates. */
    Future<List<StoredVerdict>> listCurrentVerdicts(List<UUID> releaseIds, Gate gate) {
        return reads.preparedQuery(CURRENT_VERDICTS_OF)
                .execute(Tuple.of(releaseIds.toArray(UUID[]::new), gate.text()))
                .map(rows -> list(rows, ReleaseStore::toVerdict));
    }

    Future<@Nullable StoredVerdict> findVerdict(UUID releaseId, UUID verdictId) {
        return reads.preparedQuery(FIND_VERDICT)
                .execute(Tuple.of(releaseId, verdictId))
                .map(rows -> rows.size() == 0 ? null : toVerdict(rows.iterator().next()));
    }

    Future<List<StoredVerdict>> listVerdicts(UUID releaseId, @Nullable Cursor after, int limit) {
        return reads.preparedQuery(LIST_VERDICTS)
                .execute(withCursor(Tuple.of(releaseId), after).addInteger(limit))
                .map(rows -> list(rows, ReleaseStore::toVerdict));
    }

    static Tuple withCursor(Tuple parameters, @Nullable Cursor after) {
        return after == null
                ? parameters.addOffsetDateTime(END_OF_TIME).addUUID(LAST_ID)
                : parameters.addOffsetDateTime(SqlTime.of(after.createdAt())).addUUID(after.id());
    }

    static <T> List<T> list(RowSet<Row> rows, Function<Row, T> convert) {
        var found = new ArrayList<T>(rows.size());
        rows.forEach(row -> found.add(convert.apply(row)));
        return found;
    }

    private static ReleaseCandidate requireOne(RowSet<Row> rows) {
        if (rows.size() == 0) {
            throw Problem.of(ErrorCode.NOT_FOUND, "Not found.").asException();
        }
        return toCandidate(rows.iterator().next());
    }

    static ReleaseCandidate toCandidate(Row row) {
        return new ReleaseCandidate(
                row.getUUID("id"),
                row.getUUID("org_id"),
                row.getUUID("project_id"),
                new ReleaseAttributes(
                        row.getString("product"),
                        row.getString("version"),
                        row.getString("source_sha"),
                        row.getString("branch"),
                        row.getString("environment"),
                        row.getString("profile"),
                        row.getBoolean("production_impacting"),
                        row.getBoolean("capacity_impacting"),
                        List.of(row.getArrayOfStrings("required_journeys"))),
                new Promotion(
                        TextEnum.parse(Promotion.Kind.class, row.getString("promotion")),
                        row.getUUID("validated_release_id")),
                row.getUUID("author_id"),
                row.getUUID("author_user_id"),
                row.getLong("revision"),
                TextEnum.parse(GateVerdict.class, row.getString("verdict")),
                row.getUUID("release_verdict_id"),
                SqlTime.readNullable(row, "valid_until"),
                SqlTime.read(row, "created_at"),
                SqlTime.read(row, "updated_at"));
    }

    private static StoredVerdict toVerdict(Row row) {
        return new StoredVerdict(
                row.getUUID("id"),
                row.getUUID("release_id"),
                row.getLong("revision"),
                TextEnum.parse(Gate.class, row.getString("gate")),
                TextEnum.parse(GateVerdict.class, row.getString("verdict")),
                row.getString("document"),
                row.getString("digest"),
                SqlTime.read(row, "evaluated_at"));
    }
}
