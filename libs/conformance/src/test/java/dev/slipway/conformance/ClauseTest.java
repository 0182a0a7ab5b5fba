package dev.slipway.conformance;

import org.junit.jupiter.api.Test;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.regex.Pattern;

import static org.assertj.core.api.Assertions.assertThat;

class ClauseTest {
    private static final Pattern CLAUSE = Pattern.compile("\\*\\*(P-\\d+)\\. ([^*]+)\\.\\*\\*");

    @Test
    void clauses_matchThePage() throws Exception {
        var page = Files.readString(Path.of("../../docs/adapter-protocol.md"));
        var written = CLAUSE.matcher(page)
                .results()
                .map(found -> found.group(1) + " " + found.group(2))
                .toList();
        assertThat(Arrays.stream(Clause.values()).map(clause -> clause.id() + " " + clause.title()))
                .containsExactlyElementsOf(written);
    }

    @Test
    void scenarios_matchThePage() throws Exception {
        var page = Files.readString(Path.of("../../docs/adapter-protocol.md"));
        assertThat(Scenario.all()).allSatisfy(scenario -> assertThat(page).contains("`" + scenario.name() + "`"));
    }
}
