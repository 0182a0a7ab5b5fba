package dev.slipway.catalog.secret;

import io.vertx.core.Future;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * Where credentials for artifact registries come from. A credential is a lease: made for one task, good for a time that is set when it is
 * made, and ended by its id. Vault's dynamic secrets are that (a role's creds answer with lease_id, lease_duration and data, and
 * sys/leases/revoke ends one), so an implementation on Vault needs no more than this asks for.
 */
public interface Secrets {
    /** Makes a credential. Nothing but the answer ever has it: it is neither kept nor logged. */
    Future<Lease> issue(Grant grant);

    /** Ends a credential before its time, where that can be done; one that has ended already is no failure. */
    Future<Void> revoke(String leaseId);

    /**
     * What a credential is to be good for.
     *
     * @param subject for whom, for the registry's log
     * @param service the registry as it calls itself
     * @param actions of the distribution API: pull, push
     */
    record Grant(String subject, String service, String repository, List<String> actions, Duration lifetime) {}

    record Lease(String leaseId, String token, Instant expiresAt) {
        @Override
        public String toString() {
            return "Lease[" + leaseId + "]"; // the token stays out of logs
        }
    }
}
