package dev.slipway.messaging;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class OutboxWatermarkTest {
    private final OutboxWatermark watermark = new OutboxWatermark();

    @Test
    void watermark_staysAtStart_whileLowerNumberCanStillCommit() {
        publish(100);
        watermark.advance(10, 25);
        publish(150);

        watermark.advance(24, 30); // a transaction that had its id when 100 was read has not ended

        publish(160);
        assertThat(watermark.beginScan().afterSeq()).isZero();
    }

    @Test
    void watermark_advances_whenEarlierTransactionsHaveEndedAndAScanFollowed() {
        publish(100);
        watermark.advance(10, 25);

        watermark.advance(25, 30);

        assertThat(watermark.beginScan().afterSeq()).as("no scan since").isZero();
        publish(160);
        assertThat(watermark.beginScan().afterSeq()).isEqualTo(100);
    }

    @Test
    void watermark_doesNotAdvance_whenScanStartedBeforeOrWasPartial() {
        publish(100);
        watermark.advance(10, 25);
        var begunBefore = watermark.beginScan();
        watermark.advance(25, 30);

        begunBefore.markAllPublished();
        assertThat(watermark.beginScan().afterSeq()).isZero();
        watermark.beginScan().recordHighest(600);
        assertThat(watermark.beginScan().afterSeq()).isZero();
    }

    @Test
    void rescanFromStart_affectsOneScan() {
        publish(100);
        watermark.advance(10, 25);
        watermark.advance(25, 30);
        publish(160);

        watermark.rescanFromStart();

        assertThat(watermark.beginScan().afterSeq()).isZero();
        assertThat(watermark.beginScan().afterSeq()).isEqualTo(100);
    }

    @Test
    void canAdvance_isFalse_whenEverythingIsSettled() {
        assertThat(watermark.canAdvance()).isFalse();
        publish(100);
        assertThat(watermark.canAdvance()).isTrue();
        watermark.advance(10, 25);
        watermark.advance(25, 30);

        assertThat(watermark.canAdvance()).isFalse();
    }

    private void publish(long last) {
        var scan = watermark.beginScan();
        scan.recordHighest(last);
        scan.markAllPublished();
    }
}
