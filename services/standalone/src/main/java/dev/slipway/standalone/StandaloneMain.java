package dev.slipway.standalone;

import dev.slipway.catalog.app.CatalogSeed;
import dev.slipway.embedded.BrokerAccess;
import dev.slipway.embedded.EmbeddedException;
import dev.slipway.embedded.EmbeddedInfrastructure;
import dev.slipway.embedded.PortInUseException;
import dev.slipway.iam.IamSeed;
import dev.slipway.messaging.BrokerAcls;
import dev.slipway.messaging.ReceivedRecord;
import dev.slipway.messaging.RecordKeys;
import dev.slipway.messaging.RecordKeys.RecordKeyException;
import dev.slipway.messaging.ServerRejectedException;
import dev.slipway.service.HealthRegistry;
import dev.slipway.settings.Settings.InvalidSettingsException;
import dev.slipway.standalone.Platform.Addresses;
import dev.slipway.telemetry.Telemetry;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;
import picocli.AutoComplete.GenerateCompletion;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;

import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Starts the platform, and stops it when the process receives a signal. */
@Command(
        name = "slipway",
        mixinStandardHelpOptions = true,
        usageHelpWidth = 120,
        versionProvider = StandaloneMain.Version.class,
        subcommands = GenerateCompletion.class,
        description =
                "Starts the services of the Slipway platform in this process and runs until it is stopped (Ctrl-C, SIGTERM).",
        footer = {
            "",
            "Settings are environment variables, or name=value lines in the file that SLIPWAY_CONFIG_FILE names. Among them:",
            "  SLIPWAY_SERVICES         the services of this process (default: all)",
            "  SLIPWAY_HOME             directory of data, log and demo files (default: .slipway)",
            "  SLIPWAY_KAFKA_BOOTSTRAP  an external Kafka (default: embedded)",
            "  SLIPWAY_DATABASE_URL     an external PostgreSQL (default: embedded)",
            "The README lists all of them.",
            "",
            "Exit status: 0 after a normal stop, 1 if the start fails, 2 for invalid arguments, 143 after SIGTERM."
        })
public final class StandaloneMain implements Callable<Integer> {
    private static final long STOP_TIMEOUT_SECONDS = 20;

    private final Map<String, String> environment;
    private final HealthRegistry health = new HealthRegistry();
    private @Nullable EmbeddedInfrastructure infrastructure;
    private volatile @Nullable KafkaClientFiles kafkaClients;
    private @Nullable AdapterLogins adapterLogins;
    private @Nullable Telemetry telemetry;
    private @Nullable Platform platform;

    private StandaloneMain(Map<String, String> environment) {
        this.environment = environment;
    }

    public static void main(String[] args) {
        var exitCode = commandLine(System.getenv()).execute(args);
        if (exitCode != ExitCode.OK) {
            System.exit(exitCode);
        }
    }

    static CommandLine commandLine(Map<String, String> environment) {
        return new CommandLine(new StandaloneMain(environment));
    }

    /** Returns when the platform has started, or could not be started; its threads keep the process alive. */
    @Override
    public Integer call() {
        try {
            var config = StandaloneConfig.from(environment);
            LogConfig.configure(config);
            Runtime.getRuntime().addShutdownHook(new Thread(this::stop, "slipway-stop"));
            start(config);
            return ExitCode.OK;
        } catch (InvalidSettingsException e) {
            e.errors().forEach(error -> ConsoleOutput.printError(error));
        } catch (StartException | EmbeddedException e) {
            ConsoleOutput.printError(String.valueOf(e.getMessage()));
        }
        return ExitCode.SOFTWARE;
    }

    private void start(StandaloneConfig config) {
        var startedNanos = System.nanoTime();
        if (config.runs("gateway")) {
            requireFreePort(config.gateway().host(), config.gateway().port(), "SLIPWAY_HTTP_PORT");
        }
        requireFreePort(config.managementHost(), config.managementPort(), "SLIPWAY_MANAGEMENT_PORT");
        ConsoleOutput.print("Starting Slipway: " + String.join(", ", config.services()) + " …");
        var addresses = addresses(config);
        warnIfRoot();
        var home = new HomeDirectory(config.home());
        var demo = config.demo()
                ? new DemoData(home.adapterSecret(), Instant.now(), config.iam().tokenAudience())
                : null;
        telemetry = Telemetry.start(config.telemetryEnvironment());
        platform = await(
                config,
                Platform.start(
                        config,
                        addresses,
                        telemetry,
                        health,
                        demo == null ? IamSeed.EMPTY : demo.iamSeed(),
                        demo == null ? CatalogSeed.EMPTY : demo.catalogSeed(),
                        new Platform.Listener() {
                            @Override
                            public void beforeReady(Platform started) {
                                if (demo != null) {
                                    home.writeDemoFiles(demo, started, addresses, demoLogin(addresses));
                                }
                            }

                            @Override
                            public void onCatalogRecord(ReceivedRecord record) {
                                if (adapterLogins != null) {
                                    adapterLogins.apply(record);
                                }
                            }
                        }));
        ConsoleOutput.printBanner(config, platform, demo != null, (System.nanoTime() - startedNanos) / 1_000_000);
    }

    /** After the embedded servers have locked the home directory, because the log file is in it. */
    private static void warnIfRoot() {
        try {
            if ((int) Files.getAttribute(Path.of("/proc/self"), "unix:uid") == 0) {
                LoggerFactory.getLogger(StandaloneMain.class)
                        .warn("started as root: only the embedded PostgreSQL and apps run as other users;"
                                + " start Slipway as an unprivileged user");
            }
        } catch (IOException | UnsupportedOperationException e) {
            // Not Linux: root cannot be recognized.
        }
    }

    /** Checks the port before anything else is started; the server that uses it starts last. */
    private static void requireFreePort(String host, int port, String setting) {
        try (var socket = new ServerSocket()) {
            socket.setReuseAddress(true); // connections of a process that has just ended do not block the port
            socket.bind(new InetSocketAddress(host, port));
        } catch (IOException e) {
            throw new StartException("cannot listen on " + host + ":" + port + " (" + e.getMessage() + "); set "
                    + setting + " to another port, or to 0 for a free one");
        }
    }

    private Addresses addresses(StandaloneConfig config) {
        var kafka = config.kafkaBootstrap();
        if (kafka != null) {
            return new Addresses(kafka, config.databaseUrl());
        }
        try {
            var started = EmbeddedInfrastructure.start(
                    config.home(), config.kafkaPort(), config.postgresPort(), () -> brokerAccess(config));
            infrastructure = started;
            adapterLogins =
                    new AdapterLogins(Objects.requireNonNull(kafkaClients), started.kafka(), config.topicPrefix());
            return new Addresses(
                    started.kafka().bootstrap(),
                    Objects.requireNonNull(kafkaClients).inProcessClients(),
                    started.postgres().uri());
        } catch (PortInUseException e) {
            var variable = e.port() == config.kafkaPort() ? "SLIPWAY_KAFKA_PORT" : "SLIPWAY_POSTGRES_PORT";
            throw new StartException(e.advice(variable));
        }
    }

    /** Creates the keys while the servers start, because generating them takes a noticeable part of a second. Errors are reported later. */
    private static void createRecordKeys(StandaloneConfig config) {
        var thread = new Thread(
                () -> {
                    try {
                        var unused = RecordKeys.open(config.recordKeysDirectory(), config.services());
                    } catch (RecordKeyException e) {
                        // The platform opens them again.
                    }
                },
                "record-keys");
        thread.setDaemon(true);
        thread.start();
    }

    private BrokerAccess brokerAccess(StandaloneConfig config) {
        createRecordKeys(config);
        var clients = KafkaClientFiles.open(config.home(), config.kafkaClient());
        kafkaClients = clients;
        return clients.brokerAccess(config.topicPrefix());
    }

    private KafkaClientFiles.@Nullable Login demoLogin(Addresses addresses) {
        var clients = kafkaClients;
        return clients == null ? null : clients.login(BrokerAcls.DEMO, addresses.kafkaBootstrap());
    }

    private <T> T await(StandaloneConfig config, io.vertx.core.Future<T> future) {
        try {
            return future.toCompletionStage()
                    .toCompletableFuture()
                    .get(config.startTimeout().toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw new StartException(describe(config, e.getCause() == null ? e : e.getCause()));
        } catch (TimeoutException e) {
            throw new StartException("not ready after " + config.startTimeout().toSeconds()
                    + " s (SLIPWAY_START_TIMEOUT): " + health.describeNotReady() + "; the log is in "
                    + LogConfig.location(config));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StartException("interrupted while starting");
        }
    }

    private static String describe(StandaloneConfig config, Throwable cause) {
        if (cause instanceof StartException || cause instanceof RecordKeyException) {
            return String.valueOf(cause.getMessage());
        }
        if (cause instanceof ServerRejectedException) {
            return cause.getMessage() + "; check SLIPWAY_DATABASE_URL";
        }
        if (cause instanceof BindException || cause.getCause() instanceof BindException) {
            return "a port is already in use: SLIPWAY_HTTP_PORT is "
                    + config.gateway().port()
                    + " and SLIPWAY_MANAGEMENT_PORT is " + config.managementPort()
                    + "; set another port, or 0 for a free one.";
        }
        LoggerFactory.getLogger(StandaloneMain.class).error("start failed", cause);
        return "start failed: " + cause + " (details in " + LogConfig.location(config) + ")";
    }

    private void stop() {
        try {
            if (platform != null) {
                platform.stop().toCompletionStage().toCompletableFuture().get(STOP_TIMEOUT_SECONDS, TimeUnit.SECONDS);
            }
        } catch (ExecutionException | TimeoutException e) {
            ConsoleOutput.printError("not everything was stopped in order: " + e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            if (telemetry != null) {
                telemetry.close();
            }
            if (adapterLogins != null) {
                adapterLogins.close();
            }
            if (infrastructure != null) {
                infrastructure.close();
            }
        }
    }

    /** The platform cannot start. The message is one sentence for the operator. */
    static final class StartException extends RuntimeException {
        StartException(String message) {
            super(message, null, false, false);
        }
    }

    /** Reads the version from the manifest of the jar. */
    static final class Version implements CommandLine.IVersionProvider {
        @Override
        public String[] getVersion() {
            return new String[] {"slipway " + find()};
        }

        static String find() {
            var version = StandaloneMain.class.getPackage().getImplementationVersion();
            return version == null ? "(development)" : version;
        }
    }
}
