package dev.slipway.standalone;

import java.io.PrintStream;

/** What a person at the terminal reads. */
final class Console {
    private static final PrintStream OUT = System.out;

    private Console() {}

    static void say(String line) {
        OUT.println(line);
    }

    static void complain(String sentence) {
        System.err.println("slipway: " + sentence);
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
