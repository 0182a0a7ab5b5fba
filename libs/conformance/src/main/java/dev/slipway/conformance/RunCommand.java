package dev.slipway.conformance;

import dev.slipway.conformance.ConformanceProfile.ProfileException;
import dev.slipway.conformance.ConformanceRun.AdapterExitedException;
import dev.slipway.conformance.Verdict.ScenarioResult;
import dev.slipway.contract.Json;
import dev.slipway.embedded.EmbeddedKafka;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.UUID;
import java.util.concurrent.Callable;

/** The subcommand {@code run}: runs scenarios and writes the signed report. */
@Command(
        name = "run",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Runs scenarios on an adapter and writes a signed report.",
            "",
            "The kit takes the role of the platform: it serves the token endpoints and the desired state, writes commands to Kafka, reads the"
                    + " reports and verifies them. It starts the adapter with the given command and, in crash scenarios, kills and restarts it."
                    + " The process of the command must be the adapter itself (a script ends with exec), and the adapter must keep its state in"
                    + " the data directory. The environment of the adapter contains:",
            "  SLIPWAY_BASE_URL, SLIPWAY_KAFKA_BOOTSTRAP, SLIPWAY_TOPIC_PREFIX, SLIPWAY_ADAPTER_ID, SLIPWAY_ADAPTER_SECRET_FILE,"
                    + " SLIPWAY_ADAPTER_DATA_DIR",
            ""
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:all claimed scenarios passed",
            "1:a scenario failed",
            "2:invalid arguments",
            "3:no scenario failed, but at least one was not run or not selected",
            "4:internal failure of the kit"
        })
final class RunCommand implements Callable<Integer> {
    private static final double MAX_SECONDS = 86_400;
    private static final String TEMPORARY = System.getProperty("java.io.tmpdir") + "/slipway-conformance-";

    @Spec
    private @Nullable CommandSpec spec;

    /** The broker: an existing one, or one in the process of the kit. */
    private static final class Broker {
        @Option(
                names = "--kafka",
                paramLabel = "<host:port>",
                description = "The broker used by the kit and the adapter.")
        private @Nullable String kafka;

        @Option(
                names = "--embedded-broker",
                description = "Starts a broker in this process, with its data in the directory of --data.")
        private boolean embedded;
    }

    @ArgGroup(exclusive = true, multiplicity = "1")
    private Broker broker = new Broker();

    @Option(names = "--adapter", paramLabel = "<command>", description = "Starts the adapter.")
    private @Nullable String adapter;

    @Option(
            names = "--attach",
            description =
                    "Prints the environment and waits for an adapter that you start. Crash scenarios are not run.")
    private boolean attach;

    @Option(
            names = "--profile",
            paramLabel = "<file>",
            description =
                    "The app to deploy and the claims of the adapter. Default: the echo app of the process adapter.")
    private @Nullable Path profile;

    @Option(
            names = "--effects",
            paramLabel = "<command>",
            description =
                    "A command or an http address that lists the effects of an instance, one line per process, pod or job."
                            + " {app_instance_id} is replaced. Without it the kit observes endpoints only and detects fewer faults.")
    private @Nullable String effects;

    @Option(
            names = "--only",
            split = ",",
            paramLabel = "<scenario>",
            description = "Runs these scenarios only, for example happy-path,slow. The adapter does not pass then.")
    private List<String> only = List.of();

    @Option(
            names = "--kafka-client",
            paramLabel = "<file>",
            description = "Properties of the kit's Kafka client, for SASL and TLS.")
    private @Nullable Path kafkaClient;

    @Option(
            names = "--topic-prefix",
            paramLabel = "<text>",
            description = "Prefix of the topics. Default: a new one. The kit deletes the topics that it creates.")
    private @Nullable String topicPrefix;

    @Option(
            names = "--host",
            defaultValue = "127.0.0.1",
            paramLabel = "<name>",
            description = "Host name under which the adapter reaches the kit. Default: ${DEFAULT-VALUE}.")
    private String host = "";

    @Option(
            names = "--port",
            defaultValue = "0",
            paramLabel = "<number>",
            description = "Port of the kit. Default: any free port.")
    private int port;

    @Option(
            names = "--data",
            paramLabel = "<directory>",
            description = "Directory for the adapter's data, secret and log. Default: a temporary directory.")
    private @Nullable Path data;

    @Option(
            names = "--start",
            defaultValue = "60",
            converter = SecondsConverter.class,
            paramLabel = "<seconds>",
            description = "Timeout for the first call of a started adapter. Default: ${DEFAULT-VALUE}.")
    private Duration start = Duration.ZERO;

    @Option(
            names = "--patience",
            defaultValue = "60",
            converter = SecondsConverter.class,
            paramLabel = "<seconds>",
            description = "Timeout for expected reports and effects. Default: ${DEFAULT-VALUE}.")
    private Duration patience = Duration.ZERO;

    @Option(
            names = "--settle",
            defaultValue = "3",
            converter = SecondsConverter.class,
            paramLabel = "<seconds>",
            description = "Time to wait for unexpected reports and effects. Default: ${DEFAULT-VALUE}.")
    private Duration settle = Duration.ZERO;

    @Option(
            names = "--token-life",
            defaultValue = "3",
            converter = SecondsConverter.class,
            paramLabel = "<seconds>",
            description =
                    "Lifetime of tokens in the scenario slow, shorter than its deployment. Default: ${DEFAULT-VALUE}.")
    private Duration tokenLife = Duration.ZERO;

    @Option(
            names = "--key",
            paramLabel = "<file>",
            description =
                    "PEM file with an Ed25519 key pair that signs the report; created if it is missing. Default: a new key.")
    private @Nullable Path key;

    @Option(
            names = "--report",
            defaultValue = "conformance-report.json",
            paramLabel = "<file>",
            description = "File for the signed report. Default: ${DEFAULT-VALUE}.")
    private Path report = Path.of("");

    /** Converts seconds with optional decimals. */
    static final class SecondsConverter implements ITypeConverter<Duration> {
        @Override
        public Duration convert(String text) {
            try {
                var seconds = Double.parseDouble(text);
                if (seconds >= 0 && seconds <= MAX_SECONDS) {
                    return Duration.ofMillis((long) (seconds * 1_000));
                }
            } catch (NumberFormatException e) {
                // reported below
            }
            throw new TypeConversionException("'" + text + "' is not a number from 0 to " + (int) MAX_SECONDS);
        }
    }

    @Override
    public Integer call() throws Exception {
        var directory = data == null ? Path.of(TEMPORARY + UUID.randomUUID()) : data;
        var loaded = loadProfile();
        if (!broker.embedded) {
            return run(options(Objects.requireNonNull(broker.kafka), directory), loaded);
        }
        Files.createDirectories(directory);
        try (var embedded = EmbeddedKafka.start(directory.resolve("broker"), 0)) {
            return run(options(embedded.bootstrap(), directory), loaded);
        }
    }

    private int run(Options options, ConformanceProfile loaded) throws Exception {
        if (!KafkaChannel.isReachable(options.kafkaClient(), options.kafka())) {
            throw new ParameterException(command().commandLine(), "no Kafka broker answers at " + options.kafka());
        }
        var signer = key == null ? ReportSigner.generate() : ReportSigner.load(key);
        var out = command().commandLine().getOut();
        var startedAt = Instant.now();
        List<ScenarioResult> results;
        try {
            results = new ConformanceRun(options, loaded, line -> {
                        out.println(line);
                        out.flush();
                    })
                    .run();
        } catch (AdapterExitedException e) {
            out.println(e.getMessage());
            return 1;
        }
        var result = new ConformanceReport(loaded, startedAt, Instant.now(), only.isEmpty(), results);
        var signed = signer.sign(result.toJson());
        Files.write(report, Json.bytes(signed));
        out.println();
        out.print(result.table());
        out.println("report: " + report + ", signed by " + ReportSigner.fingerprint(signed));
        return result.exitCode();
    }

    /** Returns everything that is wrong with the arguments beyond their syntax. */
    List<String> faults() {
        var faults = new ArrayList<String>();
        if (attach == (adapter != null)) {
            faults.add("specify either --adapter <command> or --attach");
        }
        var names = Scenario.all().stream().map(Scenario::name).toList();
        var unknown = only.stream().filter(name -> !names.contains(name)).toList();
        if (!unknown.isEmpty()) {
            faults.add("unknown scenario: " + String.join(", ", unknown)
                    + "; list all with: slipway-conformance scenarios");
        }
        if (kafkaClient != null && !Files.isReadable(kafkaClient)) {
            faults.add("--kafka-client " + kafkaClient + " cannot be read");
        }
        return faults;
    }

    Options options(String kafka, Path directory) throws IOException {
        return new Options(
                kafka,
                readKafkaClient(),
                topicPrefix == null ? "conformance-" + UUID.randomUUID() + "." : topicPrefix,
                adapter,
                effects,
                selectScenarios(),
                directory,
                host,
                port,
                new Timeouts(start, patience, settle, tokenLife));
    }

    private ConformanceProfile loadProfile() throws IOException {
        try {
            return profile == null ? ConformanceProfile.example() : ConformanceProfile.read(profile);
        } catch (ProfileException e) {
            throw new ParameterException(command().commandLine(), String.valueOf(e.getMessage()));
        }
    }

    private List<Scenario> selectScenarios() {
        return Scenario.all().stream()
                .filter(scenario -> only.isEmpty() || only.contains(scenario.name()))
                .toList();
    }

    private Map<String, String> readKafkaClient() throws IOException {
        var client = new HashMap<String, String>();
        if (kafkaClient != null) {
            var properties = new Properties();
            properties.load(new StringReader(Files.readString(kafkaClient)));
            properties.stringPropertyNames().forEach(name -> client.put(name, properties.getProperty(name)));
        }
        return client;
    }

    private CommandSpec command() {
        return Objects.requireNonNull(spec);
    }
}
