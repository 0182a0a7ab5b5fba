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
     * Returns a fingerprint of IAM's outbox, and of the tables that only requests change in the services that also publish by themselves:
     * results of consistency checks, heartbeats of the catalog, checkpoints of the audit log, which has every refusal.
     */
    static String of(PlatformUnderTest platform) {
        var lastWrites = Stream.of(
                        "instances.app_instances",
                        "instances.app_instance_operations",
                        "instances.shared_runtimes",
                        "metering.billing_accounts",
                        "metering.budgets",
                        "metering.prices",
                        "metering.cost_split_policies",
                        "metering.ledger_transactions",
                        "metering.usage_facts",
                        "catalog.app_catalog",
                        "catalog.app_versions",
                        "catalog.project_app_entitlements",
                        "catalog.registry_versions",
                        "catalog.policy_versions",
                        "catalog.artifact_history",
                        "catalog.artifact_intents",
                        "audit.log_holds",
                        "audit.release_candidates",
                        "audit.evidence_items",
                        "audit.release_waivers",
                        "audit.gate_verdicts",
                        "audit.status_component_settings",
                        "audit.incidents",
                        "audit.incident_updates",
                        "audit.incident_alerts",
                        "audit.maintenance",
                        "tenants.tenants",
                        "tenants.deployments",
                        "tenants.tenant_apps")
                .map(table -> "(SELECT concat_ws('/', count(*), max(xmin::text::bigint)) FROM " + table + ")")
                .collect(Collectors.joining(", "));
        return platform.database()
                .query("SELECT concat_ws(' ', (SELECT last_value FROM iam.outbox_seq_seq), " + lastWrites + ")");
    }
}
