package dev.slipway.messaging;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.pgclient.PgConnection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What waits in an outbox to be published, as last measured. */
final class OutboxBacklog {
    private static final Logger LOG = LoggerFactory.getLogger(OutboxBacklog.class);
    /** Of the oldest rows only: when more wait than that, how many more is not worth a long count. */
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

    void show(MeterRegistry meters) {
        Gauge.builder("slipway.outbox.waiting", this, backlog -> backlog.waiting)
                .description("Events committed and not yet published; 10000 stands for that or more")
                .tag("service", service)
                .register(meters);
        Gauge.builder("slipway.outbox.oldest.age", this, backlog -> backlog.oldestSeconds)
                .description("How long the oldest event that is not yet published has waited")
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
                .onFailure(e -> LOG.atDebug().addKeyValue("service", service).log("the outbox cannot be measured"));
    }

    /** Whoever publishes it shows it. */
    void isAnothers() {
        waiting = 0;
        oldestSeconds = 0;
    }
}
