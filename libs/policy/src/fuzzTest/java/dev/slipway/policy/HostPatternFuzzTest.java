package dev.slipway.policy;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.FuzzTest;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;

import static org.assertj.core.api.Assertions.assertThat;

/** Fuzzes the hosts that artifacts may come from, and compares with the parser of the JDK that requests are sent with. */
class HostPatternFuzzTest {
    @FuzzTest
    void parse_agreesWithOtherParsers_orRejects(FuzzedDataProvider data) {
        var text = data.consumeRemainingAsString();
        checkPattern(text);
        checkAddress(text);
        checkAddress("https://" + text);
    }

    private static void checkPattern(String text) {
        var pattern = HostPattern.parse(text);
        assertThat(pattern == null).isEqualTo(HostPattern.validate(text) != null);
        if (pattern != null) {
            assertThat(HostPattern.parse(pattern.text())).isEqualTo(pattern);
            assertThat(pattern.covers(pattern)).isTrue();
            assertThat(pattern.matches("https://" + pattern.text())).isEqualTo(!pattern.wildcard());
        }
    }

    private static void checkAddress(String address) {
        var host = SourceHost.of(address);
        if (host == null || !address.contains("://")) {
            return;
        }
        try {
            var uri = new URI(address);
            assertThat(host.name()).isEqualTo(String.valueOf(uri.getHost()).toLowerCase(Locale.ROOT));
            assertThat(host.port()).isEqualTo(uri.getPort() < 0 ? SourceHost.DEFAULT_PORT : uri.getPort());
        } catch (URISyntaxException e) {
            // The path is invalid; an address is parsed as a URI before it is requested.
        }
    }
}
