package dev.slipway.catalog.artifact.domain;

import dev.slipway.catalog.artifact.domain.Artifact.Channel;
import dev.slipway.catalog.artifact.domain.Artifact.Kind;
import dev.slipway.catalog.artifact.domain.Artifact.Lifecycle;
import dev.slipway.catalog.artifact.domain.Artifact.Trust;
import dev.slipway.catalog.artifact.domain.Artifact.Visibility;
import dev.slipway.catalog.artifact.domain.ArtifactDecision.Accepted;
import dev.slipway.catalog.artifact.domain.ArtifactDecision.Refused;
import dev.slipway.catalog.artifact.domain.ArtifactType.Signing;
import dev.slipway.catalog.artifact.domain.Verification.Check;
import dev.slipway.catalog.artifact.source.domain.Digest;
import dev.slipway.testkit.Proves;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

/** Every command in every state, with one line of expected outcome each. */
class ArtifactLifecycleTest {
    private static final Instant THEN = Instant.parse("2026-01-01T00:00:00Z");
    private static final Instant NOW = Instant.parse("2026-01-02T00:00:00Z");
    private static final Verification GOOD = new Verification(NOW, List.of(Check.passed("digest")));
    private static final Verification BAD =
            new Verification(NOW, List.of(Check.passed("digest"), Check.failed("signature", "there is none")));
    private static final ArtifactType TYPE =
            new ArtifactType("app_bundle", 1, true, Signing.SIGNATURE, List.of(Channel.values()), List.of());

    @Test
    @Proves("3.114")
    void verify_hasAnOutcome_inEveryState() {
        assertThat(table(current -> ArtifactLifecycle.verify(current, GOOD, NOW)))
                .isEqualTo("""
                published  unverified           → published verified, verified
                published  verified             → published verified, verified
                published  failed_verification  → published verified, verified
                published  revoked              ✗ artifact_revoked
                promoted   unverified           → promoted verified, verified
                promoted   verified             → promoted verified, verified
                promoted   failed_verification  → promoted verified, verified
                promoted   revoked              ✗ artifact_revoked
                deprecated unverified           → deprecated verified, verified
                deprecated verified             → deprecated verified, verified
                deprecated failed_verification  → deprecated verified, verified
                deprecated revoked              ✗ artifact_revoked
                retired    unverified           ✗ state_conflict
                retired    verified             ✗ state_conflict
                retired    failed_verification  ✗ state_conflict
                retired    revoked              ✗ state_conflict
                """);
    }

    @Test
    void verify_failsVerification_whenACheckFails() {
        for (var trust : List.of(Trust.UNVERIFIED, Trust.VERIFIED, Trust.FAILED_VERIFICATION)) {
            var done = (Accepted) ArtifactLifecycle.verify(artifact(Lifecycle.PROMOTED, trust, Channel.TEST), BAD, NOW);

            assertThat(done.next().trust()).isEqualTo(Trust.FAILED_VERIFICATION);
            assertThat(done.next().trustReason()).isEqualTo("signature: there is none");
            assertThat(done.next().lifecycle()).isEqualTo(Lifecycle.PROMOTED);
            assertThat(done.event()).isEqualTo(new ArtifactEvent.VerificationFailed(trust, "signature: there is none"));
        }
    }

    @Test
    void verify_failsVerification_whenNothingWasChecked() {
        var done = (Accepted) ArtifactLifecycle.verify(
                artifact(Lifecycle.PUBLISHED, Trust.UNVERIFIED, null), new Verification(NOW, List.of()), NOW);

        assertThat(done.next().trust()).isEqualTo(Trust.FAILED_VERIFICATION);
    }

    @Test
    @Proves("3.114")
    void promote_hasAnOutcome_inEveryState() {
        assertThat(table(current -> ArtifactLifecycle.promote(current, TYPE, Channel.DEV, null, NOW)))
                .isEqualTo("""
                published  unverified           ✗ artifact_unverified
                published  verified             → promoted verified, promoted
                published  failed_verification  ✗ artifact_verification_failed
                published  revoked              ✗ artifact_revoked
                promoted   unverified           ✗ artifact_unverified
                promoted   verified             → promoted verified
                promoted   failed_verification  ✗ artifact_verification_failed
                promoted   revoked              ✗ artifact_revoked
                deprecated unverified           ✗ artifact_unverified
                deprecated verified             ✗ state_conflict
                deprecated failed_verification  ✗ artifact_verification_failed
                deprecated revoked              ✗ artifact_revoked
                retired    unverified           ✗ artifact_unverified
                retired    verified             ✗ state_conflict
                retired    failed_verification  ✗ artifact_verification_failed
                retired    revoked              ✗ artifact_revoked
                """);
    }

    @Test
    void promote_requiresChannelsInOrder() {
        var channels = new ArrayList<@Nullable Channel>(List.of(Channel.values()));
        channels.add(0, null);
        for (var from : channels) {
            for (var to : Channel.values()) {
                var current = artifact(from == null ? Lifecycle.PUBLISHED : Lifecycle.PROMOTED, Trust.VERIFIED, from);
                var expected = channels.indexOf(to) == channels.indexOf(from) + 1
                        ? "→ promoted verified, promoted"
                        : to == from ? "→ promoted verified" : "✗ channel_out_of_order";

                assertThat(text(ArtifactLifecycle.promote(current, TYPE, to, null, NOW)))
                        .as("%s to %s", from, to)
                        .isEqualTo(expected);
            }
        }
    }

    @Test
    void promote_skipsChannels_thatTheTypeDoesNotUse() {
        var examples =
                new ArtifactType("sdk_example", 1, false, Signing.NONE, List.of(Channel.DEV, Channel.PROD), List.of());
        var current = artifact(Lifecycle.PROMOTED, Trust.VERIFIED, Channel.DEV);

        assertThat(text(ArtifactLifecycle.promote(current, examples, Channel.TEST, null, NOW)))
                .isEqualTo("✗ channel_out_of_order");
        var done = (Accepted) ArtifactLifecycle.promote(current, examples, Channel.PROD, "enough", NOW);
        assertThat(done.next().channel()).isEqualTo(Channel.PROD);
        assertThat(done.event()).isEqualTo(new ArtifactEvent.Promoted(Channel.DEV, "enough"));
    }

    @Test
    void promote_refuses_whenTypeIsInactive() {
        assertThat(text(ArtifactLifecycle.promote(
                        artifact(Lifecycle.PUBLISHED, Trust.VERIFIED, null), null, Channel.DEV, null, NOW)))
                .isEqualTo("✗ artifact_type_inactive");
    }

    @Test
    @Proves("3.114")
    void deprecate_hasAnOutcome_inEveryState() {
        assertThat(table(current -> ArtifactLifecycle.deprecate(current, "old", NOW)))
                .isEqualTo(forEveryTrust(
                        "→ deprecated %s, deprecated",
                        "→ deprecated %s, deprecated", "→ deprecated %s", "✗ state_conflict"));
    }

    @Test
    @Proves("3.114")
    void retire_hasAnOutcome_inEveryState() {
        assertThat(table(current -> ArtifactLifecycle.retire(current, "gone", NOW)))
                .isEqualTo(forEveryTrust(
                        "→ retired %s, retired", "✗ state_conflict", "→ retired %s, retired", "→ retired %s"));
    }

    @Test
    @Proves("3.114")
    void revoke_hasAnOutcome_inEveryState() {
        var expected = new StringBuilder();
        for (var lifecycle : Lifecycle.values()) {
            for (var trust : Trust.values()) {
                expected.append("%-10s %-19s  → %s revoked%s%n"
                        .formatted(
                                lifecycle.text(),
                                trust.text(),
                                lifecycle.text(),
                                trust == Trust.REVOKED ? "" : ", revoked"));
            }
        }

        assertThat(table(current -> ArtifactLifecycle.revoke(current, "broken", NOW)))
                .isEqualTo(expected.toString());
    }

    @Test
    void sequence_increases_onlyWhenTheArtifactChanges() {
        var current = artifact(Lifecycle.PUBLISHED, Trust.VERIFIED, null);

        var changed = ((Accepted) ArtifactLifecycle.deprecate(current, "old", NOW)).next();
        var again = ((Accepted) ArtifactLifecycle.deprecate(changed, "old", NOW.plusSeconds(1))).next();

        assertThat(changed.sequence()).isEqualTo(current.sequence() + 1);
        assertThat(changed.updatedAt()).isEqualTo(NOW);
        assertThat(again).isEqualTo(changed);
    }

    @Test
    void digest_rejectsNonCanonicalText() {
        var hex = "0".repeat(64);
        for (var bad : List.of(
                hex,
                "sha256:" + hex.substring(1),
                "sha256:" + "A".repeat(64),
                "SHA256:" + hex,
                "sha512:" + hex,
                "sha256:" + hex + "0",
                "sha256:" + hex + "\n",
                "",
                " sha256:" + hex)) {
            assertThat(Digest.isCanonical(bad)).as(bad).isFalse();
        }
        assertThat(new Digest("sha256:" + hex).hex()).isEqualTo(hex);
    }

    /** Returns one outcome per lifecycle state, in order. */
    private static String forEveryTrust(String... answers) {
        var answer = List.of(answers).iterator();
        var expected = new StringBuilder();
        for (var lifecycle : Lifecycle.values()) {
            var next = answer.next();
            for (var trust : Trust.values()) {
                expected.append("%-10s %-19s  ".formatted(lifecycle.text(), trust.text()))
                        .append(next.replace("%s", trust.text()))
                        .append('\n');
            }
        }
        return expected.toString();
    }

    private static String table(Function<Artifact, ArtifactDecision> command) {
        var table = new StringBuilder();
        for (var lifecycle : Lifecycle.values()) {
            for (var trust : Trust.values()) {
                var channel = lifecycle == Lifecycle.PUBLISHED ? null : Channel.DEV;
                table.append("%-10s %-19s  ".formatted(lifecycle.text(), trust.text()))
                        .append(text(command.apply(artifact(lifecycle, trust, channel))))
                        .append('\n');
            }
        }
        return table.toString();
    }

    private static String text(ArtifactDecision artifactDecision) {
        if (artifactDecision instanceof Refused refused) {
            return "✗ " + refused.code();
        }
        var accepted = (Accepted) artifactDecision;
        var event = accepted.event();
        return "→ " + accepted.next().lifecycle().text() + " "
                + accepted.next().trust().text()
                + (event == null ? "" : ", " + requireNonNull(event).name());
    }

    @Test
    void withRevokedDigest_overridesTheTrustOfTheVerification() {
        var revoked = artifact(Lifecycle.PUBLISHED, Trust.VERIFIED, null).withRevokedDigest("leaked key");

        assertThat(revoked.trust()).isEqualTo(Trust.REVOKED);
        assertThat(revoked.trustReason()).isEqualTo("leaked key");
        assertThat(revoked.sequence()).isEqualTo(7);
    }

    private static Artifact artifact(Lifecycle lifecycle, Trust trust, @Nullable Channel channel) {
        var id = new UUID(0, 1);
        return new Artifact(
                id,
                "slipway:local:o:p:artifact:a",
                id,
                id,
                null,
                "app_bundle",
                1,
                Kind.OCI,
                new Artifact.Source("oci", "oci://registry.example.com/apps/echo", null, null, null),
                "registry.example.com/apps/echo",
                null,
                new Digest("sha256:" + "0".repeat(64)),
                null,
                1,
                Visibility.PROJECT,
                lifecycle,
                trust,
                null,
                channel,
                null,
                id,
                id,
                7,
                THEN,
                THEN,
                null);
    }
}
