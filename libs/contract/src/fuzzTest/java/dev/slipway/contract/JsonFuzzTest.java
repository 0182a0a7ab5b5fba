package dev.slipway.contract;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.fasterxml.jackson.databind.JsonNode;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

import static org.assertj.core.api.Assertions.assertThat;

/** Fuzzes the JSON of request bodies. */
class JsonFuzzTest {
    /** A number such as {@code 1e399} is written with 400 digits. */
    private static final int MAX_GROWTH = 100;

    @FuzzTest
    void parse_returnsWritableJson_orExplainsTheFault(byte[] bytes) throws IOException {
        JsonNode node;
        try {
            node = Json.parse(bytes);
        } catch (IOException e) {
            assertThat(Json.describeFault(e)).isNotBlank();
            assertThat(Json.fieldOfFault(e)).isNotBlank();
            return;
        }
        var text = Json.text(node);
        assertThat(text.length()).isLessThanOrEqualTo(MAX_GROWTH * (bytes.length + 1));
        assertThat(Json.text(Json.parse(text.getBytes(StandardCharsets.UTF_8)))).isEqualTo(text);
    }
}
