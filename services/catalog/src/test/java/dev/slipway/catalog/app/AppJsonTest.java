package dev.slipway.catalog.app;

import dev.slipway.catalog.app.AppJson.AdminAppResponse;
import dev.slipway.catalog.app.AppJson.AppEvent;
import dev.slipway.catalog.app.AppJson.AppFields;
import dev.slipway.catalog.app.AppJson.AppResponse;
import dev.slipway.catalog.app.AppJson.Snapshot;
import dev.slipway.catalog.app.domain.AppStatus;
import dev.slipway.catalog.policy.domain.Eligibility;
import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.util.UUID;

import static dev.slipway.catalog.ContractAssertions.assertEvent;
import static dev.slipway.catalog.ContractAssertions.assertSchema;
import static org.assertj.core.api.Assertions.assertThat;

class AppJsonTest {
    private static final App APP = new App(
            new UUID(0, 1),
            "echo",
            "Echo",
            "examples",
            "Slipway",
            "apps",
            "",
            AppStatus.ACTIVE,
            true,
            3,
            Instant.EPOCH,
            Instant.EPOCH,
            null);

    @Test
    void responses_matchTheContract() {
        var plain = assertSchema("App", new AppResponse(AppFields.of(APP), null));
        var launch = LaunchFields.of(new Eligibility(true, null));
        var viewed = assertSchema("App", new AppResponse(AppFields.of(APP), launch));
        var admin = assertSchema("AdminApp", AdminAppResponse.of(APP));

        assertThat(plain.has("launchable")).isFalse();
        assertThat(viewed.path("launchable").asBoolean()).isTrue();
        assertThat(viewed.path("not_launchable_reason").isNull()).isTrue();
        assertThat(admin.path("published").asBoolean()).isTrue();
        assertThat(admin.path("status").asText()).isEqualTo("active");
    }

    @Test
    void events_matchTheirSchemas() {
        assertEvent("apps.app.created", AppEvent.of(APP));
        assertEvent("apps.app.updated", AppEvent.of(APP));
        assertEvent("catalog.app.snapshot", Snapshot.of(APP));
    }
}
