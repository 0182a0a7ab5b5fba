package dev.slipway.standalone;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.slipway.testkit.ApiClient.Call;

import java.util.UUID;

import static dev.slipway.testkit.Eventually.eventually;
import static dev.slipway.testkit.Eventually.eventuallyGet;
import static org.assertj.core.api.Assertions.assertThat;

/** Calls of the audit API. */
final class AuditCalls {
    private final PlatformUnderTest platform;

    AuditCalls(PlatformUnderTest platform) {
        this.platform = platform;
    }

    /** A call on the registry entry of an audit action. */
    Call registry(String operation, String action) {
        return platform.as("platform_superadmin")
                .call(operation)
                .path("kind", "audit_action")
                .path("entry_id", action);
    }

    /** Launches an instance and returns its entry in the log of the organization. */
    @CanIgnoreReturnValue
    JsonNode launch(String name) {
        var correlation = "audit-" + UUID.randomUUID();
        platform.launch("project_owner", name)
                .header("X-Correlation-ID", correlation)
                .send()
                .expect(202);
        var entry = find(correlation);
        eventually(() -> assertThat(organization("getOrganizationAuditCheckpoint", "tenant_owner", DemoData.ORG)
                        .send()
                        .expect(200)
                        .body()
                        .path("tree_size")
                        .asLong())
                .isGreaterThan(entry.path("sequence").asLong()));
        return entry;
    }

    /** Returns the only entry with the correlation id. */
    JsonNode find(String correlation) {
        return eventuallyGet(() -> {
            var found = organization("listOrganizationAuditEntries", "tenant_owner", DemoData.ORG)
                    .query("correlation_id=" + correlation)
                    .send()
                    .expect(200)
                    .body()
                    .path("items");
            assertThat(found).hasSize(1);
            return found.get(0);
        });
    }

    Call organization(String operation, String user, UUID orgId) {
        return platform.as(user).call(operation).path("org_id", orgId);
    }

    Call project(String operation, String user, UUID projectId) {
        return platform.as(user).call(operation).path("project_id", projectId);
    }
}
