package dev.slipway.standalone;

import dev.slipway.contract.Json;
import dev.slipway.messaging.DeadLetters;
import dev.slipway.messaging.DeadLetters.DeadLettersException;
import dev.slipway.messaging.DeadLetters.Letter;
import dev.slipway.messaging.KafkaSettings;
import dev.slipway.settings.Settings;
import dev.slipway.settings.Settings.InvalidSettingsException;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** Lists the events that could not be applied, and sends one back to its topic once its reason is gone. */
public final class DeadLettersMain {
    static final int DONE = 0;
    static final int FAILED = 1;
    static final int MISUSED = 2;

    private static final String USAGE = """
            Usage: dead-letters list TOPIC               one line a letter: position, time, key, consumer, reason
                   dead-letters replay TOPIC POSITION    sends the letter at that position back to TOPIC

            TOPIC is where the event came from (runtime.reports, say). The broker is the one of SLIPWAY_KAFKA_BOOTSTRAP, or of
            the platform that runs in SLIPWAY_HOME (.slipway).""";
    /** A person waits for the answer, so not for as long as a client would. */
    private static final String PATIENCE_MS = "10000";

    private final PrintStream out;
    private final PrintStream err;

    DeadLettersMain(PrintStream out, PrintStream err) {
        this.out = out;
        this.err = err;
    }

    public static void main(String[] args) {
        if (System.getProperty("logback.configurationFile") == null) {
            System.setProperty("logback.configurationFile", "logback-silent.xml");
        }
        System.exit(new DeadLettersMain(System.out, System.err).run(args, System.getenv()));
    }

    int run(String[] args, Map<String, String> environment) {
        var listing = args.length == 2 && args[0].equals("list");
        var replaying = args.length == 3 && args[0].equals("replay");
        if (!listing && !replaying) {
            err.println(USAGE);
            return MISUSED;
        }
        try {
            var letters = new DeadLetters(kafka(environment));
            return listing ? list(letters, args[1]) : replay(letters, args[1], args[2]);
        } catch (InvalidSettingsException e) {
            e.faults().forEach(this::complain);
        } catch (DeadLettersException e) {
            complain(String.valueOf(e.getMessage()));
        }
        return FAILED;
    }

    private int list(DeadLetters letters, String topic) {
        var found = letters.list(topic);
        found.forEach(letter -> out.println(line(letter)));
        if (found.isEmpty()) {
            err.println("No dead letters of " + topic + ".");
        }
        return DONE;
    }

    private int replay(DeadLetters letters, String topic, String position) {
        if (letters.replay(topic, position)) {
            out.println("Sent back to " + topic + ": " + position);
            return DONE;
        }
        complain("there is no letter at " + position + " among those of " + topic
                + "; a position is as the list shows it, such as 0/12");
        return FAILED;
    }

    private static String line(Letter letter) {
        var key = letter.key() == null ? "-" : letter.key();
        var line =
                String.join("\t", letter.position(), letter.at().toString(), key, letter.consumer(), letter.reason());
        // Others wrote the key and the reason: they must not be able to write lines of their own, or to the terminal.
        return line.replaceAll("[\\p{Cntrl}&&[^\t]]+", " ");
    }

    private void complain(String sentence) {
        err.println("dead-letters: " + sentence);
    }

    private static KafkaSettings kafka(Map<String, String> environment) {
        var settings = new Settings(Settings.withFile(environment));
        var client = new HashMap<>(settings.file("SLIPWAY_KAFKA_CLIENT_FILE"));
        client.putIfAbsent("default.api.timeout.ms", PATIENCE_MS);
        var given = settings.optional("SLIPWAY_KAFKA_BOOTSTRAP");
        var bootstrap = given != null ? given : bootstrapOfHome(settings);
        var prefix = settings.text("SLIPWAY_TOPIC_PREFIX", "");
        settings.check();
        return new KafkaSettings(bootstrap, prefix, 1, (short) 1, client);
    }

    private static String bootstrapOfHome(Settings settings) {
        var file = Path.of(settings.text("SLIPWAY_HOME", ".slipway")).resolve("demo.json");
        try {
            var found =
                    Json.node(Files.readAllBytes(file)).path("kafka_bootstrap").asText();
            if (!found.isEmpty()) {
                return found;
            }
            settings.fault(file + " names no kafka_bootstrap; set SLIPWAY_KAFKA_BOOTSTRAP");
        } catch (IOException | java.io.UncheckedIOException e) {
            settings.fault("SLIPWAY_KAFKA_BOOTSTRAP is not set, and " + file
                    + " cannot be read: start the platform, or name its home or its broker");
        }
        return "";
    }
}
