package dev.slipway.audit.status.slo;

import dev.slipway.audit.status.slo.domain.Slo;
import dev.slipway.audit.status.slo.domain.Slo.Indicator.Kind;
import dev.slipway.service.ServiceLevelIndicator;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

import static org.assertj.core.api.Assertions.assertThat;

class SloRegistryTest {
    private final SloRegistry registry = SloRegistry.load();

    /** The targets of the nine shared services, in milliseconds; those without a number are not built yet. */
    @Test
    @Proves("3.81")
    void objectives_coverTheNineSharedServices_withTheirTargets() {
        assertThat(registry.objectives().stream().map(Slo::service))
                .containsExactlyInAnyOrder(
                        "iam",
                        "metering",
                        "payments",
                        "audit",
                        "status",
                        "notification",
                        "registry",
                        "secrets",
                        "policy");
        assertThat(registry.measured().stream().collect(Collectors.toMap(Slo::service, SloRegistryTest::threshold)))
                .isEqualTo(Map.of(
                        "iam",
                        20L,
                        "metering",
                        30_000L,
                        "audit",
                        50L,
                        "status",
                        100L,
                        "registry",
                        50L,
                        "policy",
                        300_000L));
        assertThat(registry.objectives()).allSatisfy(slo -> {
            assertThat(slo.objective()).isBetween(0.5, 0.9999);
            assertThat(slo.failureBehaviour()).isNotBlank();
            assertThat(slo.target()).isNotBlank();
        });
    }

    @Test
    void measured_haveABucketForTheirThreshold() {
        assertThat(registry.measured().stream()
                        .filter(slo -> slo.indicator().kind() == Kind.LATENCY)
                        .map(slo -> Duration.ofMillis(threshold(slo))))
                .isNotEmpty()
                .allMatch(ServiceLevelIndicator.THRESHOLDS::contains);
    }

    private static long threshold(Slo slo) {
        return Objects.requireNonNull(slo.indicator().thresholdMs());
    }
}
