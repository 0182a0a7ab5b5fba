package dev.slipway.service;

import dev.slipway.authz.AuthzModel;
import dev.slipway.authz.TokenVerifier;
import dev.slipway.contract.Contract;
import dev.slipway.messaging.KafkaSettings;
import dev.slipway.telemetry.Telemetry;
import org.jspecify.annotations.Nullable;

import java.time.Clock;
import java.time.Duration;

/**
 * What all services of one process share.
 *
 * @param database null where none of them keeps anything
 */
public record Frame(
        Contract contract,
        AuthzModel authz,
        TokenVerifier tokens,
        KafkaSettings kafka,
        @Nullable DatabaseSettings database,
        Telemetry telemetry,
        Health health,
        Clock clock,
        int eventLoops,
        boolean clustered,
        Duration authzBudgetForWrites,
        Duration authzBudgetForReads) {

    /** For those who have seen a write that may still be on its way here. */
    public Revisions revisions() {
        return new Revisions(authz);
    }
}
