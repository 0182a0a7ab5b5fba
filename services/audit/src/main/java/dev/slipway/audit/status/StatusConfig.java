package dev.slipway.audit.status;

import dev.slipway.settings.Settings;
import org.jspecify.annotations.Nullable;

import java.time.Duration;

/**
 * The configuration of the status.
 *
 * @param processTimeout a process that is silent for longer is unknown
 * @param alertmanagerSecret the bearer token of Alertmanager's notifications; null rejects them
 * @param environment the environment of the platform
 */
public record StatusConfig(
        Duration processTimeout, @Nullable String alertmanagerSecret, String environment) {
    private static final int MIN_SECRET_LENGTH = 16;

    public static StatusConfig from(Settings settings) {
        var secret = settings.optional("SLIPWAY_ALERTMANAGER_SECRET");
        if (secret != null && secret.length() < MIN_SECRET_LENGTH) {
            settings.addError("SLIPWAY_ALERTMANAGER_SECRET is shorter than " + MIN_SECRET_LENGTH
                    + " characters; create one with: openssl rand -base64 32");
        }
        return new StatusConfig(
                settings.duration("SLIPWAY_STATUS_TIMEOUT", Duration.ofSeconds(90)),
                secret,
                settings.text("SLIPWAY_ENVIRONMENT", "local"));
    }

    @Override
    public String toString() {
        return "StatusConfig[" + processTimeout + "]"; // the secret stays out of logs
    }
}
