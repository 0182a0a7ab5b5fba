package dev.slipway.instances.appinstance.domain;

import dev.slipway.instances.appinstance.domain.InstanceDecision.Accepted;
import dev.slipway.instances.launch.domain.Launch;
import dev.slipway.instances.launch.domain.LaunchEligibility;
import dev.slipway.instances.launch.domain.LaunchEligibility.Policy;
import dev.slipway.instances.launch.domain.LaunchEligibility.Version;
import dev.slipway.instances.launch.domain.LifecycleSettings;
import dev.slipway.instances.launch.domain.ManifestSpec;
import dev.slipway.instances.launch.domain.Placement;
import dev.slipway.instances.launch.domain.ResolvedConfig;
import dev.slipway.instances.launch.domain.UpgradeRule;
import dev.slipway.instances.member.domain.Component;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

import static org.assertj.core.api.Assertions.assertThat;

/** A valid launch, and the values that its instance has. */
final class LaunchFixture {
    static final Instant CREATED = Instant.parse("2026-01-01T00:00:00Z");
    static final Instant NOW = CREATED.plusSeconds(60);
    static final UUID ID = new UUID(0, 1);
    static final UUID PROJECT = new UUID(0, 2);
    static final UUID ORG = new UUID(0, 3);
    static final UUID APP = new UUID(0, 4);
    static final UUID ACCOUNT = new UUID(0, 5);
    static final UUID PERSON = new UUID(0, 6);
    static final Version ACTIVE = new Version(new UUID(0, 7), "bare_metal");
    static final Placement ANYWHERE = Placement.UNSPECIFIED;
    static final Policy POLICY = new Policy("p1", ANYWHERE);
    static final ManifestSpec MANIFEST = new ManifestSpec(
            "{}",
            LifecycleSettings.DEFAULT,
            new ManifestSpec.Deadlines(
                    Duration.ofMinutes(1), Duration.ofMinutes(2), Duration.ofMinutes(3), Duration.ofMinutes(4)),
            new UpgradeRule("in_place", List.of()),
            new UpgradeRule("in_place", List.of()),
            List.of(new Component("worker", 1, 3, 2, Set.of())),
            Set.of(),
            ManifestSpec.SharedRuntimeSupport.NONE);
    static final Launch LAUNCH = new Launch(
            PROJECT,
            "echo",
            "1.0.0",
            "Mine",
            "tenant_dedicated",
            "project",
            null,
            "{\"a\":1}",
            PERSON,
            ACCOUNT,
            ANYWHERE,
            Map.of(),
            null);

    private LaunchFixture() {}

    static InstanceDecision request(Launch launch, LaunchEligibility launchEligibility) {
        return InstanceLifecycle.request(
                launch,
                launchEligibility,
                MANIFEST,
                new ResolvedConfig(launch.config(), List.of()),
                ID,
                "slipway:name",
                NOW);
    }

    static LaunchEligibility eligibility() {
        return new LaunchEligibility(ORG, APP, ACTIVE, POLICY, ACCOUNT, null);
    }

    static Accepted accepted(InstanceDecision instanceDecision) {
        assertThat(instanceDecision).isInstanceOf(Accepted.class);
        return (Accepted) instanceDecision;
    }
}
