package dev.slipway.standalone;

import dev.slipway.settings.Settings;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** Sends the log to a file in the home directory, so that the console is for people, or to standard output where it is told to. */
final class LogFile {
    private static final String TO = "SLIPWAY_LOG";
    private static final String LEVEL = "SLIPWAY_LOG_LEVEL";
    private static final String OUTPUT = "-";
    private static final List<String> LEVELS = List.of("TRACE", "DEBUG", "INFO", "WARN", "ERROR", "OFF");

    private LogFile() {}

    static void check(Settings settings) {
        if (!settings.text(TO, OUTPUT).equals(OUTPUT)) {
            settings.fault(TO + " is - for standard output, or nothing for a file in SLIPWAY_HOME");
        }
        var level = settings.text(LEVEL, "INFO");
        if (!LEVELS.contains(level.toUpperCase(Locale.ROOT))) {
            settings.fault(LEVEL + "=" + level + " is none of " + String.join(", ", LEVELS));
        }
    }

    /** Must run before the first logger is made. */
    static void configure(StandaloneConfig config) {
        // Logging looks among the JVM's properties and its environment; the settings may be in a file.
        System.setProperty(LEVEL, new Settings(config.environment()).text(LEVEL, "INFO"));
        if (System.getProperty("logback.configurationFile") == null && !isOutput(config)) {
            System.setProperty("slipway.log", path(config).toString());
            System.setProperty("logback.configurationFile", "logback-file.xml");
        }
    }

    /** Where to look, for people. */
    static String place(StandaloneConfig config) {
        return isOutput(config) ? "standard output" : path(config).toString();
    }

    private static boolean isOutput(StandaloneConfig config) {
        return OUTPUT.equals(new Settings(config.environment()).optional(TO));
    }

    private static Path path(StandaloneConfig config) {
        return config.home().resolve("slipway.log");
    }
}
