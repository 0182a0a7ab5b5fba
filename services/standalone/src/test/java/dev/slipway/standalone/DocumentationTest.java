package dev.slipway.standalone;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/** Checks links and settings in the documentation. */
class DocumentationTest {
    private static final Path ROOT = Path.of("../..");
    private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");
    private static final Pattern HEADING = Pattern.compile("(?m)^#+ (.+)$");
    private static final Pattern SETTING = Pattern.compile("\\bSLIPWAY_[A-Z_]*[A-Z]\\b(?!\\*)");
    private static final Pattern SOURCE_OF_SETTINGS = Pattern.compile("\"(SLIPWAY_[A-Z_]*[A-Z])\"");

    @Test
    void links_haveExistingTargets() throws IOException {
        for (var page : pages()) {
            for (var link : found(LINK, Files.readString(page))) {
                if (link.contains("://")) {
                    continue;
                }
                var parts = link.split("#", 2);
                var target = parts[0].isEmpty() ? page : page.resolveSibling(parts[0]);
                assertThat(target).as("%s links to %s", page, link).exists();
                if (parts.length == 2) {
                    assertThat(headings(target))
                            .as("%s links to %s", page, link)
                            .contains(parts[1]);
                }
            }
        }
    }

    @Test
    void settings_areReadByTheCode() throws IOException {
        var read = sources().stream()
                .flatMap(source -> found(SOURCE_OF_SETTINGS, source).stream())
                .collect(Collectors.toSet());
        for (var page : pages()) {
            assertThat(read).as(page.toString()).containsAll(found(SETTING, Files.readString(page)));
        }
    }

    private static List<Path> pages() throws IOException {
        try (var docs = Files.walk(ROOT.resolve("docs"));
                var top = Files.list(ROOT)) {
            return Stream.concat(docs, top)
                    .filter(file -> file.toString().endsWith(".md"))
                    .toList();
        }
    }

    private static List<String> sources() throws IOException {
        var texts = new ArrayList<String>();
        for (var modules : List.of("libs", "services")) {
            try (var files = Files.walk(ROOT.resolve(modules))) {
                for (var file : files.filter(DocumentationTest::isSource).toList()) {
                    texts.add(Files.readString(file));
                }
            }
        }
        return texts;
    }

    private static boolean isSource(Path file) {
        return file.toString().matches(".*/src/(main|example)/java/.*\\.java");
    }

    /** As hosts of Markdown make an anchor of a heading. */
    private static List<String> headings(Path page) throws IOException {
        return found(HEADING, Files.readString(page)).stream()
                .map(heading -> heading.toLowerCase(Locale.ROOT)
                        .replaceAll("[^\\p{L}\\p{N} _-]", "")
                        .replace(' ', '-'))
                .toList();
    }

    private static List<String> found(Pattern pattern, String text) {
        return pattern.matcher(text)
                .results()
                .map((MatchResult match) -> match.group(match.groupCount()))
                .distinct()
                .toList();
    }
}
