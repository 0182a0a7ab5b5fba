package dev.slipway.standalone;

import dev.slipway.contract.Json;
import dev.slipway.testkit.FreshDatabase;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

import static dev.slipway.testkit.Eventually.eventually;
import static dev.slipway.testkit.Eventually.eventuallyGet;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two organizations report usage by API and topic at the same time, while metering rates it and is killed. Each part of the facts is followed by
 * the next one when all of it is sent; metering is killed at a random moment of each part but the last.
 */
class UsageChannelsSoakTest {
    private static final int FACTS = Integer.getInteger("slipway.soak.facts", 1_000_000);
    private static final int KILLS = Integer.getInteger("slipway.soak.kills", 10);
    private static final long SEED = Long.getLong("slipway.soak.seed", System.nanoTime());
    /** Two organizations with two channels each. */
    private static final int FACTS_PER_CHANNEL = FACTS / 4;
    /** The largest request that the contract allows; smaller if there are few facts, so that every part has several. */
    private static final int FACTS_PER_REQUEST = Math.max(50, Math.min(1_000, FACTS / 400));

    private static final String COUNTED =
            "SELECT coalesce(sum(facts), 0)::bigint FROM metering.usage_months WHERE unit = 'token'";
    private static final String UNRATED = "(SELECT coalesce(sum(facts), 0)::bigint FROM metering.unrated_batches)";

    @TempDir
    private Path directory;

    private MeteringCluster cluster;
    private List<GeneratedFactReporter> reporters;
    private FreshDatabase database;

    @Test
    void totalsChargesAndLedger_areExact_whenMeteringIsKilledWhileItCountsAndPosts() throws Exception {
        System.out.printf("usage channels: %,d facts, %d kills, seed %d%n", FACTS, KILLS, SEED);
        var now = Instant.now().truncatedTo(ChronoUnit.HOURS);
        var threads = Executors.newFixedThreadPool(5);
        try (var started = new MeteringCluster(directory)) {
            cluster = started;
            database = started.platform().database();
            var calls = new UsageCalls(started.platform());
            reporters = List.of(
                    new GeneratedFactReporter(calls, DemoData.ORG, DemoData.PROJECT, SEED, now, FACTS_PER_REQUEST),
                    new GeneratedFactReporter(
                            calls, DemoData.OTHER_ORG, DemoData.OTHER_PROJECT, SEED + 2, now, FACTS_PER_REQUEST));
            createPrice("0.0013", now.minus(100, ChronoUnit.DAYS));

            reportAndKill(threads, now);

            awaitAllRated();
            assertConsistent();
            for (var reporter : reporters) {
                assertTotals(reporter);
                assertCharges(reporter.orgId());
            }
            assertThat(cluster.violations()).isEmpty();
        } finally {
            threads.shutdownNow();
        }
    }

    private void reportAndKill(ExecutorService threads, Instant now) throws Exception {
        var random = new Random(SEED);
        for (var part = 0; part <= KILLS; part++) {
            var from = position(part);
            var to = position(part + 1);
            var killAt = from + (int) ((0.1 + 0.6 * random.nextDouble()) * (to - from));
            var reached = new CompletableFuture<Void>();
            var tasks = new ArrayList<CompletableFuture<Void>>();
            for (var reporter : reporters) {
                tasks.add(CompletableFuture.runAsync(
                        () -> reporter.reportByApi(from, to, position -> {
                            if (position >= killAt) {
                                reached.complete(null);
                            }
                        }),
                        threads));
                tasks.add(CompletableFuture.runAsync(() -> reporter.reportByTopic(from, to), threads));
            }
            if (part == KILLS / 2) {
                // In effect since the middle of the windows, so what is rated already is rated again.
                tasks.add(CompletableFuture.runAsync(
                        () -> createPrice("0.0017", now.minus(12, ChronoUnit.HOURS)), threads));
            }
            if (part < KILLS) {
                CompletableFuture.anyOf(reached, failureOf(tasks)).get(30, TimeUnit.MINUTES);
                kill(part + 1, killAt);
            }
            CompletableFuture.allOf(tasks.toArray(CompletableFuture[]::new)).get(30, TimeUnit.MINUTES);
        }
        var retries =
                reporters.stream().mapToInt(GeneratedFactReporter::retries).sum();
        System.out.printf("usage channels: requests were repeated %d times%n", retries);
        assertThat(retries).as("requests that a kill interrupted").isPositive();
    }

    /** Fails when one of the tasks fails. */
    private static CompletableFuture<Void> failureOf(List<CompletableFuture<Void>> tasks) {
        var failure = new CompletableFuture<Void>();
        for (var task : tasks) {
            var unused = task.exceptionally(e -> {
                failure.completeExceptionally(e);
                return null;
            });
        }
        return failure;
    }

    /** Kills metering while requests are in flight; every second time later, when it has posted charges of this part. */
    private void kill(int kill, int position) {
        if (kill % 2 == 0) {
            var wanted = countDistinct(position);
            eventually(() -> assertThat(progress(true)).isGreaterThanOrEqualTo(wanted));
        }
        cluster.killMetering();
        System.out.printf(
                "usage channels: kill %d at fact %,d of each channel; %,d facts were counted, %,d rated%n",
                kill, position, progress(false), progress(true));
        cluster.startMetering();
    }

    /** Returns how many facts are counted, or rated. */
    private long progress(boolean isRating) {
        return number(isRating ? COUNTED.replace("::bigint", "::bigint - " + UNRATED) : COUNTED);
    }

    private void awaitAllRated() {
        var wanted = countDistinct(FACTS_PER_CHANNEL);
        eventually(() -> assertThat(progress(false)).isEqualTo(wanted));
        eventually(() -> assertThat(number("SELECT " + UNRATED + " + (SELECT count(*) FROM metering.rating_queue)"))
                .isZero());
    }

    private void assertTotals(GeneratedFactReporter reporter) {
        var sum = reporter.sum(FACTS_PER_CHANNEL);
        for (var table : List.of("usage_facts", "usage_hours", "usage_months")) {
            assertThat(number("SELECT sum(quantity)::bigint FROM metering.%s WHERE org_id = '%s'"
                            .formatted(table, reporter.orgId())))
                    .as("%s of %s", table, reporter.orgId())
                    .isEqualTo(sum);
        }
        var refusals =
                "SELECT count(*) FROM metering.usage_refusals WHERE org_id = '" + reporter.orgId() + "' AND outcome ";
        assertThat(number(refusals + "<> 'conflict'")).isZero();
        assertThat(number(refusals + "= 'conflict'"))
                .isEqualTo(reporter.conflicts(FACTS_PER_CHANNEL).size());
    }

    private void assertCharges(UUID orgId) {
        var owner = orgId.equals(DemoData.ORG) ? "tenant_owner" : "other_tenant_owner";
        var rebuilt = eventuallyGet(() -> cluster.platform()
                .as(owner)
                .call("reconstructBilling")
                .path("org_id", orgId)
                .send()
                .expect(200)
                .body());
        assertThat(rebuilt.path("identical").asBoolean()).as("%s", rebuilt).isTrue();
        var charged = amount("SELECT sum(amount) FROM metering.charges WHERE org_id = '" + orgId + "'");
        assertThat(charged).isPositive();
        assertThat(charged)
                .isEqualByComparingTo(rebuilt.path("items").findValuesAsText("amount").stream()
                        .map(BigDecimal::new)
                        .reduce(BigDecimal.ZERO, BigDecimal::add));
        assertThat(charged).isEqualByComparingTo(amount("""
                SELECT sum(t.usage) FROM metering.ledger_totals t JOIN metering.ledger_accounts a ON a.id = t.account_id
                WHERE a.org_id = '%s'
                """.formatted(orgId)));
        assertThat(charged).isEqualByComparingTo(amount("""
                SELECT sum(CASE e.side WHEN 'debit' THEN e.amount ELSE -e.amount END) FROM metering.ledger_entries e
                JOIN metering.ledger_accounts a ON a.id = e.account_id WHERE a.org_id = '%s'
                """.formatted(orgId)));
    }

    /** Waits until every check has compared everything once more. */
    private void assertConsistent() {
        var rated = Instant.now();
        eventually(() -> {
            var report = cluster.platform()
                    .as("platform_superadmin")
                    .call("getConsistency")
                    .send()
                    .expect(200)
                    .body();
            assertThat(report.path("checks").findValuesAsText("check"))
                    .contains("ledger_transactions", "ledger_totals", "posted_charges", "charged_lines");
            for (var check : report.path("checks")) {
                assertThat(Instant.parse(check.path("started_at").asText())).isAfter(rated);
            }
            assertThat(report.path("consistent").asBoolean()).as("%s", report).isTrue();
        });
    }

    private void createPrice(String unitPrice, Instant validFrom) {
        var price = Json.parseStoredObject("""
                {"unit": "token", "currency": "EUR", "included": "1000", "valid_from": "%s",
                 "tiers": [{"up_to": "100000", "unit_price": "%s"}, {"up_to": null, "unit_price": "0.0007"}]}
                """.formatted(validFrom, unitPrice));
        cluster.platform()
                .as("platform_superadmin")
                .call("createPrice")
                .header("Idempotency-Key", UUID.randomUUID().toString())
                .body(price)
                .sendUntilFinal(reason -> {})
                .expect(201);
    }

    private long countDistinct(int countPerChannel) {
        return reporters.stream()
                .mapToLong(reporter -> reporter.countDistinct(countPerChannel))
                .sum();
    }

    private static int position(int part) {
        return (int) ((long) FACTS_PER_CHANNEL * part / (KILLS + 1));
    }

    private long number(String sql) {
        return Long.parseLong(database.query(sql));
    }

    private BigDecimal amount(String sql) {
        return new BigDecimal(database.query(sql));
    }
}
