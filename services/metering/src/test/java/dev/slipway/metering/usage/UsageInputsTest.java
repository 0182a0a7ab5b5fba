package dev.slipway.metering.usage;

import dev.slipway.contract.Json;
import dev.slipway.messaging.ReceivedRecord;
import dev.slipway.metering.usage.UsageFactJson.FactBody;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Instant;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;

/** Texts of senders that end in the database or in headers of other requests. */
class UsageInputsTest {
    @ParameterizedTest
    @ValueSource(strings = {"a\u0000b", "a\nb", "a\ud800b", "a\u0085b"})
    void shownId_hasOnlyCharacters_thatTheDatabaseStores(String id) {
        var body = Json.toRecord(Json.object().put("id", id), FactBody.class);

        assertThat(body.shownId()).isEqualTo("a?b");
    }

    @ParameterizedTest
    @CsvSource({
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01, 0af7651916cd43dd8448eb211c80319c",
        "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01,",
        "00-zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz-b7ad6b7169203331-01,",
        "00-0af7651916cd43dd8448eb211c80319c-01,"
    })
    void traceId_isNull_unlessItIsHexadecimal(String header, String traceId) {
        var record = new ReceivedRecord(
                "usage.facts", 0, 0, Instant.EPOCH, "key", new byte[0], Map.of("traceparent", header));

        assertThat(UsageFactConsumer.traceId(record)).isEqualTo(traceId);
    }
}
