package dev.slipway.instances.history;

import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;

/** Times as callers write them. The contract allows a leap second; Java has none. */
final class Times {
    private Times() {}

    static Instant parse(String field, String text) {
        try {
            return OffsetDateTime.parse(text).toInstant();
        } catch (DateTimeParseException e) {
            throw Problem.validationOf(ErrorCode.VALIDATION_ERROR, field, "is not a time that can be asked about")
                    .asException();
        }
    }
}
