package dev.slipway.testkit;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;

/** Waits for something that comes by itself: bounded, and with the last reason why it has not come. */
public final class Eventually {
    private static final Duration PATIENCE = Duration.ofMinutes(Integer.getInteger("slipway.patience.minutes", 2));
    private static final long FIRST_PAUSE_NS = 10_000_000;
    /** What takes long is not there sooner for being asked for often, and asking takes from what it waits for. */
    private static final long LONGEST_PAUSE_NS = 150_000_000;

    private Eventually() {}

    /** Until the assertions hold. */
    public static void eventually(ThrowingCallable assertions) {
        var ignored = eventuallyGet(() -> {
            try {
                assertions.call();
            } catch (Exception | Error e) {
                throw e;
            } catch (Throwable e) {
                throw new AssertionError(e);
            }
            return true;
        });
    }

    /** Until a value comes without an exception. */
    public static <T> T eventuallyGet(Callable<T> value) {
        var end = System.nanoTime() + PATIENCE.toNanos();
        for (var pause = FIRST_PAUSE_NS; ; pause = Math.min(LONGEST_PAUSE_NS, pause * 3 / 2)) {
            try {
                return value.call();
            } catch (Exception | AssertionError e) {
                if (System.nanoTime() > end) {
                    throw new AssertionError("it did not come within " + PATIENCE, e);
                }
                LockSupport.parkNanos(pause);
            }
        }
    }
}
