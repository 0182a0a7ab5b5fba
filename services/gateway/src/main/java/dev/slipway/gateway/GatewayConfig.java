package dev.slipway.gateway;

import dev.slipway.settings.Settings;
import org.jspecify.annotations.Nullable;

import java.net.URI;
import java.time.Duration;
import java.util.List;

/** The settings of a gateway. */
public record GatewayConfig(
        String host,
        int port,
        Duration replyTimeout,
        Duration bodyTimeout,
        @Nullable Tls tls,
        Cors cors,
        RequestRates rates,
        StreamLimits streams) {

    /** The PEM files of the server certificate; without them the gateway serves plain HTTP. */
    public record Tls(String certificateFile, String keyFile) {}

    /**
     * The web pages of other origins that may call the API from a browser.
     *
     * @param origins such as {@code https://console.example.org}, or {@code *} alone; empty turns CORS off
     * @param maxAge how long a browser may cache a preflight response
     */
    public record Cors(List<String> origins, Duration maxAge) {
        private static final String ANY = "*";
        private static final Duration DEFAULT_MAX_AGE = Duration.ofMinutes(10);

        public static final Cors OFF = new Cors(List.of(), DEFAULT_MAX_AGE);

        static Cors from(Settings settings) {
            var origins = settings.list("SLIPWAY_CORS_ORIGINS", List.of());
            for (var origin : origins) {
                if (!origin.equals(ANY) && !isOrigin(origin)) {
                    settings.addError("SLIPWAY_CORS_ORIGINS: " + origin
                            + " is not an origin such as https://console.example.org");
                }
            }
            if (origins.contains(ANY) && origins.size() > 1) {
                settings.addError("SLIPWAY_CORS_ORIGINS: * cannot be combined with other origins");
            }
            return new Cors(origins, settings.duration("SLIPWAY_CORS_MAX_AGE", DEFAULT_MAX_AGE));
        }

        boolean allowsAnyOrigin() {
            return origins.contains(ANY);
        }

        boolean allows(String origin) {
            return allowsAnyOrigin() ? isOrigin(origin) : origins.contains(origin);
        }

        private static boolean isOrigin(String text) {
            try {
                var uri = URI.create(text);
                return List.of("http", "https").contains(String.valueOf(uri.getScheme()))
                        && uri.getHost() != null
                        && text.equals(uri.getScheme() + "://" + uri.getAuthority());
            } catch (IllegalArgumentException e) {
                return false;
            }
        }
    }

    /**
     * Rate limits, each per second; 0 means no limit.
     *
     * @param perPrincipal requests of one principal
     * @param perAddress requests from one client address
     * @param tokenRequestsPerAddress token requests from one client address
     */
    public record RequestRates(int perPrincipal, int perAddress, int tokenRequestsPerAddress) {
        static RequestRates from(Settings settings) {
            return new RequestRates(
                    settings.integer("SLIPWAY_RATE_PER_PRINCIPAL", 2_000, 0, 1_000_000),
                    settings.integer("SLIPWAY_RATE_PER_ADDRESS", 5_000, 0, 1_000_000),
                    settings.integer("SLIPWAY_RATE_TOKENS_PER_ADDRESS", 500, 0, 1_000_000));
        }
    }

    /** The maximum number of open event streams of this gateway, per principal, per organization and in total. */
    public record StreamLimits(int perPrincipal, int perOrganization, int total) {
        static StreamLimits from(Settings settings) {
            return new StreamLimits(
                    settings.integer("SLIPWAY_STREAMS_PER_PRINCIPAL", 20, 1, 10_000),
                    settings.integer("SLIPWAY_STREAMS_PER_ORGANIZATION", 200, 1, 100_000),
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
                Cors.from(settings),
                RequestRates.from(settings),
                StreamLimits.from(settings));
    }

    private static @Nullable Tls tls(Settings settings) {
        var certificate = settings.readableFile("SLIPWAY_TLS_CERTIFICATE_FILE");
        var key = settings.readableFile("SLIPWAY_TLS_KEY_FILE");
        if (certificate == null && key == null) {
            return null;
        }
        if (certificate == null || key == null) {
            settings.addError("SLIPWAY_TLS_CERTIFICATE_FILE and SLIPWAY_TLS_KEY_FILE must be set together");
            return null;
        }
        return new Tls(certificate, key);
    }
}
