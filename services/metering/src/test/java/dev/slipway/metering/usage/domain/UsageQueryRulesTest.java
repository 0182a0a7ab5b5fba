package dev.slipway.metering.usage.domain;

import dev.slipway.metering.usage.domain.UsageQuery.Bucket;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import static org.assertj.core.api.Assertions.assertThat;

class UsageQueryRulesTest {
    private static final Instant FROM = Instant.parse("2026-03-01T00:00:00Z");
    private static final UUID ID = new UUID(1, 1);

    @Test
    void check_rejectsTimes_thatTheDatabaseCannotCompare() {
        for (var from : List.of(Instant.MIN, Instant.parse("1969-12-31T00:00:00Z"), Instant.MAX)) {
            assertThat(field(query(from, Instant.MAX, Bucket.TOTAL, List.of(), Map.of())))
                    .isEqualTo("from");
        }
        assertThat(field(query(FROM, Instant.MAX, Bucket.TOTAL, List.of(), Map.of())))
                .isEqualTo("to");
    }

    @Test
    void check_rejectsALongRange_onlyIfItReadsTheFacts() {
        var to = FROM.plus(Duration.ofDays(32));

        assertThat(field(query(FROM, to, Bucket.DAY, List.of("correlation_id"), Map.of())))
                .isEqualTo("to");
        assertThat(field(query(FROM, to, Bucket.DAY, List.of(), Map.of("correlation_id", "c"))))
                .isEqualTo("to");
        assertThat(field(query(FROM, to, Bucket.DAY, List.of("actor"), Map.of())))
                .isNull();
        assertThat(field(query(FROM, FROM.plus(Duration.ofDays(31)), Bucket.DAY, List.of("correlation_id"), Map.of())))
                .isNull();
    }

    @Test
    void check_rejectsTimesWithinABucket_andUnknownFields() {
        assertThat(field(query(FROM.plusSeconds(3_600), FROM.plusSeconds(7_200), Bucket.DAY, List.of(), Map.of())))
                .isEqualTo("from");
        assertThat(field(query(FROM, FROM.plusSeconds(1), Bucket.TOTAL, List.of(), Map.of())))
                .isEqualTo("to");
        assertThat(field(query(FROM, FROM.plusSeconds(3_600), Bucket.HOUR, List.of("quantity"), Map.of())))
                .isEqualTo("group_by");
        assertThat(field(query(FROM, FROM.plusSeconds(3_600), Bucket.HOUR, List.of("org_id", "unit"), Map.of())))
                .isNull();
    }

    @Test
    void check_hidesTheSourceProject_fromProjects() {
        var ofProject = new UsageQuery(
                ID, ID, FROM, FROM.plusSeconds(3_600), Bucket.HOUR, List.of("source_project_id"), Map.of());

        assertThat(field(ofProject)).isEqualTo("group_by");
    }

    private static UsageQuery query(
            Instant from, Instant to, Bucket bucket, List<String> groupBy, Map<String, String> filters) {
        return new UsageQuery(ID, null, from, to, bucket, groupBy, filters);
    }

    private static @Nullable String field(UsageQuery query) {
        var problem = query.check();
        return problem == null ? null : problem.field();
    }
}
