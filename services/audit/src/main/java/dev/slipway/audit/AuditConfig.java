package dev.slipway.audit;

import dev.slipway.settings.Settings;

import java.time.Duration;

/**
 * The settings of the audit service.
 *
 * @param accessLogRetention how long requests stay in the access log; audit records and events are kept
 */
public record AuditConfig(Duration accessLogRetention) {
    public static AuditConfig from(Settings settings) {
        return new AuditConfig(settings.duration("SLIPWAY_ACCESS_LOG_RETENTION", Duration.ofDays(30)));
    }
}
