package dev.slipway.catalog.artifact.credential;

import io.vertx.core.Future;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * Issues credentials for artifact registries. A credential is a lease: issued for one task, valid for a fixed time, and revocable by its id.
 * This matches the dynamic secrets of Vault (lease_id, lease_duration, sys/leases/revoke), so that Vault can implement it.
 */
public interface CredentialIssuer {
    /** Issues a credential, which must be neither stored nor logged. */
    Future<Lease> issue(CredentialRequest credentialRequest);

    /** Revokes a credential, if the implementation supports it. Succeeds if it has expired. */
    Future<Void> revoke(String leaseId);

    /**
     * The permissions of a credential.
     *
     * @param subject the holder, for the registry's log
     * @param service the name of the registry as an audience
     * @param actions of the distribution API: pull, push
     */
    record CredentialRequest(
            String subject, String service, String repository, List<String> actions, Duration lifetime) {}

    record Lease(String leaseId, String token, Instant expiresAt) {
        @Override
        public String toString() {
            return "Lease[" + leaseId + "]"; // the token stays out of logs
        }
    }
}
