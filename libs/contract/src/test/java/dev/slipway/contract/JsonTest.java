package dev.slipway.contract;

import com.fasterxml.jackson.core.JsonProcessingException;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class JsonTest {
    @Test
    void parse_isRefused_whenANameComesTwice() {
        assertThatThrownBy(() -> parse("{\"a\":1,\"a\":2}"))
                .isInstanceOf(JsonProcessingException.class)
                .hasMessageContaining("Duplicate");
        assertThatThrownBy(() -> parse("{\"o\":{\"a\":1,\"a\":1}}")).isInstanceOf(JsonProcessingException.class);
    }

    @Test
    void parse_isRefused_whenSomethingFollowsTheEnd() {
        assertThatThrownBy(() -> parse("{} {}")).isInstanceOf(JsonProcessingException.class);
        assertThatThrownBy(() -> parse("{}x")).isInstanceOf(JsonProcessingException.class);
    }

    @Test
    void parse_isRefused_whenNestedTooDeep() throws IOException {
        assertThat(Json.parse(nested(Json.MAX_DEPTH))).isNotEmpty();
        assertThatThrownBy(() -> Json.parse(nested(Json.MAX_DEPTH + 1))).isInstanceOf(JsonProcessingException.class);
        assertThatThrownBy(() -> Json.parse(nested(100_000))).isInstanceOf(JsonProcessingException.class);
    }

    @Test
    void node_isRefused_whenNestedDeeperThanAnythingOfOurs() {
        assertThatThrownBy(() -> Json.node(nested(1_000))).hasRootCauseInstanceOf(JsonProcessingException.class);
    }

    @Test
    void parse_keepsEveryDigit_ofADecimal() throws IOException {
        assertThat(parse("0.12345678901234567890123456789")).hasToString("0.12345678901234567890123456789");
    }

    static byte[] nested(int depth) {
        return ("{\"a\":".repeat(depth - 1) + "{\"a\":1}" + "}".repeat(depth - 1)).getBytes(StandardCharsets.UTF_8);
    }

    private static Object parse(String text) throws IOException {
        return Json.parse(text.getBytes(StandardCharsets.UTF_8));
    }
}
