package dev.slipway.standalone;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** Messages for the person at the terminal. */
final class ConsoleOutput {
    // Without a locale, as in daemons and containers, the JVM would replace non-ASCII characters by question marks.
    private static final PrintStream OUT = utf8(FileDescriptor.out);
    private static final PrintStream ERR = utf8(FileDescriptor.err);

    private ConsoleOutput() {}

    static void print(String line) {
        OUT.println(line);
    }

    static void printError(String message) {
        ERR.println("slipway: " + message);
    }

    private static PrintStream utf8(FileDescriptor stream) {
        return new PrintStream(new FileOutputStream(stream), true, StandardCharsets.UTF_8);
    }

    static void printBanner(StandaloneConfig config, Platform platform, boolean demo, long tookMs) {
        var url = platform.baseUrl();
        print("");
        print("  Slipway is ready after " + tookMs / 1_000 + "." + tookMs % 1_000 / 100 + " s.");
        if (url != null) {
            print("  API         " + url);
        }
        print("  Health      http://" + config.managementHost() + ":" + platform.managementPort()
                + "/health/ready, /metrics");
        print("  Log         " + LogConfig.location(config));
        if (demo && url != null) {
            print("  Demo        " + config.home().resolve("demo.json"));
            print("");
            print("  Launch the demo app:");
            print("");
            print("    curl -sS " + url + "/api/v1/projects/" + DemoData.PROJECT + "/app-instances \\");
            print("      -H \"Authorization: Bearer $(cat " + config.home().resolve("tokens/project_owner") + ")\" \\");
            print("      -H 'Content-Type: application/json' -H 'X-Correlation-ID: my-first-launch' \\");
            print("      -d '{\"app_slug\":\"" + DemoData.APP + "\",\"version\":\"" + DemoData.VERSION
                    + "\",\"display_name\":\"My first app\"}'");
        }
        print("");
    }
}
