package dev.slipway.standalone;

import dev.slipway.contract.RoleRegistry;

import java.util.stream.Collectors;
import java.util.stream.Stream;

import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** What a request that is refused must leave as it was. */
final class PlatformState {
    private PlatformState() {}

    /** The catalog follows IAM's scopes: what it writes of them is none of the requests' doing. */
    static void settled(PlatformUnderTest platform) {
        eventually(() -> assertThat(
                        platform.database().query("SELECT count(*) FROM catalog.registry_entries WHERE kind = 'scope'"))
                .isEqualTo(String.valueOf(RoleRegistry.load().actions().size())));
    }

    /**
     * Everything that a request could have changed: instances, and whether any service wrote to its outbox. The catalog does so every ten
     * seconds by itself: of it, the last transaction that wrote to its tables.
     */
    static String of(PlatformUnderTest platform) {
        var catalog = Stream.of(
                        "app_catalog",
                        "app_versions",
                        "project_app_entitlements",
                        "registry_versions",
                        "policy_versions",
                        "artifact_history",
                        "artifact_intents")
                .map(table -> "(SELECT max(xmin::text::bigint) FROM catalog." + table + ")")
                .collect(Collectors.joining(", "));
        return platform.database().query("""
                SELECT concat_ws(' ', (SELECT count(*) FROM instances.app_instances),
                    (SELECT last_value FROM instances.outbox_seq_seq), (SELECT last_value FROM iam.outbox_seq_seq),
                    (SELECT last_value FROM metering.outbox_seq_seq), (SELECT last_value FROM audit.outbox_seq_seq), %s)
                """.formatted(catalog));
    }
}
