package dev.slipway.messaging;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.pgclient.PgConnection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Measures how many events of an outbox are not yet published, and for how long. */
final class OutboxBacklog {
    private static final Logger LOG = LoggerFactory.getLogger(OutboxBacklog.class);
    /** Counts at most 10,000 rows: an exact count of a larger backlog is not worth its cost. */
    private static final String MEASURE = """
            SELECT count(*) AS waiting, coalesce(extract(epoch FROM now() - min(occurred_at)), 0)::float8 AS oldest_s
            FROM (SELECT occurred_at FROM outbox ORDER BY seq LIMIT 10000) AS oldest
            """;

    private final String service;
    private volatile long waiting;
    private volatile double oldestSeconds;

    OutboxBacklog(String service) {
        this.service = service;
    }

    void registerGauges(MeterRegistry meters) {
        Gauge.builder("slipway.outbox.waiting", this, backlog -> backlog.waiting)
                .description("Events that are committed but not yet published; 10000 means at least that many")
                .tag("service", service)
                .register(meters);
        Gauge.builder("slipway.outbox.oldest.age", this, backlog -> backlog.oldestSeconds)
                .description("Age of the oldest event that is not yet published")
                .baseUnit("seconds")
                .tag("service", service)
                .register(meters);
    }

    void measure(PgConnection connection) {
        connection
                .query(MEASURE)
                .execute()
                .onSuccess(rows -> {
                    var row = rows.iterator().next();
                    waiting = row.getLong("waiting");
                    oldestSeconds = row.getDouble("oldest_s");
                })
                .onFailure(
                        e -> LOG.atDebug().addKeyValue("service", service).log("failed to measure the outbox backlog"));
    }

    /** Reports no backlog, because another process leads and reports it. */
    void reset() {
        waiting = 0;
        oldestSeconds = 0;
    }
}
