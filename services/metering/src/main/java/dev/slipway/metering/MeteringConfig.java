package dev.slipway.metering;

import dev.slipway.settings.Settings;

import java.time.Duration;
import java.util.Currency;

/**
 * The configuration of the metering service.
 *
 * @param currency the currency of organizations whose account is created by their first usage
 * @param closeAfter the time after the end of a month at which its billing period is closed
 */
public record MeteringConfig(String currency, Duration closeAfter) {
    public static final MeteringConfig DEFAULT = new MeteringConfig("EUR", Duration.ofDays(5));

    public static MeteringConfig from(Settings settings) {
        var currency = settings.text("SLIPWAY_BILLING_CURRENCY", DEFAULT.currency);
        if (Currency.getAvailableCurrencies().stream()
                .noneMatch(known -> known.getCurrencyCode().equals(currency))) {
            settings.addError("SLIPWAY_BILLING_CURRENCY=" + currency + " is not an ISO 4217 code");
        }
        return new MeteringConfig(currency, settings.duration("SLIPWAY_BILLING_CLOSE_AFTER", DEFAULT.closeAfter));
    }
}
