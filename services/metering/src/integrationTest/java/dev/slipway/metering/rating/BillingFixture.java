package dev.slipway.metering.rating;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.slipway.authz.Principal;
import dev.slipway.contract.Envelope;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.contract.ProblemException;
import dev.slipway.messaging.ChangeContext;
import dev.slipway.messaging.InboxConsumer.ReceivedEvent;
import dev.slipway.messaging.Outbox;
import dev.slipway.messaging.QueryExecutor;
import dev.slipway.messaging.ReceivedRecord;
import dev.slipway.metering.account.AccountApi;
import dev.slipway.metering.account.BudgetApi;
import dev.slipway.metering.ledger.AccountStore;
import dev.slipway.metering.ledger.LedgerMonitor;
import dev.slipway.metering.ledger.LedgerStore;
import dev.slipway.metering.ledger.LedgerWriter;
import dev.slipway.metering.ledger.domain.Freshness;
import dev.slipway.service.Call;
import dev.slipway.service.DatabaseSettings;
import dev.slipway.service.Mutations;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import dev.slipway.service.ServiceDatabase;
import dev.slipway.telemetry.Telemetry;
import dev.slipway.testkit.FreshDatabase;
import io.opentelemetry.context.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import org.jspecify.annotations.Nullable;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.YearMonth;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;

/** Rating and the ledger on a real database, without the other services: facts are inserted as ingestion stores them. */
public final class BillingFixture implements AutoCloseable {
    public final FreshDatabase database;
    private final boolean ownsDatabase;
    final PriceApi prices;
    final AccountApi accounts;
    final BudgetApi budgets;
    final CostSplitApi splits;
    public final StatementApi statements;
    final PeriodCloser closer;
    final RatingConsumer consumer;
    public final ReconstructionApi reconstruction;
    private final ReconciliationApi reconciliation;
    public final Rater rater;
    public final LedgerMonitor monitor;
    final ServiceDatabase service;
    final Outbox outbox;
    private final Telemetry telemetry = Telemetry.start(Map.of());
    private final Vertx vertx =
            telemetry.vertx(new VertxOptions().setEventLoopPoolSize(2)).build();
    /** The organizations of the projects that exist. */
    final Map<UUID, UUID> projectOrgs = new ConcurrentHashMap<>();

    final Set<UUID> unknownOrgs = ConcurrentHashMap.newKeySet();
    private final AtomicInteger facts = new AtomicInteger();

    public BillingFixture() {
        this(FreshDatabase.create(), true);
    }

    /** Rates the facts of an existing database, which stays open. */
    public BillingFixture(FreshDatabase database) {
        this(database, false);
    }

    private BillingFixture(FreshDatabase database, boolean ownsDatabase) {
        this.database = database;
        this.ownsDatabase = ownsDatabase;
        service = await(ServiceDatabase.open(vertx, new DatabaseSettings(database.url(), 6, null), "metering", false));
        outbox = new Outbox(service.transactions(), telemetry.traces(), Clock.systemUTC(), () -> {});
        var mutations = new Mutations(outbox);
        var ratings = new RatingStore();
        var sums = new FactSumStore();
        var queue = new RatingQueueStore(service.reads());
        var inputs = new RatingInputStore();
        var accountStore = new AccountStore("EUR");
        var ledger = new LedgerStore(service.reads());
        var writer = new LedgerWriter(ledger, accountStore);
        Function<UUID, Future<Freshness>> freshness = orgId -> queue.findBacklog(orgId)
                .map(backlog -> Freshness.of(backlog.lagSeconds(), 0, backlog.unrated(), Instant.now()));
        var reads = QueryExecutor.of(service.reads());
        accounts = new AccountApi(accountStore, ledger, writer, mutations, freshness, reads, projectOrgs::get);
        budgets = new BudgetApi(accountStore, ledger, writer, reads, mutations, freshness, Clock.systemUTC());
        prices = new PriceApi(
                new PriceStore(service.reads()),
                queue,
                inputs,
                accountStore,
                reads,
                mutations,
                () -> {},
                Clock.systemUTC(),
                orgId -> !unknownOrgs.contains(orgId));
        splits = new CostSplitApi(inputs, ratings, queue, accountStore, reads, mutations, () -> {}, projectOrgs::get);
        var statementStore = new StatementStore(reads);
        statements = new StatementApi(statementStore, inputs, accountStore, reads, freshness);
        closer = new PeriodCloser(
                vertx, outbox, statementStore, mutations, Duration.ofDays(5), Clock.systemUTC(), telemetry.metrics());
        consumer = new RatingConsumer(inputs, queue);
        reconstruction = new ReconstructionApi(outbox, new ReconstructionStore(inputs, sums), accountStore, reads);
        reconciliation = new ReconciliationApi(
                outbox, new ReconciliationStore(), sums, inputs, accountStore, Clock.systemUTC(), () -> 0.5);
        rater = new Rater(
                vertx,
                outbox,
                queue,
                new OrganizationRating(ratings, sums, inputs, accountStore, writer),
                telemetry.metrics());
        monitor = new LedgerMonitor(vertx, ledger, telemetry.metrics());
    }

    @CanIgnoreReturnValue
    public static <T> T await(Future<T> future) {
        try {
            return future.toCompletionStage().toCompletableFuture().get(120, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw new AssertionError(e);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    public static YearMonth currentMonth() {
        return YearMonth.now(ZoneOffset.UTC);
    }

    /** The attribution of a fact; fields that are not set are null. */
    record Usage(
            UUID orgId,
            @Nullable UUID projectId,
            @Nullable UUID appInstanceId,
            @Nullable UUID sharedRuntimeId,
            @Nullable UUID sourceProjectId) {
        static Usage of(UUID orgId, UUID projectId) {
            return new Usage(orgId, projectId, null, null, null);
        }
    }

    /** Stores a fact in a period, with its unrated row. */
    void insertFact(Usage usage, String unit, String quantity, Instant start, String period) {
        var unused = database.query("SELECT metering.create_usage_period('%s-01')".formatted(period));
        database.execute(factSql(usage, unit, quantity, start, period));
    }

    /** Returns the SQL that stores a fact. */
    String factSql(Usage usage, String unit, String quantity, Instant start, String period) {
        var id = "fact-" + facts.incrementAndGet();
        return """
                WITH f AS (INSERT INTO metering.usage_facts (source, fact_id, unit, unit_version, quantity, window_start, window_end, org_id,
                    project_id, app_instance_id, shared_runtime_id, source_project_id, app_slug, correlation_id, corrects_source, corrects_fact_id,
                    period, body_hash)
                VALUES ('test', '%s', '%s', 1, %s, '%s', '%s', '%s', %s, %s, %s, %s, 'echo', 'correlation', %s, %s, '%s-01', '')
                RETURNING fact_key, period)
                INSERT INTO metering.unrated_batches (period, facts, fact_keys) SELECT period, 1, ARRAY[fact_key] FROM f
                """.formatted(
                        id,
                        unit,
                        quantity,
                        start,
                        start.plusSeconds(3600),
                        usage.orgId,
                        literal(usage.projectId),
                        literal(usage.appInstanceId),
                        literal(usage.sharedRuntimeId),
                        literal(usage.sourceProjectId),
                        quantity.startsWith("-") ? "'test'" : "NULL",
                        quantity.startsWith("-") ? "'fact-1'" : "NULL",
                        period);
    }

    private static String literal(@Nullable UUID id) {
        return id == null ? "NULL" : "'" + id + "'";
    }

    /** Rates everything that is stored. */
    public void rateAll() {
        while (await(rater.rateNext()) > 0) {
            // Another batch.
        }
    }

    public void createPrice(String unit, String unitPrice, Instant from) {
        var body = Json.object().put("unit", unit).put("currency", "EUR").put("valid_from", from.toString());
        body.putArray("tiers").addObject().putNull("up_to").put("unit_price", unitPrice);
        createPrice(body);
    }

    /** Registers a usage unit. */
    void insertUnit(String unit) {
        database.execute("""
                INSERT INTO metering.usage_units (id, version, precision, rating_category, product_id, display_name, lifecycle)
                VALUES ('%1$s', 1, 6, 'runtime', 'test', '%1$s', 'active') ON CONFLICT DO NOTHING
                """.formatted(unit));
    }

    public void createPrice(ObjectNode body) {
        insertUnit(body.path("unit").asText());
        var unused = call(prices::create, Ids.next(), null, Map.of(), body);
    }

    /** Closes a month that has ended. */
    public void closePeriod(YearMonth period) {
        var closed = call(closer::close, Ids.next(), null, Map.of("period", period.toString()), null);
        if (!closed.path("final").asBoolean()) {
            throw new AssertionError(closed);
        }
    }

    /** Reconciles a platform-managed app, or all of them, as an operator of the platform. */
    public JsonNode reconcile(@Nullable String appSlug, YearMonth period) {
        var query = new HashMap<>(Map.of("period", period.toString()));
        if (appSlug != null) {
            query.put("app_slug", appSlug);
        }
        var call = new Call("getUsageReconciliation", "correlation", null, Map.of(), query, Map.of(), null);
        var request = new Request(call, Principal.user(Ids.next(), "Operator"), null, null, context());
        return Json.parseTrusted(await(reconciliation.get(request)).body());
    }

    /** Rates in the background, as the service does. */
    void startRating() {
        vertx.runOnContext(ignored -> rater.start());
    }

    double gauge(String name) {
        return telemetry.metrics().get(name).gauge().value();
    }

    /** Applies an event of another service. */
    void consume(String type, Instant occurredAt, ObjectNode payload) {
        var envelope = new Envelope(Ids.next(), type, occurredAt, 1, "correlation", payload);
        var record = new ReceivedRecord("instances.events", 0, 0, occurredAt, null, new byte[0], Map.of());
        await(outbox.transaction(
                context(), unit -> consumer.apply(unit, List.of(new ReceivedEvent(record, envelope)))));
    }

    public JsonNode call(
            Function<Request, Future<Reply>> operation,
            UUID orgId,
            @Nullable UUID projectId,
            Map<String, String> parameters,
            @Nullable JsonNode body) {
        return call(operation, orgId, projectId, parameters, Map.of(), body);
    }

    private static JsonNode call(
            Function<Request, Future<Reply>> operation,
            UUID orgId,
            @Nullable UUID projectId,
            Map<String, String> parameters,
            Map<String, String> headers,
            @Nullable JsonNode body) {
        var path = new HashMap<>(parameters);
        path.put("org_id", orgId.toString());
        var call = new Call("operation", "correlation", null, path, Map.of(), headers, body);
        var request = new Request(call, Principal.user(Ids.next(), "Ada"), orgId, projectId, context());
        var reply = await(operation.apply(request));
        if (reply.problem() != null) {
            throw reply.problem().asException();
        }
        return Json.parseTrusted(reply.body());
    }

    /** Calls an operation with an ETag in If-Match, unless it is null. */
    JsonNode callIfMatch(
            Function<Request, Future<Reply>> operation,
            UUID orgId,
            @Nullable UUID projectId,
            @Nullable String etag,
            JsonNode body) {
        var headers = etag == null ? Map.<String, String>of() : Map.of("if-match", etag);
        return call(operation, orgId, projectId, Map.of(), headers, body);
    }

    /** Returns the code of the refusal of an operation. */
    String refusal(Supplier<JsonNode> operation) {
        try {
            return "accepted: " + operation.get();
        } catch (ProblemException e) {
            return e.problem().code().code();
        }
    }

    /** Returns the types of the events about an organization, in order. */
    List<String> events(UUID orgId) {
        return List.of(database.query("""
                        SELECT coalesce(string_agg(event_type, ',' ORDER BY seq), '') FROM metering.outbox
                        WHERE topic = 'billing.events' AND key = '%s'
                        """.formatted(orgId)).split(",", -1));
    }

    public static ChangeContext context() {
        return new ChangeContext("correlation", Context.root());
    }

    @Override
    public void close() {
        rater.stop();
        await(service.close());
        await(vertx.close());
        telemetry.close();
        if (ownsDatabase) {
            database.close();
        }
    }
}
