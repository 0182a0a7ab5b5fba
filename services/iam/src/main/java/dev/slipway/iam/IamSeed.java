package dev.slipway.iam;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.List;
import java.util.UUID;

/**
 * The data that IAM ensures at start: adapters, and the tenants of a demo. Existing rows are not changed, except secrets of adapters and
 * keys of issuers, which follow the configuration.
 */
public record IamSeed(
        List<Organization> organizations,
        List<User> users,
        List<Project> projects,
        List<ServiceAccount> serviceAccounts,
        List<RoleBinding> bindings,
        List<Adapter> adapters,
        List<IssuerKey> issuerKeys) {

    /** The issuer of the demo's tokens. */
    public static final String DEMO_ISSUER = "slipway-demo";

    public static final IamSeed EMPTY =
            new IamSeed(List.of(), List.of(), List.of(), List.of(), List.of(), List.of(), List.of());

    boolean isDemo() {
        return issuerKeys.stream().anyMatch(key -> key.issuer().equals(DEMO_ISSUER));
    }

    public record Organization(UUID id, String slug, String displayName) {}

    public record User(UUID id, String issuer, String subject, String displayName) {}

    public record Project(UUID id, UUID orgId, String slug, String displayName, UUID operatorServiceAccountId) {}

    /** {@code issuer} and {@code subject} are set if an external issuer issues the account's tokens. */
    public record ServiceAccount(
            UUID id,
            UUID orgId,
            UUID projectId,
            String slug,
            String displayName,
            @Nullable String issuer,
            @Nullable String subject,
            List<String> allowedActions,
            UUID createdByUserId) {}

    /** The scope is the project if there is one, otherwise the organization, otherwise the platform. */
    public record RoleBinding(
            UUID id,
            UUID principalId,
            String role,
            @Nullable UUID orgId,
            @Nullable UUID projectId) {
        public String level() {
            if (projectId != null) {
                return "project";
            }
            return orgId != null ? "organization" : "platform";
        }
    }

    public record Adapter(UUID id, String runtimeBackend, String displayName, String secret) {
        @Override
        public String toString() {
            return "Adapter[" + id + ", " + runtimeBackend + "]"; // without the secret
        }
    }

    /** A public key of an external issuer. */
    public record IssuerKey(String kid, String issuer, String publicJwk, Instant expiresAt) {}
}
