package dev.slipway.messaging;

/**
 * Tracks the sequence number above which the outbox has to be read. Rows below it are deleted, but until they are vacuumed, which takes
 * many seconds under load, a scan from the start would step over each of them.
 *
 * <p>Sequence numbers are not assigned in commit order, so a transaction with a lower number may commit after a higher one was read. Such a
 * transaction already had its id when the higher number was read. Therefore the watermark advances to a number only after all transactions
 * have ended whose ids were assigned before a snapshot that was taken after that number was read.
 */
final class OutboxWatermark {
    /** Selects the oldest running transaction and the next transaction id. */
    static final String SELECT_SNAPSHOT = """
            SELECT pg_snapshot_xmin(s)::text::bigint AS oldest, pg_snapshot_xmax(s)::text::bigint AS next FROM pg_current_snapshot() AS s
            """;

    private long seq;
    private long settled;
    private long highest;
    private long waitingFor;
    private long waitingSeq;
    private boolean rescanRequested;

    /** Makes the next scan start at the beginning. */
    void rescanFromStart() {
        rescanRequested = true;
    }

    /** Returns whether a call of {@link #advance} could have an effect. */
    boolean canAdvance() {
        return waitingFor > 0 || highest > settled;
    }

    /** Starts a scan at the watermark. */
    Scan beginScan() {
        var scan = new Scan(rescanRequested ? 0 : seq, settled);
        rescanRequested = false;
        return scan;
    }

    /** Takes a snapshot of the running transactions, taken after the last recorded number was read, and advances the watermark if possible. */
    void advance(long oldest, long next) {
        if (waitingFor > 0 && oldest >= waitingFor) {
            settled = waitingSeq;
            waitingFor = 0;
        }
        if (waitingFor == 0 && highest > settled) {
            waitingSeq = highest;
            waitingFor = next;
        }
    }

    /** One scan of the outbox. It sees every row up to the number that was settled when it started. */
    final class Scan {
        private final long above;
        private final long settledBefore;

        private Scan(long above, long settledBefore) {
            this.above = above;
            this.settledBefore = settledBefore;
        }

        long afterSeq() {
            return above;
        }

        void recordHighest(long last) {
            highest = Math.max(highest, last);
        }

        /** Records that every row the scan could see has been published. */
        void markAllPublished() {
            seq = Math.max(seq, settledBefore);
        }
    }
}
