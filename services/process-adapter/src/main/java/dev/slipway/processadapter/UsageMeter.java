package dev.slipway.processadapter;

import dev.slipway.adapter.Reports;
import dev.slipway.processadapter.Metering.Mark;
import io.vertx.core.Future;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collection;

import static java.util.Objects.requireNonNull;

/** Reports how long instances ran, window by window. */
final class UsageMeter {
    private static final Logger LOG = LoggerFactory.getLogger(UsageMeter.class);

    private final Machine machine;
    private final Reports reports;
    private final Duration window;

    UsageMeter(Machine machine, Reports reports, Duration window) {
        this.machine = machine;
        this.reports = reports;
        this.window = window;
    }

    /** It runs from now on, if it did not before. */
    Future<Void> begin(Instance instance) {
        return !isMetered(instance) || instance.metering().until() != null
                ? Future.succeededFuture()
                : instance.metering().inOrder(() -> reach(instance, now()));
    }

    /** Takes up where an adapter before this left off. What did not run meanwhile has used nothing meanwhile. */
    Future<Void> resume(Instance instance, boolean ranMeanwhile) {
        var metering = instance.metering();
        return metering.inOrder(() -> {
            var pending = metering.pending();
            var reported = pending == null ? Future.<Void>succeededFuture() : report(instance, pending);
            return reported.compose(
                    ok -> isMetered(instance) && !ranMeanwhile ? reach(instance, now()) : Future.succeededFuture());
        });
    }

    /** Reports the windows that are over. */
    void settle(Collection<Instance> instances) {
        for (var instance : instances) {
            var metering = instance.metering();
            metering.inOrder(() -> {
                        var from = metering.until();
                        var to = from == null ? null : Metering.wholeWindows(from, now(), window);
                        return to == null ? Future.<Void>succeededFuture() : report(instance, to);
                    })
                    .onFailure(e -> LOG.atWarn()
                            .addKeyValue("app_instance_id", instance.id())
                            .setCause(e)
                            .log("usage could not be reported; the next window makes up for it"));
        }
    }

    /** It has stopped: reports the rest. */
    Future<Void> close(Instance instance) {
        var metering = instance.metering();
        return metering.inOrder(() -> {
            var from = metering.until();
            var pending = metering.pending();
            var to = pending == null ? now() : pending;
            var reported = from == null || !from.isBefore(to) ? Future.<Void>succeededFuture() : report(instance, to);
            return reported.onSuccess(ok -> metering.stop());
        });
    }

    private Future<Void> report(Instance instance, Instant to) {
        var metering = instance.metering();
        var from = requireNonNull(metering.until());
        metering.pending(to);
        return keep(instance, new Mark(from, to))
                .compose(ok -> reports.usage(instance.id(), Metering.usage(instance.id(), from, to)))
                .compose(ok -> reach(instance, to));
    }

    private Future<Void> reach(Instance instance, Instant to) {
        return keep(instance, new Mark(to, null))
                .onSuccess(ok -> instance.metering().reported(to));
    }

    private Future<Void> keep(Instance instance, Mark mark) {
        return machine.blocking(() -> {
            instance.directory().write(mark);
            return null;
        });
    }

    private static boolean isMetered(Instance instance) {
        var spec = instance.spec();
        return spec != null && spec.metered();
    }

    private static Instant now() {
        return Instant.now().truncatedTo(ChronoUnit.MILLIS);
    }
}
