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
 * The parts that all services of a process share.
 *
 * @param database null if no service of the process needs one
 * @param consistencyInterval time between two passes of the consistency checks
 */
public record ServiceContext(
        Contract contract,
        AuthzModel authz,
        TokenVerifier tokens,
        KafkaSettings kafka,
        @Nullable DatabaseSettings database,
        Telemetry telemetry,
        AuditActionRegistry auditActions,
        HealthRegistry health,
        ServiceRegistry services,
        Clock clock,
        int eventLoops,
        boolean clustered,
        Duration maxAuthzAgeForWrites,
        Duration maxAuthzAgeForReads,
        Duration consistencyInterval) {

    /** Returns the context of a service, with its own identity at the broker. */
    public ServiceContext as(String service) {
        return new ServiceContext(
                contract,
                authz,
                tokens,
                kafka.as(service),
                database,
                telemetry,
                auditActions,
                health,
                services,
                clock,
                eventLoops,
                clustered,
                maxAuthzAgeForWrites,
                maxAuthzAgeForReads,
                consistencyInterval);
    }

    /** Returns a waiter for requests that carry an {@code X-Revision}. */
    public RevisionWaiter revisionWaiter() {
        return new RevisionWaiter(authz);
    }
}
