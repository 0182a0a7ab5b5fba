package dev.slipway.adapter;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Files;
import java.nio.file.Path;

import static org.assertj.core.api.Assertions.assertThat;

/** Checks that the guide quotes the example as compiled here. */
class GuideTest {
    private static final Path GUIDE = Path.of("../../docs/build-an-adapter.md");
    private static final Path EXAMPLE = Path.of("src/example/java/dev/slipway/example");

    @ParameterizedTest
    @ValueSource(strings = {"GreeterAdapter.java", "GreeterMain.java"})
    void guide_quotesExample_unchanged(String file) throws Exception {
        var source = Files.readString(EXAMPLE.resolve(file));
        var withoutImports = source.substring(source.indexOf("/**"));

        assertThat(Files.readString(GUIDE)).contains("```java\n" + withoutImports + "```");
    }
}
