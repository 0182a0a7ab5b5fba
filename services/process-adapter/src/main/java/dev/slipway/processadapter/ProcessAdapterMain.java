package dev.slipway.processadapter;

import dev.slipway.settings.Settings;
import dev.slipway.telemetry.Telemetry;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Runs the process adapter as a separate program. */
public final class ProcessAdapterMain {
    private static final Logger LOG = LoggerFactory.getLogger(ProcessAdapterMain.class);
    private static final int STOP_SECONDS = 20;

    private ProcessAdapterMain() {}

    public static void main(String[] args) {
        try {
            var environment = Settings.withConfigFile(System.getenv());
            run(ProcessAdapterConfig.from(environment), environment);
        } catch (IllegalArgumentException e) {
            LOG.atError().log("invalid settings: {}", e.getMessage());
            System.exit(2);
        }
    }

    private static void run(ProcessAdapterConfig config, Map<String, String> environment) {
        var telemetry = Telemetry.start(environment);
        var vertx = telemetry.vertx(new VertxOptions()).build();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(vertx, telemetry), "shutdown"));
        vertx.deployVerticle(new ProcessAdapterVerticle(config, telemetry.traces()))
                .onFailure(e -> {
                    LOG.atError().setCause(e).log("starting the adapter failed");
                    // In a separate thread, because the shutdown hook waits for this event loop.
                    new Thread(() -> System.exit(1), "exit").start();
                });
    }

    private static void stop(Vertx vertx, Telemetry telemetry) {
        var stopped = new CountDownLatch(1);
        vertx.close().onComplete(done -> stopped.countDown());
        try {
            if (!stopped.await(STOP_SECONDS, TimeUnit.SECONDS)) {
                LOG.atWarn().log("the adapter did not stop in time; the next start resumes unfinished commands");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        telemetry.close();
    }
}
