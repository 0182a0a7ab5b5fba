package dev.slipway.standalone;

import dev.slipway.catalog.app.CatalogSeed;
import dev.slipway.embedded.EmbeddedException;
import dev.slipway.embedded.Infrastructure;
import dev.slipway.embedded.PortInUseException;
import dev.slipway.iam.tenancy.IamSeed;
import dev.slipway.messaging.NotLetInException;
import dev.slipway.settings.Settings.InvalidSettingsException;
import dev.slipway.standalone.Platform.Addresses;
import dev.slipway.telemetry.Telemetry;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Instant;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Starts the platform and stops it with the process. */
public final class StandaloneMain {
    private static final long STOP_SECONDS = 20;

    private final StandaloneConfig config;
    private @Nullable Infrastructure infrastructure;
    private @Nullable Telemetry telemetry;
    private @Nullable Platform platform;

    private StandaloneMain(StandaloneConfig config) {
        this.config = config;
    }

    public static void main(String[] args) {
        try {
            var config = StandaloneConfig.from(System.getenv());
            LogFile.configure(config);
            var main = new StandaloneMain(config);
            Runtime.getRuntime().addShutdownHook(new Thread(main::stop, "slipway-stop"));
            main.start();
        } catch (InvalidSettingsException e) {
            e.faults().forEach(fault -> Console.complain(fault));
            System.exit(1);
        } catch (StartException | EmbeddedException e) {
            Console.complain(String.valueOf(e.getMessage()));
            System.exit(1);
        }
    }

    private void start() {
        var startedAt = System.nanoTime();
        if (config.runs("gateway")) {
            requireFree(config.gateway().host(), config.gateway().port(), "SLIPWAY_HTTP_PORT");
        }
        requireFree(config.managementHost(), config.managementPort(), "SLIPWAY_MANAGEMENT_PORT");
        Console.say("Starting Slipway: " + String.join(", ", config.services()) + " …");
        var addresses = addresses();
        var home = new Home(config.home());
        var demo = config.demo()
                ? new Demo(home.adapterSecret(), Instant.now(), config.iam().tokenAudience())
                : null;
        telemetry = Telemetry.start(config.environment());
        platform = await(Platform.start(
                config,
                addresses,
                telemetry,
                demo == null ? IamSeed.NOTHING : demo.iam(),
                demo == null ? CatalogSeed.NOTHING : demo.catalog()));
        if (demo != null) {
            home.write(demo, platform, addresses);
        }
        Console.banner(config, platform, demo != null, (System.nanoTime() - startedAt) / 1_000_000);
    }

    /** Before anything else is started: the port would be found taken after all of it only. */
    private static void requireFree(String host, int port, String setting) {
        try (var socket = new ServerSocket()) {
            socket.setReuseAddress(true); // connections of a platform that just ended do not hold its port
            socket.bind(new InetSocketAddress(host, port));
        } catch (IOException e) {
            throw new StartException(host + ":" + port + " cannot be listened on (" + e.getMessage() + "); set "
                    + setting + " to another, or 0 for a free one");
        }
    }

    private Addresses addresses() {
        var kafka = config.kafkaBootstrap();
        var database = config.databaseUrl();
        if (kafka != null) {
            return new Addresses(kafka, database);
        }
        try {
            var started = Infrastructure.start(config.home(), config.kafkaPort(), config.postgresPort());
            infrastructure = started;
            return new Addresses(started.kafka().bootstrap(), started.postgres().uri());
        } catch (PortInUseException e) {
            var variable = e.port() == config.kafkaPort() ? "SLIPWAY_KAFKA_PORT" : "SLIPWAY_POSTGRES_PORT";
            throw new StartException(e.advice(variable));
        }
    }

    private <T> T await(io.vertx.core.Future<T> future) {
        try {
            return future.toCompletionStage()
                    .toCompletableFuture()
                    .get(config.startTimeout().toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw new StartException(sentence(e.getCause() == null ? e : e.getCause()));
        } catch (TimeoutException e) {
            throw new StartException("not ready after " + config.startTimeout().toSeconds()
                    + " s (SLIPWAY_START_TIMEOUT); the log says what it waits for: " + LogFile.place(config));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StartException("interrupted while starting");
        }
    }

    private String sentence(Throwable cause) {
        if (cause instanceof StartException) {
            return String.valueOf(cause.getMessage());
        }
        if (cause instanceof NotLetInException) {
            return cause.getMessage() + "; see SLIPWAY_DATABASE_URL";
        }
        if (cause instanceof BindException || cause.getCause() instanceof BindException) {
            return "a port is already in use: SLIPWAY_HTTP_PORT is "
                    + config.gateway().port()
                    + " and SLIPWAY_MANAGEMENT_PORT is " + config.managementPort()
                    + "; set another, or 0 for a free one.";
        }
        org.slf4j.LoggerFactory.getLogger(StandaloneMain.class).error("the start failed", cause);
        return "could not start: " + cause + " (more in " + LogFile.place(config) + ")";
    }

    /** On Ctrl-C and TERM: everything that was started, in the opposite order. */
    private void stop() {
        try {
            if (platform != null) {
                platform.stop().toCompletionStage().toCompletableFuture().get(STOP_SECONDS, TimeUnit.SECONDS);
            }
        } catch (ExecutionException | TimeoutException e) {
            Console.complain("not everything stopped in order: " + e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            if (telemetry != null) {
                telemetry.close();
            }
            if (infrastructure != null) {
                infrastructure.close();
            }
        }
    }

    /** The platform cannot start; the message is the one sentence that says why. */
    static final class StartException extends RuntimeException {
        StartException(String message) {
            super(message, null, false, false);
        }
    }
}
