package dev.slipway.messaging;

import io.vertx.pgclient.PgException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class FailuresTest {
    @ParameterizedTest
    @CsvSource({
        "23514, false", // a check constraint
        "42P01, false", // a table that does not exist
        "55006, false", // an object in use
        "08006, true", // a connection failure
        "53300, true", // too many connections
        "57014, true", // a canceled statement
        "40P01, true", // a deadlock
        "55P03, true" // a lock that another transaction held for too long
    })
    void isRetryable_dependsOnTheStateOfTheDatabaseError(String sqlState, boolean expected) {
        assertThat(Failures.isRetryable(new PgException("failed", "ERROR", sqlState, "")))
                .isEqualTo(expected);
    }
}
