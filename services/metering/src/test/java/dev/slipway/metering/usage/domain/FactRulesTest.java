package dev.slipway.metering.usage.domain;

import dev.slipway.metering.usage.domain.FactDecision.Rejected;
import dev.slipway.metering.usage.domain.FactDecision.Valid;
import dev.slipway.metering.usage.domain.ReporterScope.PlatformReporter;
import dev.slipway.metering.usage.domain.ReporterScope.ProjectReporter;
import dev.slipway.metering.usage.domain.ReporterScope.RuntimeReporter;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.util.List;
import java.util.UUID;

import static dev.slipway.metering.usage.domain.FactRulesFixture.FIRST;
import static dev.slipway.metering.usage.domain.FactRulesFixture.NOW;
import static dev.slipway.metering.usage.domain.FactRulesFixture.OF_SIBLING;
import static dev.slipway.metering.usage.domain.FactRulesFixture.ORG;
import static dev.slipway.metering.usage.domain.FactRulesFixture.PROJECT;
import static dev.slipway.metering.usage.domain.FactRulesFixture.RUNTIME;
import static dev.slipway.metering.usage.domain.FactRulesFixture.SECOND;
import static dev.slipway.metering.usage.domain.FactRulesFixture.SIBLING;
import static dev.slipway.metering.usage.domain.FactRulesFixture.ofRuntime;
import static org.assertj.core.api.Assertions.assertThat;

class FactRulesTest {
    private static final ReporterScope ACCOUNT = new ProjectReporter(ORG, PROJECT);
    private static final ReporterScope OPERATOR = new RuntimeReporter(ORG, RUNTIME);
    private static final ReporterScope PLATFORM = new PlatformReporter();
    private static final FactAttribution MODEL = FactAttribution.ofResource("model", "llama");
    private static final Instant YESTERDAY = NOW.minusSeconds(86_400);

    @Test
    void validate_rejectsASiblingAsSource_whetherOrNotItIsAttached() {
        var attached = rejected(ACCOUNT, YESTERDAY, ofRuntime(PROJECT, null, SIBLING));
        var unknown = rejected(ACCOUNT, YESTERDAY, ofRuntime(PROJECT, null, new UUID(9, 9)));

        assertThat(attached.field()).isEqualTo("source_project_id");
        assertThat(attached).isEqualTo(unknown);
        assertThat(valid(ACCOUNT, YESTERDAY, ofRuntime(PROJECT, null, PROJECT))
                        .attribution()
                        .sourceProjectId())
                .isEqualTo(PROJECT);
    }

    @Test
    void validate_acceptsASibling_whenTheOperatorOfTheRuntimeNamesIt() {
        assertThat(valid(OPERATOR, YESTERDAY, ofRuntime(PROJECT, null, SIBLING))
                        .attribution()
                        .attachmentId())
                .isEqualTo(SECOND);
        assertThat(valid(OPERATOR, YESTERDAY, ofRuntime(null, null, SIBLING))
                        .attribution()
                        .attachmentId())
                .isEqualTo(OF_SIBLING);
    }

    @Test
    void validate_choosesTheAttachment_thatExistedInTheWindow() {
        assertThat(valid(OPERATOR, Instant.parse("2026-06-03T10:00:00Z"), ofRuntime(PROJECT, null, null))
                        .attribution()
                        .attachmentId())
                .isEqualTo(FIRST);
        assertThat(rejected(OPERATOR, Instant.parse("2026-06-07T10:00:00Z"), ofRuntime(PROJECT, null, null))
                        .field())
                .isEqualTo("project_id");
        assertThat(rejected(OPERATOR, Instant.parse("2026-06-03T10:00:00Z"), ofRuntime(PROJECT, SECOND, null))
                        .field())
                .isEqualTo("attachment_id");
        // Overlaps the end of the first attachment only.
        assertThat(valid(OPERATOR, Instant.parse("2026-06-04T23:30:00Z"), ofRuntime(PROJECT, FIRST, null))
                        .attribution()
                        .attachmentId())
                .isEqualTo(FIRST);
    }

    @Test
    void validate_choosesTheAttachmentOfTheWindow_whenAnInstanceReportsLateAfterItsProjectWasAttachedAgain() {
        for (var scope : List.of(ACCOUNT, PLATFORM)) {
            assertThat(attachmentOf(scope, "2026-06-03T10:00:00Z", FactRulesFixture.INSTANCE))
                    .isEqualTo(FIRST);
            assertThat(attachmentOf(scope, "2026-06-12T10:00:00Z", FactRulesFixture.INSTANCE))
                    .isEqualTo(SECOND);
        }
    }

    @Test
    void validate_acceptsAnInstance_whoseAttachmentIsNotReplicatedYet() {
        for (var scope : List.of(ACCOUNT, PLATFORM)) {
            assertThat(attachmentOf(scope, "2026-06-03T10:00:00Z", FactRulesFixture.INSTANCE_OF_NEW_RUNTIME))
                    .isNull();
        }
    }

    @Test
    void validate_acceptsEarlierVersionsOfTheUnit_andKeepsThem() {
        for (var version = 1; version <= 3; version++) {
            var decision = FactRules.validate(
                    FactRulesFixture.fact(version, "token", YESTERDAY, MODEL),
                    ACCOUNT,
                    FactRulesFixture.context(),
                    NOW);
            assertThat(((Valid) decision).fact().unitVersion()).isEqualTo(version);
        }
        for (var version : new int[] {0, 4}) {
            var decision = FactRules.validate(
                    FactRulesFixture.fact(version, "token", YESTERDAY, MODEL),
                    ACCOUNT,
                    FactRulesFixture.context(),
                    NOW);
            assertThat(((Rejected) decision).field()).isEqualTo("unit_version");
        }
    }

    @Test
    void validate_distinguishesUnknownFromInactive_becauseOnlyTheFirstMayBeReplicatedLater() {
        var unknown = (Rejected) FactRules.validate(
                FactRulesFixture.fact(null, "none", YESTERDAY, MODEL), ACCOUNT, FactRulesFixture.context(), NOW);
        var retired = (Rejected) FactRules.validate(
                FactRulesFixture.fact(null, "call", YESTERDAY, MODEL), ACCOUNT, FactRulesFixture.context(), NOW);

        assertThat(unknown.isUnknown()).isTrue();
        assertThat(retired.isUnknown()).isFalse();
        assertThat(rejected(ACCOUNT, YESTERDAY, FactAttribution.ofInstance(new UUID(9, 9)))
                        .isUnknown())
                .isTrue();
        assertThat(rejected(ACCOUNT, NOW, MODEL).isUnknown()).isFalse();
    }

    private static @Nullable UUID attachmentOf(ReporterScope scope, String start, UUID instanceId) {
        return valid(scope, Instant.parse(start), FactAttribution.ofInstance(instanceId))
                .attribution()
                .attachmentId();
    }

    private static AttributedFact valid(ReporterScope scope, Instant start, FactAttribution attribution) {
        return ((Valid) decide(scope, start, attribution)).fact();
    }

    private static Rejected rejected(ReporterScope scope, Instant start, FactAttribution attribution) {
        return (Rejected) decide(scope, start, attribution);
    }

    private static FactDecision decide(ReporterScope scope, Instant start, FactAttribution attribution) {
        return FactRules.validate(
                FactRulesFixture.fact(null, "token", start, attribution), scope, FactRulesFixture.context(), NOW);
    }
}
