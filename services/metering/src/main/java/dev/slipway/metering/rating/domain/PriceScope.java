package dev.slipway.metering.rating.domain;

import java.util.Locale;

/** To whom a price applies. A price for the organization precedes one for its plan, which precedes the default. */
public enum PriceScope {
    DEFAULT,
    PLAN,
    ORGANIZATION;

    public static PriceScope of(String text) {
        return valueOf(text.toUpperCase(Locale.ROOT));
    }

    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
