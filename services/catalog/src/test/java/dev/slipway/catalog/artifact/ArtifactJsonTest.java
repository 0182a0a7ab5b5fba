package dev.slipway.catalog.artifact;

import dev.slipway.catalog.artifact.ArtifactJson.ArtifactResponse;
import dev.slipway.catalog.artifact.ArtifactJson.HistoryEntry;
import dev.slipway.catalog.artifact.ArtifactJson.RevokedDigestSnapshot;
import dev.slipway.catalog.artifact.ArtifactJson.VerificationFields;
import dev.slipway.catalog.artifact.DigestUsageStore.DigestUsage;
import dev.slipway.catalog.artifact.DigestUsageStore.RunningInstance;
import dev.slipway.catalog.artifact.domain.Artifact;
import dev.slipway.catalog.artifact.domain.Artifact.Channel;
import dev.slipway.catalog.artifact.domain.Artifact.Kind;
import dev.slipway.catalog.artifact.domain.Artifact.Lifecycle;
import dev.slipway.catalog.artifact.domain.Artifact.Trust;
import dev.slipway.catalog.artifact.domain.Artifact.Visibility;
import dev.slipway.catalog.artifact.domain.ArtifactEvent;
import dev.slipway.catalog.artifact.domain.Verification;
import dev.slipway.catalog.artifact.domain.Verification.Check;
import dev.slipway.catalog.artifact.source.domain.Digest;
import dev.slipway.contract.Json;
import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.util.List;
import java.util.UUID;

import static dev.slipway.catalog.ContractAssertions.assertEvent;
import static dev.slipway.catalog.ContractAssertions.assertSchema;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

class ArtifactJsonTest {
    private static final UUID ID = new UUID(0, 1);
    private static final Verification VERIFICATION = new Verification(
            Instant.EPOCH,
            List.of(Check.passed("digest"), Check.failed("content", "missing"), Check.notRequired("signature")));
    private static final Artifact ARTIFACT = new Artifact(
            ID,
            "slipway:local:o:p:artifact:a",
            ID,
            ID,
            "echo",
            "app_bundle",
            1,
            Kind.OCI,
            new Artifact.Source("oci", "oci://registry.example.com/apps/echo", null, 7L, null),
            "registry.example.com/apps/echo",
            null,
            new Digest("sha256:" + "0".repeat(64)),
            null,
            7,
            Visibility.PROJECT,
            Lifecycle.PROMOTED,
            Trust.FAILED_VERIFICATION,
            "content: missing",
            Channel.DEV,
            VERIFICATION,
            ID,
            ID,
            7,
            Instant.EPOCH,
            Instant.EPOCH,
            null);

    @Test
    void responses_matchTheContract() {
        var json = assertSchema("AppArtifact", ArtifactResponse.of(ARTIFACT));
        assertSchema(
                "ArtifactHistoryEntry",
                new HistoryEntry(
                        ID,
                        1,
                        "registered",
                        "published",
                        null,
                        "unverified",
                        null,
                        null,
                        ID,
                        "user",
                        "c-1",
                        Instant.EPOCH));

        assertThat(json.at("/source/size_bytes").asLong()).isEqualTo(7);
        assertThat(json.path("source").has("source_ref")).isFalse();
        assertThat(json.path("trust_state").asText()).isEqualTo("failed_verification");
        assertThat(json.at("/verification/checks/2/result").asText()).isEqualTo("not_required");
    }

    @Test
    void events_matchTheirSchemas() {
        var usage = new DigestUsage(1, List.of(new RunningInstance(ID, ID, ID)));
        for (var event : List.of(
                new ArtifactEvent.Registered(),
                new ArtifactEvent.Verified(Trust.UNVERIFIED),
                new ArtifactEvent.VerificationFailed(Trust.UNVERIFIED, "no signature"),
                new ArtifactEvent.Promoted(null, null),
                new ArtifactEvent.MarkedDeprecated("old"),
                new ArtifactEvent.Retired("old"),
                new ArtifactEvent.Revoked(Trust.VERIFIED, "leaked"))) {
            assertEvent("apps.artifact." + event.name(), ArtifactJson.payload(ARTIFACT, event, ID, usage));
        }
        assertEvent(
                "catalog.revoked_digest.snapshot",
                new RevokedDigestSnapshot(ARTIFACT.digest().text(), Instant.EPOCH, 1));
    }

    @Test
    void verification_isEqual_afterStoring() {
        var stored = Json.text(requireNonNull(VerificationFields.of(VERIFICATION)));

        assertThat(VerificationFields.parse(stored)).isEqualTo(VERIFICATION);
    }
}
