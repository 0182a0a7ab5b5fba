package dev.slipway.instances.spending;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.slipway.contract.Envelope;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.instances.launch.LaunchContextStore;
import dev.slipway.instances.launch.ManifestCache;
import dev.slipway.instances.launch.PolicyFreshness;
import dev.slipway.instances.launch.PolicyMetrics;
import dev.slipway.instances.spending.SpendingStore.DueStop;
import dev.slipway.instances.spending.domain.CostEstimate.ExpectedUsage;
import dev.slipway.instances.spending.domain.Spending;
import dev.slipway.messaging.ChangeContext;
import dev.slipway.messaging.Outbox;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.DatabaseSettings;
import dev.slipway.service.ServiceDatabase;
import dev.slipway.telemetry.Telemetry;
import dev.slipway.testkit.FreshDatabase;
import io.opentelemetry.context.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

/** Limits at chosen times, on a real database: the change of the month, and prices by plan. */
class SpendingStoreTest {
    private static final String OCTOBER = "2026-10-01";
    private static final String NOVEMBER = "2026-11-01";
    private static final Instant NEW_MONTH = Instant.parse("2026-11-01T00:00:00Z");
    private static final ExpectedUsage RUNNING = ExpectedUsage.ofRunning(Set.of(), null);

    private static FreshDatabase database;
    private static Telemetry telemetry;
    private static Vertx vertx;
    private static ServiceDatabase service;
    private static LaunchContextStore contexts;

    private static final Duration MAX_BILLING_AGE = Duration.ofMinutes(2);

    private final SpendingStore spending = new SpendingStore(MAX_BILLING_AGE, BillingAge.register(telemetry.metrics()));
    private final BillingStateStore billing = new BillingStateStore();
    private final UUID org = Ids.next();
    private final UUID project = Ids.next();
    private final UUID instance = Ids.next();
    private int revision;

    @BeforeAll
    static void open() throws Exception {
        database = FreshDatabase.create();
        telemetry = Telemetry.start(Map.of());
        vertx = telemetry.vertx(new VertxOptions().setEventLoopPoolSize(1)).build();
        service = await(ServiceDatabase.open(vertx, new DatabaseSettings(database.url(), 2, null), "instances", false));
        var metrics = PolicyMetrics.register(telemetry.metrics());
        contexts = new LaunchContextStore(
                ManifestCache.create(vertx),
                service.reads(),
                new PolicyFreshness(Duration.ofMinutes(1), metrics),
                MAX_BILLING_AGE,
                "EUR",
                metrics);
    }

    @AfterAll
    static void close() throws Exception {
        await(service.close());
        await(vertx.close());
        telemetry.close();
        database.close();
    }

    /** Without its app, version and requester, which limits do not depend on. */
    @BeforeEach
    void addInstance() {
        database.execute("""
                UPDATE instances.billing_freshness SET known_until = NULL;
                SET session_replication_role = replica;
                INSERT INTO instances.organizations (id, slug, display_name, revision, plan) VALUES ('%1$s', 'o', 'O', 1, 'team')
                """.formatted(org));
        insertInstance(instance);
    }

    private void insertInstance(UUID id) {
        database.execute("""
                SET session_replication_role = replica;
                INSERT INTO instances.app_instances (id, resource_name, org_id, project_id, app_id, app_version_id, display_name, status,
                    requested_by_user_id, requested_by_principal_id)
                VALUES ('%3$s', '%3$s', '%1$s', '%2$s', '%3$s', '%3$s', 'running', 'running', '%3$s', '%3$s')
                """.formatted(org, project, id));
    }

    @Test
    void estimate_usesThePriceOfThePlan_beforeTheDefault_andNotThatOfAnotherPlan() throws Exception {
        var defaultPrice = setPrice("default", "", "1");
        setPrice("plan", "enterprise", "0.1");
        assertEstimate(defaultPrice, "1");

        var ofPlan = setPrice("plan", "team", "0.5");
        assertEstimate(ofPlan, "0.5");

        var ofOrganization = setPrice("organization", org.toString(), "0.7");
        assertEstimate(ofOrganization, "0.7");
    }

    @Test
    void budget_startsAtZeroInTheNextMonth_andReservationsContinue() throws Exception {
        setBudget("100", "90", OCTOBER, "refuse_launches", null, NEW_MONTH.minus(Duration.ofHours(4)));
        reserveADay(instance, NEW_MONTH.minus(Duration.ofHours(4)));
        assertBudget(NEW_MONTH.minusSeconds(1), "90", "24");
        assertThat(load(NEW_MONTH.minusSeconds(1)).check()).isNotNull();

        var later = NEW_MONTH.plus(Duration.ofHours(1));
        assertBudget(later, "0", "24");
        assertThat(load(later).check()).isNull();

        // The first spending of the month is committed as a whole, not as the difference to the last month.
        setBudget("100", "3", NOVEMBER, "refuse_launches", null, later);
        assertBudget(later, "3", "21");

        assertBudget(NEW_MONTH.plus(Duration.ofHours(20)), "3", "0");
    }

    @Test
    void stop_isDueInTheMonthOfTheBudgetOnly() throws Exception {
        var stopAt = NEW_MONTH.minusSeconds(60);
        setBudget("10", "10", OCTOBER, "stop_instances", stopAt, stopAt);

        heartbeat(stopAt.minusSeconds(1));
        assertThat(dueStops(stopAt.minusSeconds(1))).isEmpty();
        heartbeat(NEW_MONTH.minusSeconds(1));
        assertThat(dueStops(NEW_MONTH.minusSeconds(1)))
                .containsExactly(
                        new DueStop(DueStop.Kind.APP_INSTANCE, instance, org, project, Spending.BUDGET_EXCEEDED));
        assertThat(dueStops(NEW_MONTH)).isEmpty();
    }

    @Test
    void stop_isDueAfterTheGracePeriodOfABalance_andNotBefore() throws Exception {
        setAccount(NEW_MONTH);

        heartbeat(NEW_MONTH.minusMillis(1));
        assertThat(dueStops(NEW_MONTH.minusMillis(1))).isEmpty();

        heartbeat(NEW_MONTH);
        assertThat(dueStops(NEW_MONTH))
                .containsExactly(
                        new DueStop(DueStop.Kind.APP_INSTANCE, instance, org, project, Spending.BALANCE_DEPLETED));
    }

    @Test
    void stop_isNotDue_whileBillingIsNotKnownUntilTheEndOfTheGracePeriod_orIsStale() throws Exception {
        setAccount(NEW_MONTH);
        assertThat(dueStops(NEW_MONTH)).as("before the first heartbeat").isEmpty();

        // The consumer pauses: a payment in the last second of the grace period may not have arrived.
        heartbeat(NEW_MONTH.minusSeconds(1));
        assertThat(dueStops(NEW_MONTH.plusSeconds(60))).isEmpty();

        heartbeat(NEW_MONTH);
        var stale = NEW_MONTH.plus(MAX_BILLING_AGE).plusMillis(1);
        assertThat(dueStops(stale)).isEmpty();
        assertThat(confirmStop(stale)).isNull();
        assertThat(load(stale).warnings()).extracting(Spending.Warning::code).contains("billing_stale");

        heartbeat(stale);
        assertThat(dueStops(stale)).hasSize(1);
        assertThat(confirmStop(stale)).isNotNull();
        assertThat(load(stale).warnings()).extracting(Spending.Warning::code).doesNotContain("billing_stale");
        assertThat(load(stale).freshness().asOf()).isEqualTo(stale);
    }

    @Test
    void reservation_ofADeletedInstance_commitsTheTimeOfThatInstanceOnly() throws Exception {
        var start = NEW_MONTH;
        var deletedAt = start.plus(Duration.ofHours(1));
        var following = Ids.next();
        insertInstance(following);
        setBudget("100", "0", NOVEMBER, "refuse_launches", null, start);
        reserveADay(instance, start);
        reserveADay(following, deletedAt);
        database.execute("UPDATE instances.app_instances SET status = 'deleted', deleted_at = '%s' WHERE id = '%s'"
                .formatted(deletedAt, instance));

        var later = deletedAt.plus(Duration.ofHours(10));
        setBudget("100", "11", NOVEMBER, "refuse_launches", null, later);

        assertBudget(later, "11", "14");
    }

    private void assertEstimate(String priceId, String perHour) throws Exception {
        var estimate = load(NEW_MONTH).estimate();
        assertThat(estimate.items())
                .singleElement()
                .satisfies(item -> assertThat(item.price().priceId()).isEqualTo(UUID.fromString(priceId)));
        assertThat(estimate.perHour()).isEqualByComparingTo(perHour);
    }

    private void assertBudget(Instant at, String spent, String reserved) throws Exception {
        var budget = requireNonNull(load(at).budget());
        assertThat(budget.spent()).as("spent at %s", at).isEqualByComparingTo(spent);
        assertThat(budget.reserved()).as("reserved at %s", at).isEqualByComparingTo(reserved);
    }

    private Spending load(Instant at) throws Exception {
        return at(at, unit -> contexts.loadSpending(unit, org, project, RUNNING));
    }

    private DueStop confirmStop(Instant at) throws Exception {
        var listed = new DueStop(DueStop.Kind.APP_INSTANCE, instance, org, project, Spending.BALANCE_DEPLETED);
        return at(at, unit -> spending.findDueStop(unit, listed));
    }

    private List<DueStop> dueStops(Instant at) throws Exception {
        return at(at, unit -> spending.listDueStops(unit, 100)).stream()
                .filter(due -> due.orgId().equals(org))
                .toList();
    }

    /** Reserves the cost of 24 hours at 1 per hour. */
    private void reserveADay(UUID id, Instant createdAt) {
        database.execute("""
                INSERT INTO instances.budget_reservations (app_instance_id, project_id, per_hour, amount, committed, created_at, expires_at)
                VALUES ('%s', '%s', 1, 24, 0, '%s', '%s')
                """.formatted(id, project, createdAt, createdAt.plus(Duration.ofHours(24))));
    }

    @CanIgnoreReturnValue
    private String setPrice(String scope, String subject, String unitPrice) throws Exception {
        var id = Ids.next().toString();
        apply("billing.price.snapshot", NEW_MONTH, """
                {"price_id": "%s", "unit": "app_uptime_hour", "scope": "%s", "subject": "%s", "version": 1, "currency": "EUR",
                 "included": "0", "tiers": [{"up_to": null, "unit_price": "%s"}], "snapshot_at_launch": false,
                 "valid_from": "2026-01-01T00:00:00Z"}
                """.formatted(id, scope, subject, unitPrice));
        return id;
    }

    /** Depletes the balance of the organization, with a grace period that ends at the given time. */
    private void setAccount(Instant stopAt) throws Exception {
        revision++;
        apply("billing.account.snapshot", stopAt.minus(Duration.ofHours(1)), """
                {"org_id": "%s", "currency": "EUR", "state": "depleted", "at_zero": "stop_instances", "refuses_launches": true,
                 "stop_at": "%s", "revision": %d}
                """.formatted(org, stopAt, revision));
    }

    private void heartbeat(Instant committedAt) throws Exception {
        apply("billing.heartbeat", committedAt, "{\"committed_at\": \"%s\"}".formatted(committedAt));
    }

    private void setBudget(String amount, String spent, String period, String atLimit, Instant stopAt, Instant asOf)
            throws Exception {
        revision++;
        apply("billing.budget.snapshot", asOf, """
                {"org_id": "%s", "project_id": "%s", "currency": "EUR", "amount": "%s", "spent": "%s", "period": "%s", "at_limit": "%s",
                 "reservation_hours": 1, "stop_at": %s, "as_of": "%s", "revision": %d}
                """.formatted(
                        org,
                        project,
                        amount,
                        spent,
                        period,
                        atLimit,
                        stopAt == null ? "null" : "\"" + stopAt + "\"",
                        asOf,
                        revision));
    }

    private void apply(String type, Instant time, String payload) throws Exception {
        var event = new Envelope(Ids.next(), type, time, 1, "correlation", Json.parseStoredObject(payload));
        at(time, unit -> billing.apply(unit, event));
    }

    /** Runs a transaction at a time. */
    @CanIgnoreReturnValue
    private static <T> T at(Instant time, Function<UnitOfWork, Future<T>> work) throws Exception {
        var outbox =
                new Outbox(service.transactions(), telemetry.traces(), Clock.fixed(time, ZoneOffset.UTC), () -> {});
        return await(outbox.transaction(new ChangeContext("correlation", Context.root()), work));
    }

    @CanIgnoreReturnValue
    private static <T> T await(Future<T> future) throws Exception {
        return future.toCompletionStage().toCompletableFuture().get(120, TimeUnit.SECONDS);
    }
}
