package dev.slipway.processadapter;

import dev.slipway.contract.Json;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class SpecTest {
    private final Spec spec = new Spec(
            2,
            "echo",
            60,
            Json.trusted("{\"message\":\"a\\u0000b\",\"n\":1.50,\"LD PRELOAD\":\"x\",\"deep\":{\"a\":1}}"));

    @Test
    void environment_hasOnlyPlainValuesUnderOurOwnPrefix() {
        assertThat(spec.environment())
                .containsOnlyKeys("SLIPWAY_CONFIG_MESSAGE", "SLIPWAY_CONFIG_N")
                .containsEntry("SLIPWAY_CONFIG_MESSAGE", "ab");
    }

    @Test
    void fromBytes_isWhatWasWritten() throws Exception {
        assertThat(Spec.fromBytes(spec.toBytes())).isEqualTo(spec);
    }
}
