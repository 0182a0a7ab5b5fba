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

/** The id of a usage line: its time and the values that its facts have. Opaque to clients. Earlier ids have no version of the unit. */
record UsageLineId(Instant from, Instant to, Map<String, String> values) {
    private static final String UNIT_VERSION = "unit_version";

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
            if (values.entrySet().stream().allMatch(UsageLineId::isValid)) {
                return new UsageLineId(from, to, values);
            }
        } catch (IOException | IllegalArgumentException | DateTimeException e) {
            // Falls through to the error below.
        }
        throw Problem.validationOf(ErrorCode.VALIDATION_ERROR, "line", "is not the id of a usage line")
                .asException();
    }

    private static boolean isValid(Map.Entry<String, String> value) {
        return (UsageQuery.FIELDS.contains(value.getKey()) || value.getKey().equals(UNIT_VERSION))
                && value.getValue().chars().noneMatch(Character::isISOControl);
    }
}
