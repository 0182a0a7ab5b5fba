package dev.slipway.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.Json;
import org.jspecify.annotations.Nullable;
import picocli.AutoComplete.GenerateCompletion;
import picocli.CommandLine;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.RunLast;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** The command line of {@code slipway-conformance}. */
@Command(
        name = "slipway-conformance",
        mixinStandardHelpOptions = true,
        version = ConformanceReport.PROTOCOL,
        description = "Tests a runtime adapter as a black box against the adapter protocol (docs/adapter-protocol.md).",
        subcommands = {RunCommand.class, CommandLine.HelpCommand.class, GenerateCompletion.class})
public final class ConformanceMain implements Runnable {
    private static final int KIT_FAILED = 4;
    private static final int WIDTH = 120;

    @Spec
    private @Nullable CommandSpec spec;

    private ConformanceMain() {}

    public static void main(String[] args) {
        var out = new PrintWriter(System.out, true, StandardCharsets.UTF_8);
        var err = new PrintWriter(System.err, true, StandardCharsets.UTF_8);
        System.exit(commandLine(out, err).execute(args));
    }

    /** Runs the command line, prints all output to {@code out} and returns the exit code. */
    public static int run(List<String> arguments, PrintStream out) {
        var writer = new PrintWriter(out, true, StandardCharsets.UTF_8);
        return commandLine(writer, writer).execute(arguments.toArray(String[]::new));
    }

    static CommandLine commandLine(PrintWriter out, PrintWriter err) {
        var line = new CommandLine(new ConformanceMain());
        line.getCommandSpec().parser().collectErrors(true);
        line.getSubcommands()
                .values()
                .forEach(command -> command.getCommandSpec().parser().collectErrors(true));
        return line.setOut(out)
                .setErr(err)
                .setUsageHelpWidth(WIDTH)
                .setExecutionStrategy(ConformanceMain::execute)
                .setExecutionExceptionHandler((failure, command, result) -> {
                    command.getErr().println("The kit failed, which says nothing about the adapter: " + failure);
                    return KIT_FAILED;
                });
    }

    /** Rejects invalid arguments, all at once, before the command runs. */
    private static int execute(ParseResult result) {
        var commands = result.asCommandLineList();
        var faults = new ArrayList<String>();
        for (var command : commands) {
            command.getParseResult().errors().forEach(e -> faults.add(String.valueOf(e.getMessage())));
            if (command.getCommand() instanceof RunCommand run && !command.isUsageHelpRequested()) {
                faults.addAll(run.faults());
            }
        }
        if (!faults.isEmpty()) {
            throw new ParameterException(
                    commands.get(commands.size() - 1), String.join(System.lineSeparator(), faults));
        }
        return new RunLast().execute(result);
    }

    @Override
    public void run() {
        throw new ParameterException(commandLine(), "specify a subcommand");
    }

    /** States whose signature is trusted. */
    private static final class TrustAnchor {
        @Option(names = "--key", paramLabel = "<file>", description = "PEM file with the trusted public key.")
        private @Nullable Path key;

        @Option(
                names = "--fingerprint",
                paramLabel = "<SHA256:...>",
                description = "Fingerprint of the trusted public key, as printed by run.")
        private @Nullable String fingerprint;

        String trusted() throws IOException {
            return key == null ? Objects.requireNonNull(fingerprint) : ReportSigner.fingerprint(key);
        }
    }

    @Command(
            name = "verify",
            mixinStandardHelpOptions = true,
            description =
                    "Checks that a report was signed with a trusted key and prints its result. Exit code 1 means that it"
                            + " was not, or that the report was changed.")
    int verify(
            @ArgGroup(exclusive = true, multiplicity = "1") TrustAnchor anchor,
            @Parameters(paramLabel = "<report.json>", description = "The signed report.") Path file) {
        try {
            return verify(file, anchor.trusted());
        } catch (IOException e) {
            throw new ParameterException(
                    commandLine().getSubcommands().get("verify"), "cannot be read: " + e.getMessage(), e);
        }
    }

    private int verify(Path file, String trusted) throws IOException {
        var signed = parse(Files.readAllBytes(file));
        var out = commandLine().getOut();
        if (!ReportSigner.isSignatureValid(signed)) {
            out.println(file + " does not have a valid signature.");
            return 1;
        }
        var signer = ReportSigner.fingerprint(signed);
        if (!signer.equalsIgnoreCase(trusted)) {
            out.println(file + " was signed by " + signer + ", not by the trusted key " + trusted + ".");
            return 1;
        }
        var report = signed.path("report");
        out.println("signed by the trusted key " + signer);
        out.println(report.path("runtime_backend").asText() + ", "
                + report.path("ended_at").asText() + ": "
                + (report.path("passed").asBoolean() ? "passed" : "not passed"));
        return 0;
    }

    @Command(
            name = "scenarios",
            mixinStandardHelpOptions = true,
            description = "Lists the scenarios and the clauses that they check.")
    int scenarios() {
        var out = commandLine().getOut();
        Scenario.all()
                .forEach(scenario -> out.printf(
                        "%-22s %s %s%n",
                        scenario.name(),
                        scenario.description(),
                        scenario.clauses().stream().map(Clause::id).toList()));
        out.flush();
        return 0;
    }

    private static JsonNode parse(byte[] bytes) {
        try {
            return Json.parse(bytes);
        } catch (IOException e) {
            return Json.object();
        }
    }

    private CommandLine commandLine() {
        return Objects.requireNonNull(spec).commandLine();
    }
}
