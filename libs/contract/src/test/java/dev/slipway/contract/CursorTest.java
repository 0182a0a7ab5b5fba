package dev.slipway.contract;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.UUID;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class CursorTest {
    private static final String ID = "01900000-0000-7000-8000-000000000001";

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "1",
                "1|2",
                "2|1700000000000000|" + ID,
                "1|" + ID,
                "1|x|" + ID,
                "1||" + ID,
                "1|1700000000000000|",
                "1|1700000000000000|not-an-id",
                "1|1700000000000000|" + ID + "|more",
                "1|99999999999999999999|" + ID,
                "1|9223372036854775807|" + ID,
                "1|-9223372036854775808|" + ID
            })
    void decode_throws_whenNotIssuedByThisApi(String text) {
        assertInvalidCursor(
                Base64.getUrlEncoder().withoutPadding().encodeToString(text.getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void encode_acceptsEveryTimeThatDecodeReturns() {
        var last = new Cursor(Instant.parse("9999-12-31T23:59:59.999999Z"), UUID.fromString(ID));

        assertThat(Cursor.decode(last.encode())).isEqualTo(last);
    }

    @ParameterizedTest
    @ValueSource(strings = {"*", "a", "\u0000", "' OR 1=1 --", "ä"})
    void decode_throws_whenNotBase64(String text) {
        assertInvalidCursor(text);
    }

    @Test
    void decode_roundTrips_withMicroseconds() {
        var cursor = new Cursor(Instant.parse("2026-01-02T03:04:05.678901Z"), Ids.next());

        assertThat(Cursor.decode(cursor.encode())).isEqualTo(cursor);
    }

    @Test
    void encode_satisfiesTheContractParameter() {
        var longest = new Cursor(Instant.parse("2261-12-31T23:59:59.999999Z"), Ids.next()).encode();

        assertThat(longest).hasSizeLessThanOrEqualTo(256).matches("[A-Za-z0-9_-]+");
        assertThat(Cursor.decode(longest).createdAt()).isEqualTo("2261-12-31T23:59:59.999999Z");
    }

    private static void assertInvalidCursor(String cursor) {
        assertThatThrownBy(() -> Cursor.decode(cursor)).isInstanceOfSatisfying(ProblemException.class, e -> assertThat(
                        e.problem().code())
                .isEqualTo(ErrorCode.INVALID_CURSOR));
    }
}
