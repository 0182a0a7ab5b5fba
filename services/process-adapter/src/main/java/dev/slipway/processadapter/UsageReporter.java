package dev.slipway.processadapter;

import dev.slipway.adapter.InstanceReporter;
import dev.slipway.processadapter.MeteringState.MeteringMark;
import io.vertx.core.Future;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collection;

import static java.util.Objects.requireNonNull;

/** Reports the running time of instances, window by window. */
final class UsageReporter {
    private static final Logger LOG = LoggerFactory.getLogger(UsageReporter.class);

    private final ProcessLauncher launcher;
    private final InstanceReporter reporter;
    private final Duration window;

    UsageReporter(ProcessLauncher processLauncher, InstanceReporter reporter, Duration window) {
        this.launcher = processLauncher;
        this.reporter = reporter;
        this.window = window;
    }

    /** Starts metering unless it has started. */
    Future<Void> start(ManagedInstance instance) {
        return !isMetered(instance) || instance.metering().reportedUntil() != null
                ? Future.succeededFuture()
                : instance.metering().runInOrder(() -> recordReportedUntil(instance, now()));
    }

    /** Resumes the metering of an earlier adapter process. Downtime is not counted. */
    Future<Void> resume(ManagedInstance instance, boolean ranMeanwhile) {
        var meteringState = instance.metering();
        return meteringState.runInOrder(() -> {
            var pending = meteringState.pendingUntil();
            var reported = pending == null ? Future.<Void>succeededFuture() : report(instance, pending);
            return reported.compose(ok -> isMetered(instance) && !ranMeanwhile
                    ? recordReportedUntil(instance, now())
                    : Future.succeededFuture());
        });
    }

    /** Reports the completed windows. */
    void reportCompletedWindows(Collection<ManagedInstance> instances) {
        for (var instance : instances) {
            var meteringState = instance.metering();
            meteringState
                    .runInOrder(() -> {
                        var from = meteringState.reportedUntil();
                        var to = from == null ? null : MeteringState.lastWholeWindowEnd(from, now(), window);
                        return to == null ? Future.<Void>succeededFuture() : report(instance, to);
                    })
                    .onFailure(e -> LOG.atWarn()
                            .addKeyValue("app_instance_id", instance.id())
                            .setCause(e)
                            .log("reporting usage failed; the next window includes it"));
        }
    }

    /** Reports the remaining usage of a stopped instance. */
    Future<Void> close(ManagedInstance instance) {
        var meteringState = instance.metering();
        return meteringState.runInOrder(() -> {
            var from = meteringState.reportedUntil();
            var pending = meteringState.pendingUntil();
            var to = pending == null ? now() : pending;
            var reported = from == null || !from.isBefore(to) ? Future.<Void>succeededFuture() : report(instance, to);
            return reported.onSuccess(ok -> meteringState.stop());
        });
    }

    private Future<Void> report(ManagedInstance instance, Instant to) {
        var meteringState = instance.metering();
        var from = requireNonNull(meteringState.reportedUntil());
        meteringState.pendingUntil(to);
        return saveMark(instance, new MeteringMark(from, to))
                .compose(ok -> reporter.reportUsage(instance.id(), MeteringState.createUsage(instance.id(), from, to)))
                .compose(ok -> recordReportedUntil(instance, to));
    }

    private Future<Void> recordReportedUntil(ManagedInstance instance, Instant to) {
        return saveMark(instance, new MeteringMark(to, null))
                .onSuccess(ok -> instance.metering().markReported(to));
    }

    private Future<Void> saveMark(ManagedInstance instance, MeteringMark meteringMark) {
        return launcher.runBlocking(() -> {
            instance.directory().write(meteringMark);
            return null;
        });
    }

    private static boolean isMetered(ManagedInstance instance) {
        var spec = instance.spec();
        return spec != null && spec.metered();
    }

    private static Instant now() {
        return Instant.now().truncatedTo(ChronoUnit.MILLIS);
    }
}
