package dev.slipway.standalone;

import dev.slipway.contract.RoleRegistry;

import java.util.stream.Collectors;
import java.util.stream.Stream;

import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** A snapshot of everything that a refused request must not change. */
final class PlatformState {
    private PlatformState() {}

    /** Waits until the catalog has replicated IAM's actions, which is not caused by a request. */
    static void awaitStable(PlatformUnderTest platform) {
        eventually(() -> assertThat(
                        platform.database().query("SELECT count(*) FROM catalog.registry_entries WHERE kind = 'scope'"))
                .isEqualTo(String.valueOf(RoleRegistry.load().actions().size())));
    }

    /**
     * Returns a fingerprint of instances, outboxes and the catalog's last write. The catalog publishes heartbeats by itself, so its
     * outbox is not part of it.
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
                    (SELECT last_value FROM metering.outbox_seq_seq), (SELECT count(*) FROM audit.log_holds), %s)
                """.formatted(catalog));
    }
}
