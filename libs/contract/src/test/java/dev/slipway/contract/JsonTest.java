package dev.slipway.contract;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.UUID;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class JsonTest {
    @Test
    void parse_throws_whenANameIsDuplicated() {
        assertThatThrownBy(() -> parse("{\"a\":1,\"a\":2}"))
                .isInstanceOf(JsonProcessingException.class)
                .hasMessageContaining("Duplicate");
        assertThatThrownBy(() -> parse("{\"o\":{\"a\":1,\"a\":1}}")).isInstanceOf(JsonProcessingException.class);
    }

    @Test
    void parse_throws_onTrailingContent() {
        assertThatThrownBy(() -> parse("{} {}")).isInstanceOf(JsonProcessingException.class);
        assertThatThrownBy(() -> parse("{}x")).isInstanceOf(JsonProcessingException.class);
    }

    @Test
    void parse_throws_whenNestedTooDeep() throws IOException {
        assertThat(Json.parse(nested(Json.MAX_DEPTH))).isNotEmpty();
        assertThatThrownBy(() -> Json.parse(nested(Json.MAX_DEPTH + 1))).isInstanceOf(JsonProcessingException.class);
        assertThatThrownBy(() -> Json.parse(nested(100_000))).isInstanceOf(JsonProcessingException.class);
    }

    @Test
    void parseTrusted_throws_whenNestedTooDeep() {
        assertThatThrownBy(() -> Json.parseTrusted(nested(1_000)))
                .hasRootCauseInstanceOf(JsonProcessingException.class);
    }

    @Test
    void parse_keepsAllDigits_ofADecimal() throws IOException {
        assertThat(parse("0.12345678901234567890123456789")).hasToString("0.12345678901234567890123456789");
    }

    private record Sample(
            UUID sampleId, Instant occurredAt, @Nullable String displayName, ObjectNode details) {}

    @Test
    void toRecord_readsWhatBytesWrote_withSnakeCaseNames() throws IOException {
        var sample = new Sample(
                new UUID(1, 2),
                Instant.parse("2026-11-16T07:00:00Z"),
                null,
                Json.object().put("a", 1));

        var json = Json.parseInternal(Json.bytes(sample));

        assertThat(json.fieldNames())
                .toIterable()
                .containsExactly("sample_id", "occurred_at", "display_name", "details");
        assertThat(json.path("occurred_at").asText()).isEqualTo("2026-11-16T07:00:00Z");
        assertThat(Json.toRecord(Json.toObject(sample).put("unknown", true), Sample.class))
                .isEqualTo(sample);
        assertThatThrownBy(() -> Json.toRecord(Json.object().put("occurred_at", "soon"), Sample.class))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"a\": | ends before the JSON value is complete (line 1, column 6)",
                "{\"a\":1,\"a\":2} | is not valid JSON (line 1, column 11)",
                "nonsense | is not valid JSON (line 1, column 1)",
                "{\"a\":\"\\u0000\"} | has a text with U+0000 or an unpaired surrogate",
                "1e5000 | is a number of more than 400 digits without exponent"
            })
    void describeFault_explainsTheFailure_withoutTextOfTheLibrary(String text, String expected) {
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> parse(text))
                .satisfies(failure -> assertThat(Json.describeFault(failure)).isEqualTo(expected));
    }

    static byte[] nested(int depth) {
        return ("{\"a\":".repeat(depth - 1) + "{\"a\":1}" + "}".repeat(depth - 1)).getBytes(StandardCharsets.UTF_8);
    }

    private static Object parse(String text) throws IOException {
        return Json.parse(text.getBytes(StandardCharsets.UTF_8));
    }
}
