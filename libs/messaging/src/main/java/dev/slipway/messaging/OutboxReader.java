package dev.slipway.messaging;

import io.vertx.core.Future;
import io.vertx.pgclient.PgConnection;
import io.vertx.sqlclient.Tuple;

import java.util.List;

/**
 * Reads unpublished rows in order and deletes them after publication, on the leader's connection.
 *
 * <p>Rows are read from a watermark below which no row can appear any more (see {@link OutboxWatermark}). "Greater than the last row" would
 * lose events because sequence numbers are not assigned in commit order. A reader serves one leadership: a new leader starts from zero
 * because its predecessor may have left any row behind.
 */
final class OutboxReader {
    static final int BATCH_SIZE = 500;
    private static final String SELECT =
            "SELECT " + OutboxRow.COLUMNS + " FROM outbox WHERE seq > $2 ORDER BY seq LIMIT $1";
    /**
     * Makes the reads use the primary key. They are planned while the table is almost empty, when a scan of the whole table looks cheaper, and
     * the plan is kept while deleted rows fill thousands of pages.
     */
    private static final String USE_INDEX = "SET enable_seqscan = off; SET enable_bitmapscan = off";

    private static final String DELETE = "DELETE FROM outbox WHERE seq = ANY($1)";

    private final PgConnection connection;
    private final OutboxWatermark watermark = new OutboxWatermark();

    /** The rows of one read. */
    record Batch(List<OutboxRow> rows, OutboxWatermark.Scan scan) {
        /** Returns true if more rows may be waiting behind this batch. */
        boolean isFull() {
            return rows.size() == BATCH_SIZE;
        }
    }

    OutboxReader(PgConnection connection) {
        this.connection = connection;
        connection.query(USE_INDEX).execute().onFailure(e -> connection.close());
    }

    Future<Batch> read() {
        var scan = watermark.beginScan();
        var batch = connection
                .preparedQuery(SELECT)
                .mapping(OutboxRow::fromRow)
                .execute(Tuple.of(BATCH_SIZE, scan.afterSeq()))
                .map(rows -> new Batch(rows.stream().toList(), scan));
        advanceWatermark();
        return batch;
    }

    /** Deletes a published batch. Does not wait: the next read follows on the same connection and sees the deletion. */
    void delete(Batch batch) {
        var rows = batch.rows;
        if (!rows.isEmpty()) {
            connection
                    .preparedQuery(DELETE)
                    .execute(Tuple.of(rows.stream().map(OutboxRow::seq).toArray(Long[]::new)))
                    .onFailure(e -> connection.close());
            batch.scan.recordHighest(rows.get(rows.size() - 1).seq());
        }
        if (!batch.isFull()) {
            batch.scan.markAllPublished();
        }
    }

    /** Makes the next read start below the watermark, in case the watermark is wrong. */
    void rescanFromStart() {
        watermark.rescanFromStart();
    }

    /** Returns whether rows were read that are still above the watermark. */
    boolean hasRecentRows() {
        return watermark.canAdvance();
    }

    /** Moves the watermark up if the transactions that ran at an earlier read have ended. Does not wait. */
    private void advanceWatermark() {
        if (watermark.canAdvance()) {
            connection
                    .preparedQuery(OutboxWatermark.SELECT_SNAPSHOT)
                    .execute()
                    .onSuccess(rows -> {
                        var row = rows.iterator().next();
                        watermark.advance(row.getLong("oldest"), row.getLong("next"));
                    })
                    .onFailure(e -> connection.close());
        }
    }
}
