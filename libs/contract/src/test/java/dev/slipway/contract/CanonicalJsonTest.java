package dev.slipway.contract;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class CanonicalJsonTest {
    /** Appendix B of RFC 8785: the bits of a double, and its text. */
    @ParameterizedTest
    @CsvSource({
        "0000000000000000, 0",
        "8000000000000000, 0",
        "0000000000000001, 5e-324",
        "8000000000000001, -5e-324",
        "7fefffffffffffff, 1.7976931348623157e+308",
        "ffefffffffffffff, -1.7976931348623157e+308",
        "4340000000000000, 9007199254740992",
        "c340000000000000, -9007199254740992",
        "4430000000000000, 295147905179352830000",
        "44b52d02c7e14af5, 9.999999999999997e+22",
        "44b52d02c7e14af6, 1e+23",
        "44b52d02c7e14af7, 1.0000000000000001e+23",
        "444b1ae4d6e2ef4e, 999999999999999700000",
        "444b1ae4d6e2ef4f, 999999999999999900000",
        "444b1ae4d6e2ef50, 1e+21",
        "3eb0c6f7a0b5ed8c, 9.999999999999997e-7",
        "3eb0c6f7a0b5ed8d, 0.000001",
        "41b3de4355555553, 333333333.3333332",
        "41b3de4355555554, 333333333.33333325",
        "41b3de4355555555, 333333333.3333333",
        "41b3de4355555556, 333333333.3333334",
        "41b3de4355555557, 333333333.33333343",
        "becbf647612f3696, -0.0000033333333333333333",
        "43143ff3c1cb0959, 1424953923781206.2",
    })
    void number_matchesEcmaScript(String bits, String text) {
        assertThat(CanonicalJson.number(Double.longBitsToDouble(Long.parseUnsignedLong(bits, 16))))
                .isEqualTo(text);
    }

    @Test
    void number_roundTrips_andIsNotLongerThanDoubleToString() {
        var random = new Random(8785);
        var wrong = new ArrayList<String>();
        for (var i = 0; i < 3_000; i++) {
            var value = Double.longBitsToDouble(random.nextLong());
            if (Double.isFinite(value)) {
                var text = CanonicalJson.number(value);
                if (Double.parseDouble(text) != value || digits(text) > digits(Double.toString(value))) {
                    wrong.add(text);
                }
            }
        }
        assertThat(wrong).isEmpty();
    }

    /** The example of section 3.2.2 and 3.2.3. */
    @Test
    void bytes_sortsNamesByUtf16_andEscapesOnlyWhatItMust() throws IOException {
        var sorted =
                "{\"\\u20ac\":\"Euro Sign\",\"\\r\":\"Carriage Return\",\"\\ufb33\":\"Hebrew Letter Dalet With Dagesh\","
                        + "\"1\":\"One\",\"\\ud83d\\ude00\":\"Emoji: Grinning Face\",\"\\u0080\":\"Control\",\"\\u00f6\":\"Latin Small Letter O\"}";
        assertThat(canonical(sorted))
                .isEqualTo("{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\u0080\":\"Control\","
                        + "\"\u00f6\":\"Latin Small Letter O\",\"\u20ac\":\"Euro Sign\","
                        + "\"\ud83d\ude00\":\"Emoji: Grinning Face\",\"\ufb33\":\"Hebrew Letter Dalet With Dagesh\"}");

        var mixed = "{\"numbers\":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],"
                + "\"string\":\"\\u20ac$\\u000F\\u000aA'\\u0042\\u0022\\u005c\\\\\\\"\\/\",\"literals\":[null,true,false]}";
        assertThat(canonical(mixed))
                .isEqualTo("{\"literals\":[null,true,false],\"numbers\":[333333333.3333333,1e+30,4.5,0.002,1e-27],"
                        + "\"string\":\"\u20ac$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}");
    }

    @Test
    void digest_isEqual_forEqualValues() throws IOException {
        var digest = CanonicalJson.digest(parsed("{\"b\":1.0,\"a\":[100,{}]}"));

        assertThat(CanonicalJson.digest(parsed(" {\"a\": [1e2, {} ], \"b\": 1} ")))
                .isEqualTo(digest);
        assertThat(CanonicalJson.digest(parsed("{\"b\":1.0,\"a\":[{},100]}"))).isNotEqualTo(digest);
        assertThat(CanonicalJson.digest(parsed("{}")))
                .isEqualTo("sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a");
    }

    @Test
    void number_throws_whenBeyondTheRangeOfADouble() throws IOException {
        var large = parsed("{\"n\":1e390}");

        assertThat(CanonicalJson.hasCanonicalForm(large.path("n"))).isFalse();
        assertThatThrownBy(() -> CanonicalJson.digest(large)).isInstanceOf(IllegalArgumentException.class);
    }

    private static String canonical(String json) throws IOException {
        return new String(CanonicalJson.bytes(parsed(json)), StandardCharsets.UTF_8);
    }

    private static JsonNode parsed(String json) throws IOException {
        return Json.parse(json.getBytes(StandardCharsets.UTF_8));
    }

    private static int digits(String number) {
        return number.replaceAll("[eE].*", "")
                .replaceAll("[-.]", "")
                .replaceAll("^0+|0+$", "")
                .length();
    }
}
