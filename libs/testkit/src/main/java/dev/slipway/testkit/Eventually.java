package dev.slipway.testkit;

import dev.slipway.contract.ApiOperation;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;

/** Repeats reads until they return what a test expects, for a bounded time; the last failure is the cause of the error. */
public final class Eventually {
    private static final Duration TIMEOUT = Duration.ofMinutes(Integer.getInteger("slipway.patience.minutes", 2));
    private static final long FIRST_PAUSE_NS = 10_000_000;
    /** Frequent polling would take processor time from the work that is waited for. */
    private static final long LONGEST_PAUSE_NS = 150_000_000;

    private static final ThreadLocal<Boolean> READS_ONLY = ThreadLocal.withInitial(() -> false);

    /** Not retried: the test has to wait for a read that shows what its write depends on. */
    private static final class MutationInRetryException extends RuntimeException {
        private MutationInRetryException(ApiOperation operation) {
            super(operation.id() + " is a mutation: wait for a read first, then send it once");
        }
    }

    private Eventually() {}

    /** Repeats the assertions until they hold. A call of the API that changes something fails the test. */
    public static void eventually(ThrowingCallable assertions) {
        var ignored = eventuallyGet(() -> {
            run(assertions);
            return true;
        });
    }

    /** Repeats the read until it returns a value. A call of the API that changes something fails the test. */
    public static <T> T eventuallyGet(Callable<T> read) {
        var outer = READS_ONLY.get();
        READS_ONLY.set(true);
        try {
            return repeat(read);
        } finally {
            READS_ONLY.set(outer);
        }
    }

    /** Rejects a mutation in a block that repeats reads. */
    static void requireRepeatable(ApiOperation operation) {
        if (READS_ONLY.get() && operation.isMutation()) {
            throw new MutationInRetryException(operation);
        }
    }

    private static void run(ThrowingCallable assertions) throws Exception {
        try {
            assertions.call();
        } catch (Exception | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }

    static <T> T repeat(Callable<T> call) {
        var end = System.nanoTime() + TIMEOUT.toNanos();
        for (var pause = FIRST_PAUSE_NS; ; pause = Math.min(LONGEST_PAUSE_NS, pause * 3 / 2)) {
            try {
                return call.call();
            } catch (MutationInRetryException e) {
                throw e;
            } catch (Exception | AssertionError e) {
                if (System.nanoTime() > end) {
                    throw new AssertionError("the expected result did not arrive within " + TIMEOUT, e);
                }
                LockSupport.parkNanos(pause);
            }
        }
    }
}
