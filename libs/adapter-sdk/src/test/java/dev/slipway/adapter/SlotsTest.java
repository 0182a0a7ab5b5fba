package dev.slipway.adapter;

import io.vertx.core.Promise;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class SlotsTest {
    private final Slots slots = new Slots(1);
    private final Promise<Void> never = Promise.promise();

    @Test
    void acquire_waits_whenAllSlotsAreInUse() {
        assertThat(slots.tryAcquire()).isTrue();
        assertThat(slots.tryAcquire()).isFalse();
        var first = slots.acquire(never.future());
        var second = slots.acquire(never.future());

        slots.release();

        assertThat(first.result()).isTrue();
        assertThat(second.isComplete()).isFalse();
        assertThat(slots.inUse()).isEqualTo(1);
    }

    @Test
    void acquire_returnsFalse_whenGivenUp() {
        assertThat(slots.tryAcquire()).isTrue();
        var giveUp = Promise.<Void>promise();
        var waiting = slots.acquire(giveUp.future());

        giveUp.complete();
        slots.release();

        assertThat(waiting.result()).isFalse();
        assertThat(slots.inUse()).isZero();
    }

    @Test
    void release_grantsNothing_whileLimitIsExceeded() {
        slots.forceAcquire();
        slots.forceAcquire();
        var waiting = slots.acquire(never.future());

        slots.release();
        assertThat(waiting.isComplete()).isFalse();
        slots.release();
        assertThat(waiting.result()).isTrue();
    }

    @Test
    void acquire_grantsAllSlotsAtOnce_inFifoOrder() {
        var three = new Slots(3);
        assertThat(three.tryAcquire(2)).isTrue();
        var giveUp = Promise.<Void>promise();
        var two = three.acquire(2, giveUp.future());
        var one = three.acquire(never.future());
        assertThat(one.isComplete())
                .as("one is free, but another request is first")
                .isFalse();

        giveUp.complete();

        assertThat(two.result()).isFalse();
        assertThat(one.result()).isTrue();
        assertThat(three.inUse()).isEqualTo(3);
    }
}
