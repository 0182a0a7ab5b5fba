package dev.slipway.messaging;

/**
 * From where on the outbox has to be read. Below are only rows that were deleted, and until PostgreSQL clears them away, which under load
 * takes many seconds, every reading that begins at the lowest number steps over each of them.
 *
 * <p>Numbers are not in commit order: what was read last says nothing about who may still commit a lower one. But whoever has taken a lower
 * one was running by then: once all have ended that ran a second after a number was read, nobody can come with a lower one any more.
 */
final class OutboxFloor {
    /** The oldest transaction that runs, and the first that has not begun. */
    static final String TRANSACTIONS = """
            SELECT pg_snapshot_xmin(s)::text::bigint AS oldest, pg_snapshot_xmax(s)::text::bigint AS next FROM pg_current_snapshot() AS s
            """;

    private long seq;
    private long settled;
    private long highest;
    private long highestBefore;
    private long waitingFor;
    private long waitingSeq;
    private boolean below;

    /** Has the next reading begin at the very start. */
    void lookBelow() {
        below = true;
    }

    /** What a reading begins above. */
    Reading next() {
        var reading = new Reading(below ? 0 : seq, settled);
        below = false;
        return reading;
    }

    /** To be told now and then which transactions there are; a second apart, as a transaction has its number only with its first write. */
    void raise(long oldest, long next) {
        if (waitingFor > 0 && oldest >= waitingFor) {
            settled = waitingSeq;
            waitingFor = 0;
        }
        if (waitingFor == 0 && highestBefore > settled) {
            waitingSeq = highestBefore;
            waitingFor = next;
        }
        highestBefore = highest;
    }

    /** One reading of the outbox. What it did not find, begun when nobody could come below a number, is not there. */
    final class Reading {
        private final long above;
        private final long settledBefore;

        private Reading(long above, long settledBefore) {
            this.above = above;
            this.settledBefore = settledBefore;
        }

        long seq() {
            return above;
        }

        void read(long last) {
            highest = Math.max(highest, last);
        }

        /** All that it could see is published. */
        void publishedAll() {
            seq = Math.max(seq, settledBefore);
        }
    }
}
