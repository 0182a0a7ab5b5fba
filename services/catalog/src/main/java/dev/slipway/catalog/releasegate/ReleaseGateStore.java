package dev.slipway.catalog.releasegate;

import dev.slipway.catalog.releasegate.domain.ReleaseVerdict;
import dev.slipway.catalog.releasegate.domain.ReleaseVerdict.Verdict;
import dev.slipway.contract.domain.TextEnum;
import dev.slipway.messaging.SqlTime;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.List;
import java.util.UUID;

/** All SQL of the replicated verdicts. */
public final class ReleaseGateStore {
    private static final String UPSERT = """
            INSERT INTO release_verdicts (release_id, product, version, verdict, release_verdict_id, valid_until, artifact_digests, revision)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
            ON CONFLICT (release_id) DO UPDATE SET verdict = $4, release_verdict_id = $5, valid_until = $6, artifact_digests = $7,
                revision = $8
            WHERE release_verdicts.revision < $8
            """;
    private static final String UPSERT_FRESHNESS = """
            INSERT INTO release_verdicts_freshness (single, replicated_at) VALUES (true, $1)
            ON CONFLICT (single) DO UPDATE SET replicated_at = greatest(release_verdicts_freshness.replicated_at, $1)
            """;
    private static final String FIND_FRESHNESS = "SELECT replicated_at FROM release_verdicts_freshness";
    private static final String SELECT =
            "SELECT release_id, release_verdict_id, verdict, valid_until FROM release_verdicts ";
    /** Ids are in the order of creation. */
    private static final String FIND_VERSION = SELECT + """
            WHERE product = $1 AND version = $2 ORDER BY release_id DESC LIMIT 1
            """;

    private static final String FIND_DIGEST = SELECT + """
            WHERE artifact_digests @> ARRAY[$1::text] AND ($2::text IS NULL OR product = $2) ORDER BY release_id DESC LIMIT 1
            """;

    /** A snapshot of {@code evidence.state}. */
    record Snapshot(
            UUID releaseId,
            String product,
            String productVersion,
            Verdict verdict,
            UUID releaseVerdictId,
            @Nullable Instant validUntil,
            List<String> artifactDigests,
            long revision) {}

    void upsert(UnitOfWork unit, Snapshot snapshot) {
        unit.write(UPSERT, Tuple.from(new @Nullable Object[] {
            snapshot.releaseId,
            snapshot.product,
            snapshot.productVersion,
            snapshot.verdict.text(),
            snapshot.releaseVerdictId,
            SqlTime.ofNullable(snapshot.validUntil),
            snapshot.artifactDigests.toArray(String[]::new),
            snapshot.revision
        }));
    }

    void updateFreshness(UnitOfWork unit, Instant replicatedAt) {
        unit.write(UPSERT_FRESHNESS, Tuple.of(SqlTime.of(replicatedAt)));
    }

    /** Returns null if no heartbeat was received yet. */
    Future<@Nullable Instant> findFreshness(UnitOfWork unit) {
        return unit.query(FIND_FRESHNESS, Tuple.tuple())
                .map(rows ->
                        rows.size() == 0 ? null : SqlTime.read(rows.iterator().next(), "replicated_at"));
    }

    /** Returns the verdict of the newest candidate of a version, or null. */
    Future<@Nullable ReleaseVerdict> findVersion(UnitOfWork unit, String product, String version) {
        return unit.query(FIND_VERSION, Tuple.of(product, version)).map(ReleaseGateStore::first);
    }

    /** Returns the verdict of the newest candidate that contains the digest, or null. */
    Future<@Nullable ReleaseVerdict> findDigest(UnitOfWork unit, String digest, @Nullable String product) {
        return unit.query(FIND_DIGEST, Tuple.of(digest, product)).map(ReleaseGateStore::first);
    }

    private static @Nullable ReleaseVerdict first(RowSet<Row> rows) {
        if (rows.size() == 0) {
            return null;
        }
        var row = rows.iterator().next();
        return new ReleaseVerdict(
                row.getUUID("release_id"),
                row.getUUID("release_verdict_id"),
                TextEnum.parse(Verdict.class, row.getString("verdict")),
                SqlTime.readNullable(row, "valid_until"));
    }
}
