package dev.slipway.messaging;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class OutboxFloorTest {
    private final OutboxFloor floor = new OutboxFloor();

    @Test
    void next_staysAtTheStart_whileSomebodyMayStillComeWithALowerNumber() {
        publish(100);
        floor.raise(10, 20);
        floor.raise(10, 25);
        publish(150);

        floor.raise(24, 30); // one that ran when 100 had been read for a second is still there

        publish(160);
        assertThat(floor.next().seq()).isZero();
    }

    @Test
    void next_rises_onceAllThatRanThenHaveEnded_andAReadingHasFollowed() {
        publish(100);
        floor.raise(10, 20);
        floor.raise(10, 25);

        floor.raise(25, 30);

        assertThat(floor.next().seq()).as("no reading since").isZero();
        publish(160);
        assertThat(floor.next().seq()).isEqualTo(100);
    }

    @Test
    void next_doesNotRise_byAReadingThatBeganBefore_orDidNotSeeAll() {
        publish(100);
        floor.raise(10, 20);
        floor.raise(10, 25);
        var begunBefore = floor.next();
        floor.raise(25, 30);

        begunBefore.publishedAll();
        assertThat(floor.next().seq()).isZero();
        floor.next().read(600);
        assertThat(floor.next().seq()).isZero();
    }

    @Test
    void next_beginsAtTheStart_onceWhenAsked() {
        publish(100);
        floor.raise(10, 20);
        floor.raise(10, 25);
        floor.raise(25, 30);
        publish(160);

        floor.lookBelow();

        assertThat(floor.next().seq()).isZero();
        assertThat(floor.next().seq()).isEqualTo(100);
    }

    private void publish(long last) {
        var reading = floor.next();
        reading.read(last);
        reading.publishedAll();
    }
}
