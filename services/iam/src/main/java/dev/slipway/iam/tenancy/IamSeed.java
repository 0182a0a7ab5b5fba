package dev.slipway.iam.tenancy;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.List;
import java.util.UUID;

/**
 * What IAM makes sure of at its start: the first administrator, the adapters, a demo's tenants. What is there already is left as it is,
 * but for adapters' secrets and issuers' keys, which follow the configuration.
 */
public record IamSeed(
        List<Organization> organizations,
        List<User> users,
        List<Project> projects,
        List<ServiceAccount> serviceAccounts,
        List<RoleBinding> bindings,
        List<Adapter> adapters,
        List<IssuerKey> issuerKeys) {

    public static final IamSeed NOTHING =
            new IamSeed(List.of(), List.of(), List.of(), List.of(), List.of(), List.of(), List.of());

    public record Organization(UUID id, String slug, String displayName) {}

    public record User(UUID id, String issuer, String subject, String displayName) {}

    public record Project(UUID id, UUID orgId, String slug, String displayName, UUID operatorServiceAccountId) {}

    /** {@code issuer} and {@code subject} are set where tokens for the account come from outside. */
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

    /** Held at the project if there is one, else at the organization if there is one, else at the platform. */
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
            return "Adapter[" + id + ", " + runtimeBackend + "]";
        }
    }

    /** A key that an issuer of user tokens signs with. */
    public record IssuerKey(String kid, String issuer, String publicJwk, Instant expiresAt) {}
}
