package dev.slipway.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.conformance.Options.OptionsException;
import dev.slipway.conformance.Profile.ProfileException;
import dev.slipway.contract.Json;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Instant;
import java.util.List;

/** The program {@code slipway-conformance}. */
public final class ConformanceMain {
    private static final int WRONG_USE = 2;
    private static final int NO_VERDICT = 4;

    private final PrintStream out;

    private ConformanceMain(PrintStream out) {
        this.out = out;
    }

    public static void main(String[] args) {
        var out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        int exitCode;
        try {
            exitCode = run(List.of(args), out);
        } catch (Exception e) {
            out.println("The kit could not go on, which says nothing about the adapter: " + e);
            exitCode = NO_VERDICT;
        }
        System.exit(exitCode);
    }

    /** Does what the arguments say, and answers the exit code. */
    public static int run(List<String> arguments, PrintStream out) throws Exception {
        return new ConformanceMain(out).dispatch(arguments);
    }

    private int dispatch(List<String> arguments) throws Exception {
        var command = arguments.isEmpty() ? "--help" : arguments.get(0);
        var rest = arguments.isEmpty() ? arguments : arguments.subList(1, arguments.size());
        try {
            return switch (command) {
                case "run" -> test(rest);
                case "verify" -> verify(rest);
                case "scenarios" -> scenarios();
                case "--help", "help" -> help(0);
                default -> help(WRONG_USE);
            };
        } catch (OptionsException | ProfileException e) {
            out.println(e.getMessage());
            out.println("slipway-conformance --help says how to call it.");
            return WRONG_USE;
        }
    }

    private int test(List<String> arguments) throws Exception {
        var options = Options.of(arguments);
        var file = options.profile();
        var profile = file == null ? Profile.example() : Profile.read(file);
        var key = options.key();
        var seal = key == null ? Seal.generated() : Seal.of(key);
        var startedAt = Instant.now();
        var results = new Kit(options, profile, out::println).run();
        var outcome = new Outcome(profile, startedAt, Instant.now(), results);
        var sealed = seal.sign(outcome.json());
        Files.write(options.report(), Json.bytes(sealed));
        out.println();
        out.print(outcome.table());
        out.println("report: " + options.report() + ", signed by " + Seal.fingerprint(sealed));
        return outcome.exitCode();
    }

    private int verify(List<String> arguments) throws IOException, GeneralSecurityException {
        if (arguments.size() != 1) {
            return help(WRONG_USE);
        }
        var file = Path.of(arguments.get(0));
        var sealed = parsed(Files.readAllBytes(file));
        if (!Seal.isIntact(sealed)) {
            out.println(file + " is not a report as it was signed.");
            return 1;
        }
        var report = sealed.path("report");
        out.println("signed by " + Seal.fingerprint(sealed));
        out.println(report.path("runtime_backend").asText() + ", "
                + report.path("ended_at").asText() + ": "
                + (report.path("passed").asBoolean() ? "passed" : "not passed"));
        return 0;
    }

    private static JsonNode parsed(byte[] bytes) {
        try {
            return Json.parse(bytes);
        } catch (IOException e) {
            return Json.object();
        }
    }

    private int scenarios() {
        Scenario.all()
                .forEach(scenario -> out.printf(
                        "%-22s %s %s%n",
                        scenario.name(),
                        scenario.about(),
                        scenario.clauses().stream().map(Clause::id).toList()));
        return 0;
    }

    private int help(int exitCode) throws IOException {
        try (var text = ConformanceMain.class.getResourceAsStream("help.txt")) {
            out.print(new String(java.util.Objects.requireNonNull(text).readAllBytes(), StandardCharsets.UTF_8));
        }
        return exitCode;
    }
}
