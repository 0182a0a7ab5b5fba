package dev.slipway.standalone;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** What a person at the terminal reads. */
final class Console {
    // Daemons and containers often have no locale, and the JVM would then write question marks.
    private static final PrintStream OUT = utf8(FileDescriptor.out);
    private static final PrintStream ERR = utf8(FileDescriptor.err);

    private Console() {}

    static void say(String line) {
        OUT.println(line);
    }

    static void complain(String sentence) {
        ERR.println("slipway: " + sentence);
    }

    private static PrintStream utf8(FileDescriptor stream) {
        return new PrintStream(new FileOutputStream(stream), true, StandardCharsets.UTF_8);
    }

    static void banner(StandaloneConfig config, Platform platform, boolean demo, long tookMs) {
        var url = platform.baseUrl();
        say("");
        say("  Slipway is ready after " + tookMs / 1_000 + "." + tookMs % 1_000 / 100 + " s.");
        if (url != null) {
            say("  API         " + url);
        }
        say("  Health      http://" + config.managementHost() + ":" + platform.managementPort()
                + "/health/ready, /metrics");
        say("  Log         " + LogFile.place(config));
        if (demo && url != null) {
            say("  Demo        " + config.home().resolve("demo.json"));
            say("");
            say("  Launch the demo app:");
            say("");
            say("    curl -sS " + url + "/api/v1/projects/" + Demo.PROJECT + "/app-instances \\");
            say("      -H \"Authorization: Bearer $(cat " + config.home().resolve("tokens/project_owner") + ")\" \\");
            say("      -H 'Content-Type: application/json' -H 'X-Correlation-ID: my-first-launch' \\");
            say("      -d '{\"app_slug\":\"" + Demo.APP + "\",\"version\":\"" + Demo.VERSION
                    + "\",\"display_name\":\"My first app\"}'");
        }
        say("");
    }
}
