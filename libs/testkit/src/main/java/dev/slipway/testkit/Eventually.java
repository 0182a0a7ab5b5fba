package dev.slipway.testkit;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;

/** Waits for something that comes by itself: bounded, and with the last reason why it has not come. */
public final class Eventually {
    private static final Duration PATIENCE = Duration.ofMinutes(Integer.getInteger("slipway.patience.minutes", 2));
    private static final Duration PAUSE = Duration.ofMillis(20);

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
        while (true) {
            try {
                return value.call();
            } catch (Exception | AssertionError e) {
                if (System.nanoTime() > end) {
                    throw new AssertionError("it did not come within " + PATIENCE, e);
                }
                LockSupport.parkNanos(PAUSE.toNanos());
            }
        }
    }
}
