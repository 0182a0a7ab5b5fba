package dev.slipway.metering.usage;

import dev.slipway.contract.ProblemException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class UsageLineIdTest {
    private static final String TIMES = "\"f\":\"2026-03-01T00:00:00Z\",\"t\":\"2026-04-01T00:00:00Z\"";

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "null",
                "[]",
                "{}",
                "{\"f\":\"never\",\"t\":\"2026-04-01T00:00:00Z\"}",
                "{" + TIMES + ",\"quantity\":\"1\"}",
                "{" + TIMES + ",\"unit\":\"a\\u0000b\"}"
            })
    void decode_isRefused_whenTheIdWasNotIssued(String json) {
        assertThatThrownBy(() -> UsageLineId.decode(encode(json))).isInstanceOf(ProblemException.class);
        assertThatThrownBy(() -> UsageLineId.decode("%" + json)).isInstanceOf(ProblemException.class);
    }

    @Test
    void decode_returnsWhatWasEncoded() {
        var id = new UsageLineId(
                Instant.parse("2026-03-01T00:00:00Z"),
                Instant.parse("2026-04-01T00:00:00Z"),
                Map.of("unit", "token", "unit_version", "2", "resource_id", "="));

        assertThat(UsageLineId.decode(id.encode())).isEqualTo(id);
    }

    @Test
    void decode_acceptsEarlierIds_withoutTheVersionOfTheUnit() {
        assertThat(UsageLineId.decode(encode("{" + TIMES + ",\"unit\":\"token\"}"))
                        .values())
                .containsExactly(Map.entry("unit", "token"));
    }

    private static String encode(String json) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(json.getBytes(StandardCharsets.UTF_8));
    }
}
