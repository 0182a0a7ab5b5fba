package dev.slipway.metering.usage;

import dev.slipway.messaging.Outbox;
import dev.slipway.metering.usage.domain.ScopedFact;
import dev.slipway.service.DatabaseSettings;
import dev.slipway.service.ServiceDatabase;
import dev.slipway.telemetry.Telemetry;
import io.vertx.core.VertxOptions;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.Map;

import static dev.slipway.metering.usage.UsageFixture.await;
import static dev.slipway.metering.usage.UsageFixture.context;

/** Counts generated facts in a process that a test kills. Like a consumer, it stores its position after some batches only. */
public final class IngestProcessMain {
    private static final int BATCHES_PER_POSITION = 3;

    private IngestProcessMain() {}

    public static void main(String[] arguments) throws IOException {
        var position = Path.of(arguments[1]);
        var facts = new GeneratedFacts("process", Long.parseLong(arguments[2]), Instant.parse(arguments[5]));
        var count = Integer.parseInt(arguments[3]);
        var batch = Integer.parseInt(arguments[4]);
        var telemetry = Telemetry.start(Map.of());
        var vertx = telemetry.vertx(new VertxOptions()).build();
        var service =
                await(ServiceDatabase.open(vertx, new DatabaseSettings(arguments[0], 4, null), "metering", false));
        var outbox = new Outbox(service.transactions(), telemetry.traces(), Clock.systemUTC(), () -> {});
        var ingest = new UsageIngest(
                new UsageFactStore(service.reads()), new AttributionStore(), project -> UsageFixture.ORG, () -> {});
        var start = Files.exists(position) ? Integer.parseInt(Files.readString(position)) : 0;
        for (var first = start; first < count; first += batch) {
            var scoped = facts.batch(first, Math.min(batch, count - first));
            await(ingest.prepare(scoped.stream().map(ScopedFact::fact).toList(), Instant.now())
                    .compose(ok -> outbox.transaction(context(), unit -> ingest.apply(unit, scoped))));
            if (first / batch % BATCHES_PER_POSITION == 0) {
                Files.writeString(position, String.valueOf(first));
            }
        }
        Files.writeString(position, String.valueOf(count));
        System.exit(0);
    }
}
