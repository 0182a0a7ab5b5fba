package dev.slipway.contract;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.FuzzTest;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.function.Function;

import static org.assertj.core.api.Assertions.assertThat;

/** Fuzzes the cursors of lists, as sent and as they are after decoding Base64. */
class CursorFuzzTest {
    @FuzzTest
    void decode_returnsACursor_orAProblem(FuzzedDataProvider data) {
        var isEncoded = data.consumeBoolean();
        var text = data.consumeRemainingAsString();
        var cursor = isEncoded ? text : Base64.getUrlEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));

        check(cursor, given -> Cursor.decode(given).encode());
        check(cursor, given -> NameCursor.decode(given).encode());
    }

    private static void check(String cursor, Function<String, String> decodeAndEncode) {
        String canonical;
        try {
            canonical = decodeAndEncode.apply(cursor);
        } catch (ProblemException e) {
            assertThat(e.problem().code()).isEqualTo(ErrorCode.INVALID_CURSOR);
            return;
        }
        assertThat(decodeAndEncode.apply(canonical)).isEqualTo(canonical);
    }
}
