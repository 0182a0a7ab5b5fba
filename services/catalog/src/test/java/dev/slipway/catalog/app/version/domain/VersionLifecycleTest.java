package dev.slipway.catalog.app.version.domain;

import dev.slipway.catalog.app.version.domain.AppVersion.ManifestContent;
import dev.slipway.catalog.app.version.domain.AppVersion.Status;
import dev.slipway.catalog.app.version.domain.VersionDecision.Accepted;
import dev.slipway.catalog.app.version.domain.VersionDecision.Refused;
import dev.slipway.catalog.app.version.domain.VersionDecision.Unchanged;
import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.time.LocalDate;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;

import static org.assertj.core.api.Assertions.assertThat;

class VersionLifecycleTest {
    private static final Instant THEN = Instant.parse("2026-01-01T00:00:00Z");
    private static final Instant NOW = Instant.parse("2026-02-01T00:00:00Z");
    private static final LocalDate UNTIL = LocalDate.parse("2026-12-31");
    private static final ManifestContent CONTENT = new ManifestContent("k8s", "{\"new\":true}", "sha256:new");
    private static final Map<String, Function<AppVersion, VersionDecision>> COMMANDS = commands();

    private static final String TABLE = """
            command        draft               active              deprecated          disabled            retired
            replace        draft Replaced      version_immutable   version_immutable   version_immutable   version_immutable
            replace same   same                version_immutable   version_immutable   version_immutable   version_immutable
            replace late   precondition_failed      version_immutable   version_immutable   version_immutable   version_immutable
            publish        active Published    same                state_conflict      state_conflict      state_conflict
            deprecate      state_conflict      deprecated MarkedDeprecated deprecated MarkedDeprecated state_conflict  state_conflict
            disable        state_conflict      disabled Disabled   disabled Disabled   same                state_conflict
            retire         retired Discarded   state_conflict      state_conflict      retired Retired     same
            retire in use  retired Discarded   state_conflict      state_conflict      not_empty           same
            """;

    @Test
    void everyCommand_hasAnOutcome_inEveryStatus() {
        var actual = COMMANDS.entrySet().stream()
                .map(command -> command.getKey() + ": "
                        + java.util.Arrays.stream(Status.values())
                                .map(status -> describe(command.getValue().apply(version(status))))
                                .collect(Collectors.joining(" | ")))
                .collect(Collectors.joining("\n"));

        assertThat(actual.lines().map(VersionLifecycleTest::words).toList())
                .isEqualTo(
                        TABLE.lines().skip(1).map(VersionLifecycleTest::words).toList());
    }

    @Test
    void register_createsUnpublishedDraft() {
        var draft = VersionLifecycle.register(UUID.randomUUID(), UUID.randomUUID(), "app", "1", CONTENT, NOW);

        assertThat(draft.status()).isEqualTo(Status.DRAFT);
        assertThat(draft.publishedAt()).isNull();
        assertThat(draft.manifestDigest()).isEqualTo("sha256:new");
    }

    @Test
    void publish_keepsManifest_andRecordsRegistryVersions() {
        var draft = version(Status.DRAFT);

        var published = next(VersionLifecycle.publish(draft, "{\"scope\":{\"a.b\":3}}", NOW));

        assertThat(published.manifest()).isEqualTo(draft.manifest());
        assertThat(published.manifestDigest()).isEqualTo(draft.manifestDigest());
        assertThat(published.registryVersions()).isEqualTo("{\"scope\":{\"a.b\":3}}");
        assertThat(published.publishedAt()).isEqualTo(NOW);
        assertThat(published.revision()).isEqualTo(draft.revision() + 1);
    }

    @Test
    void deprecate_updatesDateAndSuccessor_andIsUnchanged_whenEqual() {
        var deprecated = next(VersionLifecycle.deprecate(version(Status.ACTIVE), UNTIL, "2", NOW));

        assertThat(deprecated.deprecationDate()).isEqualTo(UNTIL);
        assertThat(deprecated.successor()).isEqualTo("2");
        assertThat(VersionLifecycle.deprecate(deprecated, UNTIL, "2", NOW)).isEqualTo(new Unchanged(deprecated));
        assertThat(next(VersionLifecycle.deprecate(deprecated, null, "3", NOW)).successor())
                .isEqualTo("3");
        assertThat(next(VersionLifecycle.disable(deprecated, NOW)).successor()).isEqualTo("2");
    }

    private static Map<String, Function<AppVersion, VersionDecision>> commands() {
        var commands = new LinkedHashMap<String, Function<AppVersion, VersionDecision>>();
        var same = new ManifestContent("k8s", "{}", "sha256:old");
        commands.put("replace", v -> VersionLifecycle.replace(v, CONTENT, "sha256:old", NOW));
        commands.put("replace same", v -> VersionLifecycle.replace(v, same, null, NOW));
        commands.put("replace late", v -> VersionLifecycle.replace(v, CONTENT, "sha256:older", NOW));
        commands.put("publish", v -> VersionLifecycle.publish(v, "{}", NOW));
        commands.put("deprecate", v -> VersionLifecycle.deprecate(v, UNTIL, null, NOW));
        commands.put("disable", v -> VersionLifecycle.disable(v, NOW));
        commands.put("retire", v -> VersionLifecycle.retire(v, 0, NOW));
        commands.put("retire in use", v -> VersionLifecycle.retire(v, 2, NOW));
        return commands;
    }

    private static String describe(VersionDecision versionDecision) {
        if (versionDecision instanceof Accepted accepted) {
            return accepted.next().status().text() + " "
                    + accepted.event().getClass().getSimpleName();
        }
        return versionDecision instanceof Refused refused ? refused.code() : "same";
    }

    private static String words(String line) {
        return line.replaceAll("[|:]", " ").replaceAll("\\s+", " ").strip();
    }

    private static AppVersion next(VersionDecision versionDecision) {
        return ((Accepted) versionDecision).next();
    }

    private static AppVersion version(Status status) {
        return new AppVersion(
                UUID.fromString("01900000-0000-7000-8000-000000000001"),
                UUID.fromString("01900000-0000-7000-8000-000000000002"),
                "app",
                "1",
                "k8s",
                status,
                "{}",
                "sha256:old",
                null,
                null,
                "{}",
                4,
                THEN,
                THEN,
                status == Status.DRAFT ? null : THEN,
                null);
    }
}
