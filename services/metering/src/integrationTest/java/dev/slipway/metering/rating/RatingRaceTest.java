package dev.slipway.metering.rating;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.metering.rating.BillingFixture.Usage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.time.YearMonth;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

import static dev.slipway.metering.rating.BillingFixture.await;
import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** Inputs of rating that change while a batch is rated, or while a period is closed. */
class RatingRaceTest {
    private static final YearMonth MONTH = BillingFixture.currentMonth();
    private static final Instant START =
            MONTH.atDay(1).atStartOfDay(ZoneOffset.UTC).toInstant();

    private final BillingFixture billing = new BillingFixture();
    private final UUID org = Ids.next();

    @AfterEach
    void close() {
        billing.close();
    }

    @Test
    void createPrice_ratesUsageAgain_whenItsFirstLinesAreCommittedAfterThePriceIsStored() {
        billing.createPrice("hour", "1.00", START);
        billing.insertFact(Usage.of(org, Ids.next()), "hour", "10", START, MONTH.toString());
        CompletableFuture<Integer> rated;
        CompletableFuture<Void> priced;
        // The rater has loaded the prices, and cannot commit.
        try (var ignored = billing.database.lock("metering.ledger_entries")) {
            rated = billing.rater.rateNext().toCompletionStage().toCompletableFuture();
            awaitWaiting("relation");
            priced = CompletableFuture.runAsync(() -> billing.createPrice("hour", "3.00", START));
            awaitWaiting("advisory");
        }
        assertThat(rated.join()).isEqualTo(1);
        priced.join();
        billing.rateAll();

        assertThat(balance()).isEqualTo("-30.00");
    }

    @Test
    void consume_ratesUsageAgain_whenItsFirstLinesAreCommittedAfterThePlanIsStored() {
        billing.createPrice("hour", "1.00", START);
        var gold = price("hour", "3.00").put("scope", "plan").put("subject", "gold");
        billing.createPrice(gold);
        billing.insertFact(Usage.of(org, Ids.next()), "hour", "10", START, MONTH.toString());
        CompletableFuture<Integer> rated;
        CompletableFuture<Void> changed;
        try (var ignored = billing.database.lock("metering.ledger_entries")) {
            rated = billing.rater.rateNext().toCompletionStage().toCompletableFuture();
            awaitWaiting("relation");
            changed = CompletableFuture.runAsync(() -> billing.consume(
                    "iam.organization.snapshot",
                    START.minusSeconds(60),
                    Json.object().put("org_id", org.toString()).put("plan", "gold")));
            awaitWaiting("advisory");
        }
        assertThat(rated.join()).isEqualTo(1);
        changed.join();
        billing.rateAll();

        assertThat(balance()).isEqualTo("-30.00");
    }

    @Test
    void createPrice_isRefused_whenItsPeriodIsBeingClosed() {
        var last = MONTH.minusMonths(1).atDay(1);
        var unused = billing.database.query("SELECT metering.create_usage_period('%s')".formatted(last));
        billing.insertUnit("hour");
        CompletableFuture<String> refused;
        try (var closing = billing.database.begin(
                "UPDATE metering.usage_periods SET closed_at = now() WHERE period = '" + last + "'")) {
            var body = price("hour", "1.00")
                    .put(
                            "valid_from",
                            last.atStartOfDay(ZoneOffset.UTC).toInstant().toString());
            refused = CompletableFuture.supplyAsync(() ->
                    billing.refusal(() -> billing.call(billing.prices::create, Ids.next(), null, Map.of(), body)));
            awaitBlocked();
            closing.commit();
        }
        assertThat(refused.join()).isEqualTo("period_closed");
    }

    @Test
    void close_waitsForFactsThatAreBeingStored_andFinalizesTheStatementWithThem() {
        var last = MONTH.minusMonths(1);
        var start = last.atDay(1).atStartOfDay(ZoneOffset.UTC).toInstant();
        billing.createPrice("hour", "1.00", start);
        billing.insertFact(Usage.of(org, Ids.next()), "hour", "10", start, last.toString());
        billing.rateAll();
        // As ingestion stores facts.
        var stored = "SET search_path TO metering; SELECT period FROM usage_periods WHERE period >= '" + last
                + "-01' FOR SHARE; " + billing.factSql(Usage.of(org, Ids.next()), "hour", "5", start, last.toString());
        CompletableFuture<JsonNode> closed;
        try (var storing = billing.database.begin(stored)) {
            closed = CompletableFuture.supplyAsync(() ->
                    billing.call(billing.closer::close, Ids.next(), null, Map.of("period", last.toString()), null));
            awaitBlocked();
            storing.commit();
        }
        assertThat(closed.join().path("final").asBoolean()).isFalse();
        assertThat(closed.join().path("unrated").asLong()).isEqualTo(1);
        billing.rateAll();
        billing.closePeriod(last);

        assertThat(billing.call(billing.statements::get, org, null, Map.of("period", last.toString()), null)
                        .path("total")
                        .asText())
                .isEqualTo("15.00");
    }

    @Test
    void closeDue_isRecordedOnce_andClosesOnlyMonthsWithUsage() {
        await(billing.closer.closeDue());
        assertThat(records()).isEqualTo("0");
        var due = YearMonth.from(Instant.now().minusSeconds(86_400 * 5L).atOffset(ZoneOffset.UTC))
                .minusMonths(1);
        var start = due.atDay(1).atStartOfDay(ZoneOffset.UTC).toInstant();
        billing.createPrice("hour", "1.00", start);
        billing.insertFact(Usage.of(org, Ids.next()), "hour", "10", start, due.toString());
        billing.rateAll();

        await(billing.closer.closeDue());
        await(billing.closer.closeDue());

        assertThat(records()).isEqualTo("1");
        assertThat(billing.events(org)).containsExactly("billing.statement.finalized");
    }

    private String records() {
        return billing.database.query("""
                SELECT count(*) FROM metering.outbox
                WHERE event_type = 'audit.recorded' AND convert_from(value, 'UTF8') LIKE '%billing.period.close%'
                """);
    }

    private void awaitBlocked() {
        eventually(() -> assertThat(
                        billing.database.query(
                                "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"))
                .isNotEqualTo("0"));
    }

    private void awaitWaiting(String lockType) {
        eventually(() ->
                assertThat(billing.database.query("""
                        SELECT count(*) FROM pg_locks l JOIN pg_stat_activity a USING (pid)
                        WHERE a.datname = current_database() AND NOT l.granted AND l.locktype = '%s'
                        """.formatted(lockType))).isEqualTo("1"));
    }

    private static ObjectNode price(String unit, String unitPrice) {
        var body = Json.object().put("unit", unit).put("currency", "EUR").put("valid_from", START.toString());
        body.putArray("tiers").addObject().putNull("up_to").put("unit_price", unitPrice);
        return body;
    }

    private String balance() {
        return billing.call(billing.accounts::get, org, null, Map.of(), null)
                .path("balance")
                .asText();
    }
}
