package dev.slipway.catalog.artifact;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.catalog.artifact.ArtifactTypeLookup.TypeEntry;
import dev.slipway.catalog.artifact.domain.Artifact.Channel;
import dev.slipway.catalog.artifact.domain.Artifact.Trust;
import dev.slipway.catalog.artifact.domain.ArtifactType.Signing;
import dev.slipway.contract.Json;
import dev.slipway.contract.RegistrySeeds;
import dev.slipway.contract.domain.RegistryKind;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.List;
import java.util.UUID;

import static org.assertj.core.api.Assertions.assertThat;

class ArtifactTypeLookupTest {
    @Test
    void fromEntry_requiresAttestation_whenEntryIsNotUnderstood() {
        var type = ArtifactTypeLookup.fromEntry(entry(Json.object().put("signing_requirement", "a promise")));

        assertThat(type.signing()).isEqualTo(Signing.ATTESTATION);
        assertThat(type.channels()).isEmpty();
    }

    @Test
    void fromEntry_ordersChannels() {
        var body = Json.object().put("signing_requirement", "none").put("deployable", false);
        body.putObject("promotion_policy")
                .putArray("channels")
                .add("prod")
                .add("dev")
                .add("moon");

        var type = ArtifactTypeLookup.fromEntry(entry(body));

        assertThat(type.channels()).containsExactly(Channel.DEV, Channel.PROD);
        assertThat(type.deployable()).isFalse();
    }

    @Test
    @Proves("3.36")
    void artifactTypeSeeds_haveTrustStatesSigningAndPromotion() {
        var seeds = RegistrySeeds.load().entries().stream()
                .filter(entry -> entry.kind() == RegistryKind.ARTIFACT_TYPE)
                .toList();

        assertThat(seeds).extracting(RegistrySeeds.Entry::id).contains("app_bundle", "runtime_image", "sdk_example");
        assertThat(seeds).allSatisfy(seed -> {
            var states = Arrays.stream(Trust.values()).map(Trust::text).toList();
            assertThat(seed.body().path("trust_states"))
                    .extracting(node -> node.asText())
                    .containsExactlyElementsOf(states);
            assertThat(seed.body().path("signing_requirement").asText()).isIn("none", "signature", "attestation");
            assertThat(seed.body().at("/promotion_policy/requires_trust").asText())
                    .isEqualTo("verified");
            assertThat(ArtifactTypeLookup.fromEntry(entry(seed.body())).channels())
                    .startsWith(Channel.DEV);
        });
    }

    @Test
    void belongsToOtherProject_isTrue_belowAnotherProjectsNamespace() {
        var own = new UUID(1, 1);
        var another = new UUID(1, 2);
        var source = new PlatformSource("shared", "oci", "registry.example.com", "slipway/apps", true, "service");

        assertThat(source.belongsToOtherProject(own, "slipway/apps/" + another + "/echo"))
                .isTrue();
        assertThat(source.belongsToOtherProject(own, "slipway/apps/" + another)).isTrue();
        for (var repository :
                List.of("slipway/apps/" + own + "/echo", "slipway/apps/library/echo", "slipway/appsx/" + another)) {
            assertThat(source.belongsToOtherProject(own, repository))
                    .as(repository)
                    .isFalse();
        }
    }

    private static TypeEntry entry(ObjectNode body) {
        return new TypeEntry("test", 1, Json.text(body));
    }
}
