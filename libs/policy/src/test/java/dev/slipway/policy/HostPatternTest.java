package dev.slipway.policy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

class HostPatternTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "*",
                "*.",
                "*.com",
                "*.*.example.com",
                "a.*.example.com",
                "*example.com",
                "**.example.com",
                "*.127.0.0.1",
                "*.localhost",
                "example.com.",
                ".example.com",
                "exa mple.com",
                "user@example.com",
                "example.com/path",
                "https://example.com",
                "example.com:",
                "example.com:0",
                "example.com:0443",
                "example.com:65536",
                "example.com:443:443",
                "example.com:https",
                "-example.com",
                "example-.com",
                "exa_mple.com",
                "exa%6dple.com",
                "exämple.com",
                "ｅxample.com",
                "example。com",
                "ab--cd.example.com",
                "xn--.com",
                "xn--example.com",
                "xn--abc-.com",
                "127.1",
                "2130706433",
                "0x7f.0.0.1",
                "0x7f000001",
                "10.0.0b3c",
                "0177.0.0.1",
                "127.0.0.256",
                "127.0.0.01",
                "example.1",
                "[::1]",
                "::1"
            })
    void validate_rejectsPattern_whenAmbiguousOrTooWide(String text) {
        assertThat(HostPattern.validate(text)).as(text).isNotNull();
        assertThat(HostPattern.parse(text)).as(text).isNull();
    }

    @ParameterizedTest
    @CsvSource({
        "registry.example.com,            registry.example.com",
        "Registry.Example.COM,            registry.example.com",
        "registry.example.com:443,        registry.example.com",
        "registry.example.com:5000,       registry.example.com:5000",
        "*.example.com,                   *.example.com",
        "localhost:5000,                  localhost:5000",
        "127.0.0.1:5000,                  127.0.0.1:5000",
        "xn--exmple-cua.com,              xn--exmple-cua.com",
    })
    void text_isCanonical(String text, String written) {
        assertThat(HostPattern.validate(text)).isNull();
        assertThat(pattern(text).text()).isEqualTo(written);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "registry.example.com",
                "registry.example.com/apps/echo",
                "registry.example.com:443/apps",
                "https://registry.example.com",
                "HTTPS://REGISTRY.example.com/apps?x=1",
                "oci://registry.example.com/apps@sha256:abc",
                "https://registry.example.com#@evil.com"
            })
    void matches_acceptsHost_inEveryAddressForm(String source) {
        assertThat(pattern("registry.example.com").matches(source)).as(source).isTrue();
        assertThat(pattern("*.example.com").matches(source)).as(source).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "example.com",
                "evil.com",
                "registry.example.com.",
                "https://registry.example.com./apps",
                "registry.example.com.evil.com",
                "registry.example.comevil.com",
                "evilregistry.example.org",
                "https://registry.example.com@evil.com/apps",
                "https://evil.com@registry.example.com/apps",
                "https://user:pass@registry.example.com/apps",
                "https://registry.example.com:5000/apps",
                "https://registry.example.com:80@evil.com",
                "https://registry.example.com%2eevil.com/",
                "https://registry%2eexample.com/",
                "https://registry.example.com\\@evil.com",
                "https:\\\\registry.example.com",
                "https://evil.com\\registry.example.com",
                "http://registry.example.com/apps",
                "file://registry.example.com/apps",
                "https:///registry.example.com",
                "//registry.example.com",
                "https://registry。example.com/",
                "https://reg\u0131stry.example.com/",
                "https://registry.example.com\u0000.evil.com/",
                "https://registry.example.com\t.evil.com/",
                "https://registry .example.com/",
                " https://registry.example.com/",
                "https://[::ffff:1.2.3.4]/",
                "https://1.2.3.4/",
                "https://16909060/"
            })
    void matches_rejectsHost_whenDifferentOrAmbiguous(String source) {
        assertThat(pattern("registry.example.com").matches(source)).as(source).isFalse();
    }

    @Test
    void matches_acceptsOneLabel_forWildcard_andNoIpAddress() {
        var pattern = pattern("*.example.com");

        assertThat(pattern.matches("a.example.com")).isTrue();
        assertThat(pattern.matches("a.b.example.com")).isFalse();
        assertThat(pattern.matches("example.com")).isFalse();
        assertThat(pattern.matches("aexample.com")).isFalse();
        assertThat(pattern.matches("a.example.com:5000")).isFalse();
        assertThat(pattern("*.0.example").matches("10.0.0.example")).isFalse();
    }

    @Test
    void matches_acceptsOnlyTheSameIpAddress() {
        assertThat(pattern("10.0.0.1:5000").matches("10.0.0.1:5000/apps")).isTrue();
        assertThat(pattern("10.0.0.1").matches("10.0.0.01")).isFalse();
        assertThat(pattern("10.0.0.1").matches("10.1")).isFalse();
        assertThat(pattern("10.0.0.1").matches("012.0.0.1")).isFalse();
        assertThat(pattern("10.0.0.1").matches("0xa.0.0.1")).isFalse();
    }

    @Test
    void matches_rejectsLookalikes_ofEncodedNames() {
        // A Cyrillic letter that looks like the Latin one.
        assertThat(pattern("apple.com").matches("https://xn--pple-43d.com")).isFalse();
        assertThat(pattern("xn--pple-43d.com").matches("https://XN--PPLE-43D.com"))
                .isTrue();
    }

    private static HostPattern pattern(String text) {
        return requireNonNull(HostPattern.parse(text), text);
    }
}
