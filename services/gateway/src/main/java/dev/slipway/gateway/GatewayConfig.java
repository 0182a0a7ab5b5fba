package dev.slipway.gateway;

import dev.slipway.settings.Settings;
import org.jspecify.annotations.Nullable;

import java.time.Duration;

/** What the gateway can be told. */
public record GatewayConfig(
        String host,
        int port,
        Duration replyTimeout,
        Duration bodyTimeout,
        @Nullable Tls tls,
        Rates rates,
        StreamLimits streams) {

    /** PEM files; without them the gateway speaks plain HTTP. */
    public record Tls(String certificateFile, String keyFile) {}

    /**
     * How much is let through, each per second; 0 is no limit.
     *
     * @param perPrincipal requests of one principal
     * @param perAddress requests from one address
     * @param exchangesPerAddress requests for a token, from one address
     */
    public record Rates(int perPrincipal, int perAddress, int exchangesPerAddress) {
        static Rates from(Settings settings) {
            return new Rates(
                    settings.integer("SLIPWAY_RATE_PER_PRINCIPAL", 2_000, 0, 1_000_000),
                    settings.integer("SLIPWAY_RATE_PER_ADDRESS", 5_000, 0, 1_000_000),
                    settings.integer("SLIPWAY_RATE_TOKENS_PER_ADDRESS", 500, 0, 1_000_000));
        }
    }

    /** How many streams of events this gateway holds open at once: for one principal, and in all. */
    public record StreamLimits(int perPrincipal, int inAll) {
        static StreamLimits from(Settings settings) {
            return new StreamLimits(
                    settings.integer("SLIPWAY_STREAMS_PER_PRINCIPAL", 20, 1, 10_000),
                    settings.integer("SLIPWAY_STREAMS", 2_000, 1, 100_000));
        }
    }

    public static GatewayConfig from(Settings settings) {
        return new GatewayConfig(
                settings.text("SLIPWAY_HTTP_HOST", "127.0.0.1"),
                settings.port("SLIPWAY_HTTP_PORT", 8080),
                settings.duration("SLIPWAY_REPLY_TIMEOUT", Duration.ofSeconds(10)),
                settings.duration("SLIPWAY_BODY_TIMEOUT", Duration.ofSeconds(30)),
                tls(settings),
                Rates.from(settings),
                StreamLimits.from(settings));
    }

    private static @Nullable Tls tls(Settings settings) {
        var certificate = settings.readable("SLIPWAY_TLS_CERTIFICATE_FILE");
        var key = settings.readable("SLIPWAY_TLS_KEY_FILE");
        if (certificate == null && key == null) {
            return null;
        }
        if (certificate == null || key == null) {
            settings.fault("SLIPWAY_TLS_CERTIFICATE_FILE and SLIPWAY_TLS_KEY_FILE go together");
            return null;
        }
        return new Tls(certificate, key);
    }
}
