package dev.slipway.messaging;

import io.vertx.sqlclient.Row;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;

/** Converts between {@link Instant} and the type that the database client uses for {@code timestamptz}. */
public final class SqlTime {
    private SqlTime() {}

    public static OffsetDateTime of(Instant instant) {
        return instant.atOffset(ZoneOffset.UTC);
    }

    public static @Nullable OffsetDateTime ofNullable(@Nullable Instant instant) {
        return instant == null ? null : of(instant);
    }

    /** Reads a column that is not null. */
    public static Instant read(Row row, String column) {
        return row.getOffsetDateTime(column).toInstant();
    }

    public static @Nullable Instant readNullable(Row row, String column) {
        var time = row.getOffsetDateTime(column);
        return time == null ? null : time.toInstant();
    }
}
