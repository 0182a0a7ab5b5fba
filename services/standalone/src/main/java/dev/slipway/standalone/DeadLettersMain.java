package dev.slipway.standalone;

import dev.slipway.contract.Json;
import dev.slipway.messaging.BrokerAcls;
import dev.slipway.messaging.DeadLetterClient;
import dev.slipway.messaging.DeadLetterClient.DeadLetter;
import dev.slipway.messaging.DeadLetterClient.DeadLetterException;
import dev.slipway.messaging.KafkaSettings;
import dev.slipway.settings.Settings;
import dev.slipway.settings.Settings.InvalidSettingsException;
import picocli.AutoComplete.GenerateCompletion;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** Lists the records that a consumer could not apply, and sends one back to its topic after the cause is fixed. */
@Command(
        name = "dead-letters",
        mixinStandardHelpOptions = true,
        usageHelpWidth = 120,
        versionProvider = StandaloneMain.Version.class,
        subcommands = GenerateCompletion.class,
        description = "Lists and replays records that a consumer could not apply.",
        footer = {
            "",
            "The broker is SLIPWAY_KAFKA_BOOTSTRAP, or that of the platform in SLIPWAY_HOME (.slipway).",
            "Exit status: 0 on success, 1 on failure, 2 for invalid arguments."
        })
public final class DeadLettersMain implements Runnable {
    /** Shorter than the default of Kafka clients, because a person waits for the answer. */
    private static final String REQUEST_TIMEOUT_MS = "10000";

    private final Map<String, String> environment;

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    private DeadLettersMain(Map<String, String> environment) {
        this.environment = environment;
    }

    public static void main(String[] args) {
        if (System.getProperty("logback.configurationFile") == null) {
            System.setProperty("logback.configurationFile", "logback-silent.xml");
        }
        System.exit(commandLine(System.getenv()).execute(args));
    }

    static CommandLine commandLine(Map<String, String> environment) {
        return new CommandLine(new DeadLettersMain(environment)).setExecutionExceptionHandler((e, command, parsed) -> {
            if (e instanceof InvalidSettingsException invalid) {
                invalid.errors().forEach(error -> printError(command.getErr(), error));
            } else if (e instanceof DeadLetterException) {
                printError(command.getErr(), String.valueOf(e.getMessage()));
            } else {
                throw e;
            }
            return ExitCode.SOFTWARE;
        });
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Missing required subcommand");
    }

    @Command(
            mixinStandardHelpOptions = true,
            description = "Prints one line per dead letter: position, time, key, consumer, reason.")
    int list(
            @Parameters(paramLabel = "TOPIC", description = "The topic of the record, such as runtime.reports.")
                    String topic) {
        var deadLetters = new DeadLetterClient(kafkaSettings()).list(topic);
        deadLetters.forEach(deadLetter -> out().println(formatLine(deadLetter)));
        if (deadLetters.isEmpty()) {
            err().println("No dead letters of " + topic + ".");
        }
        return ExitCode.OK;
    }

    @Command(mixinStandardHelpOptions = true, description = "Sends a dead letter back to its topic.")
    int replay(
            @Parameters(paramLabel = "TOPIC", description = "The topic of the record, such as runtime.reports.")
                    String topic,
            @Parameters(paramLabel = "POSITION", description = "The position as listed, such as 0/12.")
                    String position) {
        if (new DeadLetterClient(kafkaSettings()).replay(topic, position)) {
            out().println("Sent back to " + topic + ": " + position);
            return ExitCode.OK;
        }
        printError(
                err(),
                "there is no dead letter at " + position + " of " + topic
                        + "; use a position from the list, such as 0/12");
        return ExitCode.SOFTWARE;
    }

    private PrintWriter out() {
        return spec.commandLine().getOut();
    }

    private PrintWriter err() {
        return spec.commandLine().getErr();
    }

    private static String formatLine(DeadLetter deadLetter) {
        var key = deadLetter.key() == null ? "-" : deadLetter.key();
        var line = String.join(
                "\t",
                deadLetter.position(),
                deadLetter.at().toString(),
                key,
                deadLetter.consumer(),
                deadLetter.reason());
        // Key and reason come from others, who must not be able to add lines or terminal control sequences.
        return line.replaceAll("[\\p{Cntrl}&&[^\t]]+", " ");
    }

    private static void printError(PrintWriter err, String message) {
        err.println("dead-letters: " + message);
    }

    private KafkaSettings kafkaSettings() {
        var settings = new Settings(Settings.withConfigFile(environment));
        var given = settings.optional("SLIPWAY_KAFKA_BOOTSTRAP");
        var client = new HashMap<>(clientSettings(settings, given == null));
        client.putIfAbsent("default.api.timeout.ms", REQUEST_TIMEOUT_MS);
        var bootstrap = given != null ? given : readBootstrapFromHome(settings);
        var prefix = settings.text("SLIPWAY_TOPIC_PREFIX", "");
        settings.requireValid();
        return new KafkaSettings(bootstrap, prefix, 1, (short) 1, client);
    }

    /** The embedded broker has a principal for operators, whose settings are in the home directory. */
    private static Map<String, String> clientSettings(Settings settings, boolean atHome) {
        var home = Path.of(settings.text("SLIPWAY_HOME", ".slipway"));
        var operator = KafkaClientFiles.file(home, BrokerAcls.OPERATOR);
        return atHome && Files.isReadable(operator)
                ? settings.withDefaults(Map.of("SLIPWAY_KAFKA_CLIENT_FILE", operator.toString()))
                        .propertiesFile("SLIPWAY_KAFKA_CLIENT_FILE")
                : settings.propertiesFile("SLIPWAY_KAFKA_CLIENT_FILE");
    }

    private static String readBootstrapFromHome(Settings settings) {
        var file = Path.of(settings.text("SLIPWAY_HOME", ".slipway")).resolve("demo.json");
        try {
            var bootstrap = Json.parseTrusted(Files.readAllBytes(file))
                    .path("kafka_bootstrap")
                    .asText();
            if (!bootstrap.isEmpty()) {
                return bootstrap;
            }
            settings.addError(file + " has no kafka_bootstrap; set SLIPWAY_KAFKA_BOOTSTRAP");
        } catch (IOException | UncheckedIOException e) {
            settings.addError("SLIPWAY_KAFKA_BOOTSTRAP is not set, and " + file
                    + " cannot be read: start the platform, or set SLIPWAY_HOME or SLIPWAY_KAFKA_BOOTSTRAP");
        }
        return "";
    }
}
