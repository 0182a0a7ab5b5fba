package dev.slipway.conformance;

import dev.slipway.conformance.Clause.Finding;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Searches the log and the data directory of the adapter for secrets, tokens and leftovers of deleted instances. */
final class DataDirectoryScanner {
    private static final long MAX_BYTES = 32L * 1024 * 1024;
    private static final Pattern TOKEN = Pattern.compile("kit-[0-9a-f]{48}");

    private final Path log;
    private final Path dataDirectory;
    private final String secret;
    private final FakeTokenEndpoint tokens;
    private final Set<Path> reported = new HashSet<>();

    DataDirectoryScanner(Path log, Path dataDirectory, String secret, FakeTokenEndpoint tokens) {
        this.log = log;
        this.dataDirectory = dataDirectory;
        this.secret = secret;
        this.tokens = tokens;
    }

    /** Returns a finding for each file with a secret or a token that was not reported before. */
    List<Finding> findSecrets() {
        var findings = new ArrayList<Finding>();
        for (var file : listPaths(Files::isRegularFile)) {
            var content = read(file);
            var what = content.contains(secret)
                    ? "the adapter secret"
                    : TOKEN.matcher(content).results().anyMatch(found -> tokens.isIssued(found.group()))
                            ? "a token"
                            : null;
            if (what != null && reported.add(file)) {
                findings.add(new Finding(Clause.TASK_TOKEN, file.getFileName() + " of the adapter contains " + what));
            }
        }
        return findings;
    }

    /** Returns the directories of an instance. A file with its name may be the adapter's own record of a deleted instance. */
    List<String> findDirectories(UUID instance) {
        return listPaths(Files::isDirectory).stream()
                .filter(path -> path.getFileName().toString().contains(instance.toString()))
                .map(path -> dataDirectory.relativize(path).toString())
                .sorted()
                .toList();
    }

    private interface PathFilter {
        boolean accepts(Path path);
    }

    private List<Path> listPaths(PathFilter filter) {
        try (var found = Files.exists(dataDirectory) ? Files.walk(dataDirectory) : Stream.<Path>empty()) {
            return Stream.concat(found, Stream.of(log)).filter(filter::accepts).toList();
        } catch (IOException | UncheckedIOException e) {
            return List.of(); // the adapter removed a directory meanwhile; the next scan sees the rest
        }
    }

    private static String read(Path file) {
        try {
            return Files.size(file) > MAX_BYTES
                    ? ""
                    : new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            return "";
        }
    }
}
