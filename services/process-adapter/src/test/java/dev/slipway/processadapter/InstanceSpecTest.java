package dev.slipway.processadapter;

import dev.slipway.adapter.MemberRef;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import org.junit.jupiter.api.Test;

import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class InstanceSpecTest {
    private final ProcessSpec first = ProcessSpec.forMember(new MemberRef(Ids.next(), "server", 1, null), 2);
    private final ProcessSpec second = ProcessSpec.forMember(new MemberRef(Ids.next(), "server", 3, null), 2);
    private final InstanceSpec spec = new InstanceSpec(
            2,
            "1.1.0",
            "echo",
            60,
            Json.parseStoredObject("{\"message\":\"a\\u0000b\",\"n\":1.50,\"LD PRELOAD\":\"x\",\"deep\":{\"a\":1}}"),
            Json.array().add(Json.object().put("name", "http").put("component", "server")),
            true,
            List.of(first, second.withDrained()));

    @Test
    void environment_containsScalarValuesWithPrefix() {
        assertThat(spec.environment())
                .containsOnlyKeys("SLIPWAY_CONFIG_MESSAGE", "SLIPWAY_CONFIG_N", "SLIPWAY_APP_VERSION")
                .containsEntry("SLIPWAY_CONFIG_MESSAGE", "ab");
    }

    @Test
    void read_returnsWrittenValue() throws Exception {
        assertThat(InstanceSpec.fromBytes(spec.toBytes())).isEqualTo(spec);
    }

    @Test
    void read_returnsOneProcess_whenWrittenByEarlierVersion() throws Exception {
        var old = "{\"generation\":3,\"profile\":\"echo\",\"deploy_seconds\":60,\"config\":{}}";

        assertThat(InstanceSpec.fromBytes(old.getBytes(java.nio.charset.StandardCharsets.UTF_8))
                        .processes())
                .containsExactly(ProcessSpec.single(3));
    }

    @Test
    void mergeWith_keepsDrainedMember() {
        var requested = spec.updateProcess(second, processSpec -> second);

        assertThat(requested.mergeWith(spec).processes()).isEqualTo(spec.processes());
        assertThat(requested.withoutProcess(second).mergeWith(spec).processes()).containsExactly(first);
    }

    @Test
    void forMember_throws_whenComponentKeyIsInvalid() {
        assertThatThrownBy(() -> ProcessSpec.forMember(new MemberRef(Ids.next(), "../..", 1, null), 1))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
