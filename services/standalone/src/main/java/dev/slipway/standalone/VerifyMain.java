package dev.slipway.standalone;

import dev.slipway.audit.log.ExportVerifier;
import dev.slipway.audit.log.ExportVerifier.Report;
import dev.slipway.audit.log.domain.NoteKey;
import dev.slipway.audit.log.domain.SignedNote;
import org.jspecify.annotations.Nullable;
import picocli.AutoComplete.GenerateCompletion;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.SequenceInputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;

/** Verifies an export of an audit log offline, and reports the first fault with its position. */
@Command(
        name = "slipway-verify",
        mixinStandardHelpOptions = true,
        usageHelpWidth = 120,
        versionProvider = StandaloneMain.Version.class,
        subcommands = GenerateCompletion.class,
        description =
                "Verifies an export of an audit log: content, sequence, tree, checkpoints and cosignatures. Uses no network.",
        footer = {"", "Exit status: 0 if the export is valid, 1 if it is not, 2 for invalid arguments."})
public final class VerifyMain implements Callable<Integer> {
    @Parameters(arity = "1..*", paramLabel = "EXPORT", description = "The files of the export, in order.")
    private List<Path> files = List.of();

    @Option(
            names = "--key",
            paramLabel = "KEY",
            description =
                    "A verifier key of the log, from a source that you trust. Without it, the keys in the export are used.")
    private List<String> keys = List.of();

    @Option(
            names = "--witness",
            paramLabel = "KEY",
            description = "The verifier key of a witness that must have cosigned a checkpoint.")
    private List<String> witnesses = List.of();

    @Option(
            names = "--checkpoint",
            paramLabel = "FILE",
            description = "A checkpoint that you saved earlier, which must be a part of the log.")
    private @Nullable Path checkpoint;

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    private VerifyMain() {}

    public static void main(String[] args) {
        System.exit(commandLine().execute(args));
    }

    static CommandLine commandLine() {
        return new CommandLine(new VerifyMain());
    }

    @Override
    public Integer call() {
        try {
            var verifier = new ExportVerifier(
                    parseKeys(keys),
                    parseKeys(witnesses),
                    checkpoint == null ? null : SignedNote.parse(Files.readString(checkpoint)));
            return print(verify(verifier));
        } catch (IOException | UncheckedIOException | IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
        }
    }

    private Report verify(ExportVerifier verifier) throws IOException {
        var streams = new ArrayList<InputStream>();
        try {
            for (var file : files) {
                streams.add(Files.newInputStream(file));
            }
            var all = new SequenceInputStream(Collections.enumeration(streams));
            try (var reader = new BufferedReader(new InputStreamReader(all, StandardCharsets.UTF_8))) {
                return verifier.verify(reader.lines().iterator());
            }
        } finally {
            for (var stream : streams) {
                stream.close();
            }
        }
    }

    private static List<NoteKey> parseKeys(List<String> texts) {
        return texts.stream().map(NoteKey::parse).toList();
    }

    private int print(Report report) {
        var out = spec.commandLine().getOut();
        var err = spec.commandLine().getErr();
        if (!report.keysAreTrusted()) {
            err.println("slipway-verify: the signatures are verified with the keys in the export;"
                    + " use --key with a key that you trust");
        }
        var fault = report.fault();
        if (fault != null) {
            var line = fault.line() == 0 ? "" : " (line " + fault.line() + ")";
            err.println("slipway-verify: not valid at entry " + fault.sequence() + line + ": " + fault.problem());
            return ExitCode.SOFTWARE;
        }
        out.println("valid: " + report.origin());
        out.println(report.entries() + " entries, " + report.redacted() + " of them redacted and " + report.expired()
                + " expired; " + report.checkpoints() + " checkpoints"
                + (report.cosigners().isEmpty() ? "" : ", cosigned by " + String.join(", ", report.cosigners())));
        return ExitCode.OK;
    }
}
