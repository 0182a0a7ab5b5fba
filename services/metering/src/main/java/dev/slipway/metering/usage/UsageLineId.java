package dev.slipway.metering.usage;

import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.metering.usage.domain.UsageQuery;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Base64;
import java.util.Map;
import java.util.TreeMap;

/** The id of a usage line: its time and the values that its facts have. Opaque to clients. */
record UsageLineId(Instant from, Instant to, Map<String, String> values) {

    String encode() {
        var json = Json.object().put("f", from.toString()).put("t", to.toString());
        new TreeMap<>(values).forEach(json::put);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(Json.bytes(json));
    }

    /** Throws a problem if this API did not issue the id. */
    static UsageLineId decode(String text) {
        try {
            var json = Json.parse(Base64.getUrlDecoder().decode(text.getBytes(StandardCharsets.US_ASCII)));
            var values = new TreeMap<String, String>();
            json.properties()
                    .forEach(
                            field -> values.put(field.getKey(), field.getValue().asText()));
            var from = Instant.parse(String.valueOf(values.remove("f")));
            var to = Instant.parse(String.valueOf(values.remove("t")));
            if (UsageQuery.FIELDS.containsAll(values.keySet())) {
                return new UsageLineId(from, to, values);
            }
        } catch (IOException | IllegalArgumentException | DateTimeException e) {
            // Falls through to the error below.
        }
        throw Problem.validationOf(ErrorCode.VALIDATION_ERROR, "line", "is not the id of a usage line")
                .asException();
    }
}
