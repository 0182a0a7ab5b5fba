package dev.slipway.authz;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.ProblemException;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/** Fuzzes tokens, as sent and as header, claims and signature, and the key sets of issuers. */
class TokenFuzzTest {
    private static final TokenVerifier VERIFIER = new TokenVerifier(new AuthzModel());

    @FuzzTest
    void verify_rejectsUnsignedTokens(FuzzedDataProvider data) {
        var isText = data.consumeBoolean();
        var part = data.remainingBytes() / 2;
        var token = isText
                ? data.consumeRemainingAsString()
                : encode(data.consumeBytes(part)) + "." + encode(data.consumeRemainingAsBytes()) + ".AAAA";

        var problem = catchThrowableOfType(ProblemException.class, () -> VERIFIER.verify(token, Instant.EPOCH));
        assertThat(problem.problem().code()).isEqualTo(ErrorCode.TOKEN_INVALID);
        checkParts(token);
        checkKeySet(token);
    }

    private static void checkParts(String token) {
        ParsedToken parsed;
        try {
            parsed = ParsedToken.parse(token);
        } catch (IllegalArgumentException e) {
            assertThat(VERIFIER.findUnknownKey(token)).isNull();
            return;
        }
        assertThat(token).matches("[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+");
        assertThat(parsed.audiences()).isNotNull();
        assertThat(parsed.isVerifiable() && parsed.header().has("crit")).isFalse();
        try {
            var time = parsed.time("exp");
            assertThat(time == null || time.toString().length() <= 20).isTrue();
        } catch (IllegalArgumentException e) {
            assertThat(e).hasMessage("exp is not a time");
        }
    }

    private static void checkKeySet(String text) {
        try {
            assertThat(JwksParser.parse(text)).isNotEmpty();
        } catch (IllegalArgumentException e) {
            assertThat(e).hasMessageStartingWith("The key set ");
        }
    }

    private static String encode(byte[] bytes) {
        return Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(new String(bytes, StandardCharsets.UTF_8).getBytes(StandardCharsets.UTF_8));
    }
}
