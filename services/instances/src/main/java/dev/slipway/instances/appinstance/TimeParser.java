package dev.slipway.instances.appinstance;

import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;

/** Parses times of requests. The contract allows leap seconds, Java does not. */
final class TimeParser {
    private TimeParser() {}

    static Instant parse(String field, String text) {
        try {
            return OffsetDateTime.parse(text).toInstant();
        } catch (DateTimeParseException e) {
            throw Problem.validationOf(ErrorCode.VALIDATION_ERROR, field, "is not a valid time")
                    .asException();
        }
    }
}
