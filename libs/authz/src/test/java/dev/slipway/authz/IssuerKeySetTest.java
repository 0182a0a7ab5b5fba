package dev.slipway.authz;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.KeyUse;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class IssuerKeySetTest {
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
                "{\"keys\":[{\"kty\":\"RSA\",\"kid\":\"a\",\"n\":\"AQAB\",\"e\":\"AQAB\"}]}",
                "{\"keys\":[{\"kty\":\"oct\",\"kid\":\"a\",\"k\":\"c2VjcmV0\"}]}"
            })
    void read_isRefused_whenThereIsNoUsableKey(String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> IssuerKeySet.read(text));
    }

    @Test
    void read_passesOverWhatCannotSignTokensHere_andNeverKeepsAPrivateKey() throws JOSEException {
        var good = new RSAKeyGenerator(2048).keyID("good").generate();
        var set = new JWKSet(List.of(
                good,
                new RSAKeyGenerator(2048)
                        .keyID("encrypts")
                        .keyUse(KeyUse.ENCRYPTION)
                        .generate(),
                new RSAKeyGenerator(2048).generate(),
                new ECKeyGenerator(Curve.P_256).keyID("curve").generate()));

        var read = IssuerKeySet.read(set.toString(false));

        assertThat(read)
                .containsExactly(new IssuerKeySet.Key("good", good.toPublicJWK().toJSONString()));
    }
}
