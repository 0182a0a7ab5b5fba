package dev.slipway.catalog.app.version;

import dev.slipway.catalog.app.LaunchFields;
import dev.slipway.catalog.app.manifest.ManifestProblem;
import dev.slipway.catalog.app.manifest.ManifestProblem.Code;
import dev.slipway.catalog.app.version.VersionJson.AdminVersionResponse;
import dev.slipway.catalog.app.version.VersionJson.LaunchSchemaResponse;
import dev.slipway.catalog.app.version.VersionJson.ManifestReport;
import dev.slipway.catalog.app.version.VersionJson.Snapshot;
import dev.slipway.catalog.app.version.VersionJson.VersionChanged;
import dev.slipway.catalog.app.version.VersionJson.VersionFields;
import dev.slipway.catalog.app.version.VersionJson.VersionResponse;
import dev.slipway.catalog.app.version.domain.AppVersion;
import dev.slipway.catalog.app.version.domain.AppVersion.Status;
import dev.slipway.catalog.app.version.domain.VersionEvent;
import dev.slipway.catalog.policy.domain.Eligibility;
import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.time.LocalDate;
import java.util.List;
import java.util.UUID;

import static dev.slipway.catalog.ContractAssertions.assertEvent;
import static dev.slipway.catalog.ContractAssertions.assertSchema;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

class VersionJsonTest {
    private static final AppVersion VERSION = new AppVersion(
            new UUID(0, 1),
            new UUID(0, 2),
            "echo",
            "1.0.0",
            "bare_metal",
            Status.DEPRECATED,
            "{\"app\": \"echo\"}",
            "sha256:" + "0".repeat(64),
            LocalDate.parse("2027-01-01"),
            "2.0.0",
            "{\"scope\": {\"apps.instance.report\": 1}}",
            4,
            Instant.EPOCH,
            Instant.EPOCH,
            Instant.EPOCH,
            null);

    @Test
    void responses_matchTheContract() {
        var launch = LaunchFields.of(new Eligibility(false, "app_not_entitled"));
        var problems = List.of(new ManifestProblem("/app", Code.UNKNOWN_ACTION, "is unknown"));

        var plain = assertSchema("AppVersion", new VersionResponse(VersionFields.of(VERSION), null));
        var viewed = assertSchema("AppVersion", new VersionResponse(VersionFields.of(VERSION), launch));
        var admin = assertSchema("AdminAppVersion", AdminVersionResponse.of(VERSION, 2, problems));
        assertSchema("ManifestReport", new ManifestReport(false, null, problems));
        assertSchema("LaunchSchema", LaunchSchemaResponse.of(VERSION));

        assertThat(plain.has("launchable")).isFalse();
        assertThat(plain.path("deprecation_date").asText()).isEqualTo("2027-01-01");
        assertThat(viewed.path("not_launchable_reason").asText()).isEqualTo("app_not_entitled");
        assertThat(admin.at("/problems/0/code").asText()).isEqualTo("unknown_action");
    }

    @Test
    void events_matchTheirSchemas() {
        for (var event : List.of(
                new VersionEvent.Published(),
                new VersionEvent.MarkedDeprecated(),
                new VersionEvent.Disabled(),
                new VersionEvent.Retired())) {
            var json = assertEvent(requireNonNull(VersionJson.eventType(event)), VersionChanged.of(VERSION, event));
            assertThat(json.has("successor")).isEqualTo(event instanceof VersionEvent.MarkedDeprecated);
        }
        assertEvent("catalog.version.snapshot", Snapshot.of(VERSION));
        assertThat(VersionJson.eventType(new VersionEvent.Replaced())).isNull();
        assertThat(VersionJson.eventType(new VersionEvent.Discarded())).isNull();
    }
}
