package dev.slipway.service;

import dev.slipway.settings.Settings;
import org.jspecify.annotations.Nullable;

import java.time.Duration;

/**
 * The origin and the configuration that a process reports.
 *
 * @param environment the environment, such as production
 * @param sourceCommit the commit that the binary was built from; null if it is not known
 * @param artifactDigest the digest of the image or binary; null if it is not known
 * @param configProfile the name of the configuration
 * @param reportInterval the time between two reports
 */
public record ProcessIdentity(
        String environment,
        @Nullable String sourceCommit,
        @Nullable String artifactDigest,
        String configProfile,
        Duration reportInterval) {
    private static final int MAX_LENGTH = 128;

    public static ProcessIdentity from(Settings settings, String defaultProfile) {
        return new ProcessIdentity(
                shortText(settings, "SLIPWAY_ENVIRONMENT", "local"),
                settings.optional("SLIPWAY_SOURCE_COMMIT"),
                settings.optional("SLIPWAY_ARTIFACT_DIGEST"),
                shortText(settings, "SLIPWAY_CONFIG_PROFILE", defaultProfile),
                settings.duration("SLIPWAY_STATUS_INTERVAL", Duration.ofSeconds(30)));
    }

    private static String shortText(Settings settings, String name, String otherwise) {
        var text = settings.text(name, otherwise);
        if (text.length() > MAX_LENGTH) {
            settings.addError(name + " is longer than " + MAX_LENGTH + " characters");
        }
        return text;
    }
}
