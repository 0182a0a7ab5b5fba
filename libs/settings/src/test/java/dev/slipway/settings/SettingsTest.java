package dev.slipway.settings;

import dev.slipway.settings.Settings.InvalidSettingsException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class SettingsTest {
    @ParameterizedTest
    @ValueSource(strings = {"ten", "1.5", "0", "101", "99999999999", "0x10"})
    void integer_isError_whenNotInRange(String value) {
        assertThat(errors(value, settings -> settings.integer("N", 10, 1, 100)))
                .containsExactly("N=" + value + " is not a whole number from 1 to 100");
    }

    @ParameterizedTest
    @ValueSource(strings = {"-1", "65536", "http"})
    void port_isError_whenInvalid(String value) {
        assertThat(errors(value, settings -> settings.port("N", 10)))
                .containsExactly("N=" + value + " is not a whole number from 0 to 65535");
    }

    @ParameterizedTest
    @ValueSource(strings = {"yes", "TRUE", "1"})
    void flag_isError_whenNeitherTrueNorFalse(String value) {
        assertThat(errors(value, settings -> settings.flag("N", true)))
                .containsExactly("N=" + value + " is neither true nor false");
    }

    @ParameterizedTest
    @ValueSource(strings = {"30", "30s", "PT0S", "PT-5S", "soon"})
    void duration_isError_whenInvalid(String value) {
        assertThat(errors(value, settings -> settings.duration("N", Duration.ofSeconds(1))))
                .containsExactly("N=" + value + " is not a duration such as PT30S");
    }

    @Test
    void listOfAllowed_isError_forEachUnknownItem() {
        assertThat(errors("a, x,b,y", settings -> settings.listOfAllowed("N", List.of(), List.of("a", "b"))))
                .containsExactly("N has x, which is not one of a, b", "N has y, which is not one of a, b");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "  "})
    void required_isError_whenEmpty(String value) {
        assertThat(errors(value, settings -> settings.required("N", "address of the service")))
                .containsExactly("N is not set: address of the service");
    }

    @Test
    void propertiesFile_isError_whenUnreadable(@TempDir Path folder) {
        var path = folder.resolve("nowhere").toString();

        assertThat(errors(path, settings -> settings.propertiesFile("N")))
                .singleElement()
                .satisfies(error -> assertThat(error).startsWith("N=" + path + " cannot be read"));
    }

    @Test
    void requireValid_reportsAllErrors() {
        var settings = new Settings(Map.of("A", "x", "B", "maybe", "C", "later"));

        assertThat(settings.integer("A", 1, 0, 9)).isEqualTo(1);
        assertThat(settings.flag("B", true)).isTrue();
        assertThat(settings.duration("C", Duration.ofSeconds(3))).isEqualTo(Duration.ofSeconds(3));
        assertThat(settings.required("D", "for something")).isEmpty();
        settings.addError("E and F go together");

        assertThatThrownBy(settings::requireValid)
                .isInstanceOfSatisfying(InvalidSettingsException.class, e -> assertThat(e.errors())
                        .hasSize(5))
                .hasMessageContainingAll("A=x", "B=maybe", "C=later", "D is not set", "E and F go together");
    }

    @Test
    void withConfigFile_fails_whenUnreadable(@TempDir Path folder) {
        assertThatThrownBy(() -> Settings.withConfigFile(
                        Map.of("SLIPWAY_CONFIG_FILE", folder.resolve("nowhere").toString())))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("SLIPWAY_CONFIG_FILE");
    }

    @Test
    void withConfigFile_isOverriddenByEnvironment(@TempDir Path folder) throws IOException {
        var file = Files.writeString(folder.resolve("f"), "# comment\nA=of the file\nB = both \n");

        var merged = Settings.withConfigFile(Map.of("SLIPWAY_CONFIG_FILE", file.toString(), "A", "of the environment"));

        assertThat(merged).containsEntry("A", "of the environment").containsEntry("B", "both ");
        assertThat(new Settings(merged).optional("B")).isEqualTo("both");
    }

    @Test
    void values_areParsed_orFallBackToDefault() {
        var settings = new Settings(Map.of("I", " 7 ", "F", "false", "D", "PT5M", "L", "a, b,,c ", "T", "text"));

        assertThat(settings.integer("I", 1, 0, 9)).isEqualTo(7);
        assertThat(settings.flag("F", true)).isFalse();
        assertThat(settings.duration("D", Duration.ofSeconds(1))).isEqualTo(Duration.ofMinutes(5));
        assertThat(settings.list("L", List.of())).containsExactly("a", "b", "c");
        assertThat(settings.text("T", "other")).isEqualTo("text");
        assertThat(settings.text("absent", "other")).isEqualTo("other");
        assertThat(settings.list("absent", List.of("x"))).containsExactly("x");
        assertThat(settings.port("absent", 8080)).isEqualTo(8080);
        assertThat(settings.propertiesFile("absent")).isEmpty();
        assertThatCode(settings::requireValid).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @ValueSource(strings = {"ftp://h", "h:80", "http://", "https://h?q"})
    void url_isError_whenNotHttp(String value) {
        assertThat(errors(value, settings -> settings.url("N", "where")))
                .containsExactly("N=" + value + " is not an http or https address");
    }

    @Test
    void uuid_isError_whenInvalid() {
        assertThat(errors("7", settings -> settings.uuid("N", "who"))).containsExactly("N=7 is not a UUID");
    }

    @Test
    void withDefaults_appliesToUnsetNames_andSharesErrors() {
        var settings = new Settings(Map.of("SET", "x", "BLANK", " "));
        var withDefaults = settings.withDefaults(Map.of("SET", "1", "BLANK", "2", "ABSENT", "3"));

        assertThat(withDefaults.integer("BLANK", 0, 0, 9)).isEqualTo(2);
        assertThat(withDefaults.integer("ABSENT", 0, 0, 9)).isEqualTo(3);
        assertThat(withDefaults.integer("SET", 0, 0, 9)).isZero();
        assertThat(settings.integer("SET", 0, 0, 9)).isZero();
        assertThatThrownBy(settings::requireValid)
                .isInstanceOfSatisfying(InvalidSettingsException.class, e -> assertThat(e.errors())
                        .containsExactly("SET=x is not a whole number from 0 to 9"));
    }

    private static List<String> errors(String value, Function<Settings, ?> read) {
        var values = new HashMap<String, String>();
        values.put("N", value);
        var settings = new Settings(values);
        var unused = read.apply(settings);
        try {
            settings.requireValid();
            return List.of();
        } catch (InvalidSettingsException e) {
            return e.errors();
        }
    }
}
