package dev.slipway.catalog.app.domain;

import java.util.Locale;

/** Status of an app. No version of a disabled app can be launched. */
public enum AppStatus {
    ACTIVE,
    DEPRECATED,
    DISABLED;

    public static AppStatus of(String text) {
        return valueOf(text.toUpperCase(Locale.ROOT));
    }

    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
