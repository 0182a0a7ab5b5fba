package dev.slipway.metering.usage;

import dev.slipway.metering.rating.BillingFixture;
import dev.slipway.metering.usage.domain.ScopedFact;
import dev.slipway.testkit.ChildProcess;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;

import static dev.slipway.metering.usage.UsageFixture.await;
import static dev.slipway.metering.usage.UsageFixture.context;
import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** Counts facts in two processes at once and kills one of them repeatedly; then the totals must equal an independent sum. */
final class IngestKillScenario {
    private static final long SEED = 20_261_118;

    private IngestKillScenario() {}

    static void run(Path directory, int facts, int batch, int kills) throws IOException {
        try (var fixture = new UsageFixture();
                var billing = new BillingFixture(fixture.database)) {
            count(fixture, directory, facts, batch, kills);
            rate(billing);
        }
    }

    /** Rates everything that was counted: the rebuild must give the same charges, and the ledger must balance. */
    private static void rate(BillingFixture billing) {
        billing.createPrice("token", "0.0013", Instant.now().minus(1_000, ChronoUnit.DAYS));
        billing.rateAll();

        assertThat(billing.database.query("SELECT count(*) FROM metering.unrated_facts"))
                .isEqualTo("0");
        assertThat(await(billing.monitor.check()).values()).containsOnly(0L);
        var rebuilt = await(billing.reconstruction.reconstruct(context(), UsageFixture.ORG, null));
        assertThat(rebuilt.identical()).isTrue();
    }

    private static void count(UsageFixture fixture, Path directory, int facts, int batch, int kills)
            throws IOException {
        var now = Instant.now().truncatedTo(ChronoUnit.HOURS);
        var killed = new GeneratedFacts("process", SEED, now);
        var own = new GeneratedFacts("api", SEED + 1, now);
        var position = directory.resolve("position");
        var next = 0;
        for (var kill = 0; kill <= kills; kill++) {
            var run = Files.createDirectory(directory.resolve("run-" + kill));
            try (var process = new ChildProcess(
                    run,
                    Map.of(),
                    System.getProperty("java.class.path"),
                    IngestProcessMain.class.getName(),
                    fixture.database.url(),
                    position.toString(),
                    String.valueOf(SEED),
                    String.valueOf(facts),
                    String.valueOf(batch),
                    now.toString())) {
                var end = (int) ((long) facts * (kill + 1) / (kills + 1));
                while (next < end) {
                    apply(fixture, own, next, Math.min(batch, end - next));
                    next = Math.min(end, next + batch);
                }
                if (kill < kills) {
                    var wanted = (int) ((long) facts * kill / (kills + 1));
                    eventually(() -> assertThat(position(position)).isGreaterThanOrEqualTo(wanted));
                    process.kill();
                } else {
                    assertThat(process.exit()).as(process.errors()).isZero();
                }
            }
        }
        apply(fixture, own, 0, Math.min(batch, facts)); // a retry of what was counted

        assertThat(fixture.total()).isEqualTo(String.valueOf(killed.sum(facts) + own.sum(facts)));
        assertThat(fixture.differences()).isEqualTo("0");
    }

    private static int position(Path file) {
        try {
            return Files.exists(file) ? Integer.parseInt("0" + Files.readString(file)) : -1;
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static void apply(UsageFixture fixture, GeneratedFacts facts, int first, int count) {
        var scoped = facts.batch(first, count);
        await(fixture.ingest
                .prepare(scoped.stream().map(ScopedFact::fact).toList(), Instant.now())
                .compose(ok -> fixture.outbox.transaction(context(), unit -> fixture.ingest.apply(unit, scoped))));
    }
}
