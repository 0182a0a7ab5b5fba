package dev.slipway.conformance;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * What the kit is told on its command line.
 *
 * @param adapter the command that starts the adapter; null when it is started by hand
 * @param effects a command or an address that lists what there is of an instance; null when only endpoints can be seen
 * @param host under which the adapter reaches the kit
 */
record Options(
        String kafka,
        Map<String, String> kafkaClient,
        String topicPrefix,
        @Nullable String adapter,
        @Nullable Path profile,
        @Nullable String effects,
        List<Scenario> chosen,
        Path data,
        String host,
        int port,
        Limits limits,
        @Nullable Path key,
        Path report) {
    private static final String TEMPORARY = System.getProperty("java.io.tmpdir") + "/slipway-conformance-";
    private static final Set<String> VALUES = Set.of(
            "kafka",
            "kafka-client",
            "topic-prefix",
            "adapter",
            "profile",
            "effects",
            "only",
            "data",
            "host",
            "port",
            "start",
            "patience",
            "settle",
            "token-life",
            "key",
            "report");

    static final class OptionsException extends RuntimeException {
        OptionsException(String message) {
            super(message);
        }
    }

    /** All options by their names. */
    static List<String> names() {
        return java.util.stream.Stream.concat(VALUES.stream(), java.util.stream.Stream.of("attach"))
                .map(name -> "--" + name)
                .toList();
    }

    /** Throws one message that names everything wrong. */
    static Options of(List<String> arguments) throws IOException {
        var faults = new ArrayList<String>();
        var flags = new HashSet<String>();
        var values = parse(arguments, flags, faults);
        var attached = flags.contains("attach");
        if (attached == values.containsKey("adapter")) {
            faults.add("say either --adapter \"<command>\" or --attach");
        }
        if (!values.containsKey("kafka")) {
            faults.add("--kafka <host:port> is missing: the broker that the kit and the adapter use");
        }
        var options = new Options(
                values.getOrDefault("kafka", ""),
                client(values.get("kafka-client"), faults),
                values.getOrDefault("topic-prefix", "conformance-" + UUID.randomUUID() + "."),
                values.get("adapter"),
                path(values.get("profile")),
                values.get("effects"),
                chosen(values.get("only"), faults),
                Path.of(values.getOrDefault("data", TEMPORARY + UUID.randomUUID())), // made when it is used
                values.getOrDefault("host", "127.0.0.1"),
                number(values, "port", 0, faults),
                new Limits(
                        Duration.ofMillis((long) (decimal(values, "start", 60, faults) * 1_000)),
                        Duration.ofMillis((long) (decimal(values, "patience", 60, faults) * 1_000)),
                        Duration.ofMillis((long) (decimal(values, "settle", 3, faults) * 1_000)),
                        Duration.ofSeconds(number(values, "token-life", 3, faults))),
                path(values.get("key")),
                Path.of(values.getOrDefault("report", "conformance-report.json")));
        if (!faults.isEmpty()) {
            throw new OptionsException(String.join("\n", faults));
        }
        return options;
    }

    private static Map<String, String> parse(List<String> arguments, Set<String> flags, List<String> faults) {
        var values = new HashMap<String, String>();
        var rest = arguments.iterator();
        while (rest.hasNext()) {
            var argument = rest.next();
            var name = argument.startsWith("--") ? argument.substring(2) : "";
            if (name.equals("attach")) {
                flags.add(name);
            } else if (!VALUES.contains(name)) {
                faults.add(argument + " is not an option");
            } else if (!rest.hasNext()) {
                faults.add(argument + " needs a value");
            } else {
                values.put(name, rest.next());
            }
        }
        return values;
    }

    private static List<Scenario> chosen(@Nullable String only, List<String> faults) {
        if (only == null) {
            return Scenario.all();
        }
        var names = List.of(only.split(",", -1));
        var known = Scenario.all().stream().map(Scenario::name).collect(Collectors.toSet());
        names.stream()
                .filter(name -> !known.contains(name))
                .forEach(name -> faults.add("there is no scenario " + name));
        return Scenario.all().stream()
                .filter(scenario -> names.contains(scenario.name()))
                .toList();
    }

    private static Map<String, String> client(@Nullable String file, List<String> faults) {
        var client = new HashMap<String, String>();
        if (file != null) {
            var properties = new Properties();
            try {
                properties.load(new StringReader(Files.readString(Path.of(file))));
            } catch (IOException e) {
                faults.add("--kafka-client " + file + " cannot be read: " + e);
            }
            properties.stringPropertyNames().forEach(name -> client.put(name, properties.getProperty(name)));
        }
        return client;
    }

    private static @Nullable Path path(@Nullable String name) {
        return name == null ? null : Path.of(name);
    }

    private static int number(Map<String, String> values, String name, int otherwise, List<String> faults) {
        return (int) decimal(values, name, otherwise, faults);
    }

    private static double decimal(Map<String, String> values, String name, double otherwise, List<String> faults) {
        var text = values.get(name);
        try {
            var value = text == null ? otherwise : Double.parseDouble(text);
            if (value >= 0 && value <= 86_400) {
                return value;
            }
        } catch (NumberFormatException e) {
            // said below
        }
        faults.add("--" + name + " " + text + " is not a number from 0 to 86400");
        return otherwise;
    }
}
