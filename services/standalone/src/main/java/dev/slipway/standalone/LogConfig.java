package dev.slipway.standalone;

import dev.slipway.settings.Settings;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** Writes the log to a file in the home directory, or to standard output if SLIPWAY_LOG is {@code -}. */
final class LogConfig {
    private static final String DESTINATION_SETTING = "SLIPWAY_LOG";
    private static final String LEVEL_SETTING = "SLIPWAY_LOG_LEVEL";
    private static final String STANDARD_OUTPUT = "-";
    private static final List<String> LEVELS = List.of("TRACE", "DEBUG", "INFO", "WARN", "ERROR", "OFF");

    private LogConfig() {}

    static void validate(Settings settings) {
        if (!settings.text(DESTINATION_SETTING, STANDARD_OUTPUT).equals(STANDARD_OUTPUT)) {
            settings.addError(
                    DESTINATION_SETTING + " must be - for standard output, or empty for a file in SLIPWAY_HOME");
        }
        var level = settings.text(LEVEL_SETTING, "INFO");
        if (!LEVELS.contains(level.toUpperCase(Locale.ROOT))) {
            settings.addError(LEVEL_SETTING + "=" + level + " is not one of " + String.join(", ", LEVELS));
        }
    }

    /** Must run before the first logger is created. */
    static void configure(StandaloneConfig config) {
        // Logback reads system properties and the environment, but the setting may come from the settings file.
        System.setProperty(LEVEL_SETTING, new Settings(config.environment()).text(LEVEL_SETTING, "INFO"));
        if (System.getProperty("logback.configurationFile") == null && !logsToStandardOutput(config)) {
            System.setProperty("slipway.log", logFile(config).toString());
            System.setProperty("logback.configurationFile", "logback-file.xml");
        }
    }

    /** Returns where the log is, for messages. */
    static String location(StandaloneConfig config) {
        return logsToStandardOutput(config)
                ? "standard output"
                : logFile(config).toString();
    }

    private static boolean logsToStandardOutput(StandaloneConfig config) {
        return STANDARD_OUTPUT.equals(new Settings(config.environment()).optional(DESTINATION_SETTING));
    }

    private static Path logFile(StandaloneConfig config) {
        return config.home().resolve("slipway.log");
    }
}
