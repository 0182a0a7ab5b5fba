package dev.slipway.processadapter;

import dev.slipway.adapter.Member;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import org.junit.jupiter.api.Test;

import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class SpecTest {
    private final Part first = Part.of(new Member(Ids.next(), "server", 1, null), 2);
    private final Part second = Part.of(new Member(Ids.next(), "server", 3, null), 2);
    private final Spec spec = new Spec(
            2,
            "1.1.0",
            "echo",
            60,
            Json.trusted("{\"message\":\"a\\u0000b\",\"n\":1.50,\"LD PRELOAD\":\"x\",\"deep\":{\"a\":1}}"),
            Json.array().add(Json.object().put("name", "http").put("component", "server")),
            true,
            List.of(first, second.asDrained()));

    @Test
    void environment_hasOnlyPlainValuesUnderOurOwnPrefix() {
        assertThat(spec.environment())
                .containsOnlyKeys("SLIPWAY_CONFIG_MESSAGE", "SLIPWAY_CONFIG_N", "SLIPWAY_APP_VERSION")
                .containsEntry("SLIPWAY_CONFIG_MESSAGE", "ab");
    }

    @Test
    void fromBytes_isWhatWasWritten() throws Exception {
        assertThat(Spec.fromBytes(spec.toBytes())).isEqualTo(spec);
    }

    @Test
    void fromBytes_hasOneProcess_whenAnEarlierAdapterWroteIt() throws Exception {
        var old = "{\"generation\":3,\"profile\":\"echo\",\"deploy_seconds\":60,\"config\":{}}";

        assertThat(Spec.fromBytes(old.getBytes(java.nio.charset.StandardCharsets.UTF_8))
                        .parts())
                .containsExactly(Part.alone(3));
    }

    @Test
    void keeping_leavesADrainedMemberDrained() {
        var asked = spec.change(second, part -> second);

        assertThat(asked.keeping(spec).parts()).isEqualTo(spec.parts());
        assertThat(asked.without(second).keeping(spec).parts()).containsExactly(first);
    }

    @Test
    void part_refusesAComponentThatIsNoName() {
        assertThatThrownBy(() -> Part.of(new Member(Ids.next(), "../..", 1, null), 1))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
