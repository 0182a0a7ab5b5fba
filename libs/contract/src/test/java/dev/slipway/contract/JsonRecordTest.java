package dev.slipway.contract;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonRawValue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.util.UUID;

import static org.assertj.core.api.Assertions.assertThat;

class JsonRecordTest {
    private static final UUID ID = new UUID(0, 1);
    private static final Instant TIME = Instant.parse("2026-01-01T00:00:00.123456Z");

    private enum Mode {
        TENANT_DEDICATED
    }

    private record Sample(
            UUID appId,
            Instant createdAt,
            Mode operatingMode,
            @JsonRawValue String config,
            @Nullable String reason,

            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
            String region) {}

    private record Body(
            String appSlug, Mode operatingMode, @Nullable UUID planId) {}

    @Test
    void toObject_writesSnakeCaseAndText() {
        var json = Json.toObject(new Sample(ID, TIME, Mode.TENANT_DEDICATED, "{\"a\":1}", null, null));

        assertThat(Json.text(json))
                .isEqualTo("{\"app_id\":\"" + ID + "\",\"created_at\":\"2026-01-01T00:00:00.123456Z\","
                        + "\"operating_mode\":\"tenant_dedicated\",\"config\":{\"a\":1},\"reason\":null}");
    }

    @Test
    void toRecord_parsesEnumsAndLeavesAbsentFieldsNull() {
        var json = Json.object().put("app_slug", "echo").put("operating_mode", "tenant_dedicated");

        assertThat(Json.toRecord(json, Body.class)).isEqualTo(new Body("echo", Mode.TENANT_DEDICATED, null));
    }
}
