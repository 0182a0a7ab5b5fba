package dev.slipway.processadapter;

import dev.slipway.settings.Settings;
import dev.slipway.telemetry.Telemetry;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.AutoComplete.GenerateCompletion;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;

import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Runs the process adapter as a separate program. */
@Command(
        name = "slipway-process-adapter",
        mixinStandardHelpOptions = true,
        usageHelpWidth = 120,
        versionProvider = ProcessAdapterMain.Version.class,
        subcommands = GenerateCompletion.class,
        description = "Runs apps as processes of this machine until it is stopped (Ctrl-C, SIGTERM).",
        footer = {
            "",
            "Settings are environment variables, or name=value lines in the file that SLIPWAY_CONFIG_FILE names.",
            "Exit status: 0 after a normal stop, 1 if the start fails, 2 for invalid arguments, 143 after SIGTERM."
        })
public final class ProcessAdapterMain implements Callable<Integer> {
    private static final Logger LOG = LoggerFactory.getLogger(ProcessAdapterMain.class);
    private static final int STOP_SECONDS = 20;

    private final Map<String, String> environment;

    private ProcessAdapterMain(Map<String, String> environment) {
        this.environment = environment;
    }

    public static void main(String[] args) {
        var exitCode = commandLine(System.getenv()).execute(args);
        if (exitCode != ExitCode.OK) {
            System.exit(exitCode);
        }
    }

    static CommandLine commandLine(Map<String, String> environment) {
        return new CommandLine(new ProcessAdapterMain(environment));
    }

    /** Returns while the adapter starts; its threads keep the process alive. */
    @Override
    public Integer call() {
        try {
            var settings = Settings.withConfigFile(environment);
            run(ProcessAdapterConfig.from(settings), settings);
            return ExitCode.OK;
        } catch (IllegalArgumentException e) {
            LOG.atError().log("invalid settings: {}", e.getMessage());
            return ExitCode.SOFTWARE;
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

    /** Reads the version from the manifest of the jar. */
    static final class Version implements CommandLine.IVersionProvider {
        @Override
        public String[] getVersion() {
            var version = ProcessAdapterMain.class.getPackage().getImplementationVersion();
            return new String[] {"slipway-process-adapter " + (version == null ? "(development)" : version)};
        }
    }
}
