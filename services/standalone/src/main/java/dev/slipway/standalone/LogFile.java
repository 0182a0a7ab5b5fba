package dev.slipway.standalone;

import java.nio.file.Path;
import java.util.Map;

/** Sends the log to a file in the home directory, so that the console is for people. Must run before the first logger is made. */
final class LogFile {
    private LogFile() {}

    static Path path(Path home) {
        return home.resolve("slipway.log");
    }

    static void configure(Path home, Map<String, String> environment) {
        if (System.getProperty("logback.configurationFile") == null && !"-".equals(environment.get("SLIPWAY_LOG"))) {
            System.setProperty("slipway.log", path(home).toString());
            System.setProperty("logback.configurationFile", "logback-file.xml");
        }
    }
}
