package dev.slipway.adapter;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Files;
import java.nio.file.Path;

import static org.assertj.core.api.Assertions.assertThat;

/** What the guide shows is what is compiled and run here. */
class GuideTest {
    private static final Path GUIDE = Path.of("../../docs/build-an-adapter.md");
    private static final Path EXAMPLE = Path.of("src/example/java/dev/slipway/example");

    @ParameterizedTest
    @ValueSource(strings = {"GreeterAdapter.java", "GreeterMain.java"})
    void guide_quotesTheExample_asItIs(String file) throws Exception {
        var source = Files.readString(EXAMPLE.resolve(file));
        var withoutImports = source.substring(source.indexOf("/**"));

        assertThat(Files.readString(GUIDE)).contains("```java\n" + withoutImports + "```");
    }
}
