package dev.slipway.authz;

import dev.slipway.authz.testing.TestKey;
import dev.slipway.contract.Json;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class JwksParserTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "garbage",
                "[]",
                "{}",
                "{\"keys\":7}",
                "{\"keys\":[]}",
                "{\"keys\":[{}]}",
                "{\"keys\":[[]]}",
                "{\"keys\":[{\"kty\":\"RSA\",\"kid\":\"a\",\"n\":\"AQAB\",\"e\":\"AQAB\"}]}",
                "{\"keys\":[{\"kty\":\"RSA\",\"kid\":\"a\",\"n\":\"%%\",\"e\":\"AQAB\"}]}",
                "{\"keys\":[{\"kty\":\"oct\",\"kid\":\"a\",\"k\":\"c2VjcmV0\"}]}"
            })
    void parse_isRefused_whenThereIsNoUsableKey(String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> JwksParser.parse(text));
    }

    @Test
    void parse_isRefused_whenThereAreTooManyKeys() {
        var key = TestKey.generate("k");
        var set = Json.object();
        var keys = set.putArray("keys");
        for (var i = 0; i < 51; i++) {
            keys.add(key.publicJwk().put("kid", "k" + i));
        }

        assertThatIllegalArgumentException().isThrownBy(() -> JwksParser.parse(Json.text(set)));
    }

    @Test
    void parse_returnsPublicPartsOfKeysThatCanSignTokens() {
        var good = TestKey.generate("good");
        var set = Json.object();
        set.putArray("keys")
                .add(good.privateJwk())
                .add(good.publicJwk().put("kid", "encrypts").put("use", "enc"))
                .add(good.publicJwk().put("kid", "another-algorithm").put("alg", "PS256"))
                .add(good.publicJwk().without("kid"))
                .add(good.publicJwk().put("kid", "x".repeat(129)))
                .add(Json.object()
                        .put("kty", "EC")
                        .put("kid", "curve")
                        .put("crv", "P-256")
                        .put("x", "AA")
                        .put("y", "AA"));

        assertThat(JwksParser.parse(Json.text(set)))
                .containsExactly(new JwksParser.PublicJwk("good", good.publicJwkText()));
    }
}
