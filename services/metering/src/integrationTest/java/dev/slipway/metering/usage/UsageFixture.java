package dev.slipway.metering.usage;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.slipway.authz.Principal;
import dev.slipway.authz.Principal.ActorType;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.contract.ProblemException;
import dev.slipway.messaging.ChangeContext;
import dev.slipway.messaging.Outbox;
import dev.slipway.messaging.QueryExecutor;
import dev.slipway.metering.ledger.AccountStore;
import dev.slipway.metering.rating.RatingInputStore;
import dev.slipway.service.Call;
import dev.slipway.service.DatabaseSettings;
import dev.slipway.service.Mutations;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import dev.slipway.service.ServiceDatabase;
import dev.slipway.telemetry.Telemetry;
import dev.slipway.testkit.FreshDatabase;
import io.micrometer.core.instrument.MeterRegistry;
import io.opentelemetry.context.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.sqlclient.SqlClient;
import org.jspecify.annotations.Nullable;

import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/** Usage on a real database, without the other services: requests are passed to the API directly. */
public final class UsageFixture implements AutoCloseable {
    public static final UUID ORG = UUID.fromString("01900000-0000-7000-8000-000000000001");
    public static final UUID PROJECT = UUID.fromString("01900000-0000-7000-8000-000000000002");
    public static final UUID OTHER_ORG = UUID.fromString("01900000-0000-7000-8000-000000000003");
    public static final UUID OTHER_PROJECT = UUID.fromString("01900000-0000-7000-8000-000000000004");
    public static final UUID SECOND_PROJECT = UUID.fromString("01900000-0000-7000-8000-000000000005");
    public static final String TRACE = "0af7651916cd43dd8448eb211c80319c";

    public final FreshDatabase database = FreshDatabase.create();
    public final Outbox outbox;
    public final UsageIngest ingest;
    final UsageFactStore store;
    final AttributionStore attribution = new AttributionStore();
    final UsageFactApi api;
    final UsageQueryApi queries;
    final UsageReports reports;
    /** The committed transactions that counted facts. */
    final AtomicInteger countingTransactions = new AtomicInteger();

    private final Telemetry telemetry = Telemetry.start(Map.of());
    private final Vertx vertx =
            telemetry.vertx(new VertxOptions().setEventLoopPoolSize(2)).build();
    private final ServiceDatabase service;
    private final Map<UUID, UUID> projects =
            new HashMap<>(Map.of(PROJECT, ORG, SECOND_PROJECT, ORG, OTHER_PROJECT, OTHER_ORG));

    public UsageFixture() {
        service = await(ServiceDatabase.open(vertx, new DatabaseSettings(database.url(), 8, null), "metering", false));
        outbox = new Outbox(service.transactions(), telemetry.traces(), Clock.systemUTC(), () -> {});
        store = new UsageFactStore(service.reads());
        ingest = new UsageIngest(store, attribution, projects::get, countingTransactions::incrementAndGet);
        var metrics = new UsageMetrics(telemetry.metrics(), Clock.systemUTC(), () -> 0);
        reports = new UsageReports(ingest, store, metrics);
        api = new UsageFactApi(reports, new Mutations(outbox), Clock.systemUTC(), () -> 0.5);
        var queryStore = new UsageQueryStore(service.reads());
        var inputs = new RatingInputStore();
        var executor = QueryExecutor.of(service.reads());
        var focusRows = new FocusRows(
                queryStore,
                new FocusStore(service.reads()),
                (orgId, currency) -> inputs.load(executor, orgId, currency, List.of()),
                orgId -> new AccountStore("EUR").findCurrency(executor, orgId));
        queries = new UsageQueryApi(queryStore, focusRows, Clock.systemUTC(), () -> 0.5);
        await(new UsageUnitConsumer(attribution, outbox).start());
    }

    public Vertx vertx() {
        return vertx;
    }

    /** Returns the number of committed transactions that counted facts. */
    public int countingTransactions() {
        return countingTransactions.get();
    }

    public MeterRegistry meters() {
        return telemetry.metrics();
    }

    public SqlClient reads() {
        return service.reads();
    }

    @CanIgnoreReturnValue
    public static <T> T await(Future<T> future) {
        try {
            return future.toCompletionStage().toCompletableFuture().get(120, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof ProblemException problem) {
                throw problem;
            }
            throw new AssertionError(e);
        } catch (InterruptedException | TimeoutException e) {
            throw new AssertionError(e);
        }
    }

    public static ChangeContext context() {
        return new ChangeContext("correlation", Context.root());
    }

    /** Returns a fact of ten tokens that were used in the last minute. */
    static ObjectNode fact(String id) {
        var end = Instant.now().truncatedTo(ChronoUnit.SECONDS);
        return fact(id, "10", end.minusSeconds(60), end);
    }

    static ObjectNode fact(String id, String quantity, Instant start, Instant end) {
        return Json.object()
                .put("id", id)
                .put("unit", "token")
                .put("quantity", quantity)
                .put("window_start", start.toString())
                .put("window_end", end.toString())
                .put("resource_type", "model")
                .put("resource_id", "llama");
    }

    static ObjectNode correction(String id, String corrects) {
        return Json.object().put("id", id).put("corrects", corrects);
    }

    /** Reports facts for the project of the fixture. */
    @CanIgnoreReturnValue
    JsonNode report(ObjectNode... facts) {
        return report(account(ORG, PROJECT), "factory", List.of(facts));
    }

    @CanIgnoreReturnValue
    JsonNode report(Principal reporter, String source, List<ObjectNode> facts) {
        return Json.parseTrusted(
                await(api.report(reportRequest(reporter, source, facts))).body());
    }

    static Request reportRequest(Principal reporter, String source, List<ObjectNode> facts) {
        var body = Json.object().put("source", source);
        facts.forEach(body.putArray("facts")::add);
        var call = new Call("reportUsageFacts", "correlation", null, Map.of(), Map.of(), Map.of(), body);
        return new Request(call, reporter, reporter.orgId(), reporter.projectId(), context());
    }

    static Principal account(UUID orgId, UUID projectId) {
        return machine(ActorType.SERVICE_ACCOUNT, orgId, projectId, null);
    }

    static Principal operator(UUID orgId, UUID sharedRuntimeId) {
        return machine(ActorType.SHARED_RUNTIME_OPERATOR, orgId, null, sharedRuntimeId);
    }

    private static Principal machine(
            ActorType type, UUID orgId, @Nullable UUID projectId, @Nullable UUID sharedRuntimeId) {
        var id = Ids.next();
        return new Principal(
                id, type, "reporter", id, orgId, projectId, sharedRuntimeId, Set.of("usage.report"), null, null);
    }

    /** Returns the outcomes of a response, in order. */
    static List<String> outcomes(JsonNode response) {
        return response.path("items").findValuesAsText("outcome");
    }

    JsonNode get(
            Function<Request, Future<Reply>> operation,
            UUID orgId,
            @Nullable UUID projectId,
            Map<String, String> query) {
        return Json.parseTrusted(
                await(operation.apply(request(orgId, projectId, query))).body());
    }

    static Request request(UUID orgId, @Nullable UUID projectId, Map<String, String> query) {
        var call = new Call("query", "correlation", null, Map.of(), query, Map.of(), null);
        return new Request(call, Principal.user(Ids.next(), "Reader"), orgId, projectId, context());
    }

    /** Returns the sum of all facts. */
    public String total() {
        return database.query("SELECT coalesce(trim_scale(sum(quantity))::text, '0') FROM metering.usage_facts");
    }

    /** Returns how many sums, ids and entries for rating differ from the facts. */
    public String differences() {
        return database.query("""
                SELECT trim_scale((SELECT count(*) FROM (
                        SELECT org_id, date_trunc('hour', window_end - interval '1 microsecond', 'UTC') AS hour, dimension, unit,
                            unit_version, period, sum(quantity) AS quantity, count(*) AS facts
                        FROM metering.usage_facts GROUP BY 1, 2, 3, 4, 5, 6) f
                    FULL JOIN metering.usage_hours h USING (org_id, hour, dimension, unit, unit_version, period)
                    WHERE f.quantity IS DISTINCT FROM h.quantity OR f.facts IS DISTINCT FROM h.facts)
                    + (SELECT abs((SELECT count(*) FROM metering.usage_facts) - (SELECT count(*) FROM metering.usage_fact_ids)))
                    + (SELECT abs((SELECT coalesce(sum(quantity), 0) FROM metering.usage_facts)
                        - (SELECT coalesce(sum(quantity), 0) FROM metering.usage_months)))
                    + (SELECT abs((SELECT count(*) FROM metering.usage_facts) - (SELECT count(*) FROM metering.unrated_facts))))
                """);
    }

    void addInstance(UUID id, UUID orgId, UUID projectId) {
        database.execute("""
                INSERT INTO metering.metered_instances (app_instance_id, org_id, project_id, app_slug, operating_mode, control_plane_scope,
                    runtime_backend, correlation_id, last_sequence)
                VALUES ('%s', '%s', '%s', 'echo', 'tenant_dedicated', 'project', 'bare_metal', 'launch', 0)
                """.formatted(id, orgId, projectId));
    }

    void addRuntime(UUID id, UUID orgId, UUID attachmentId, UUID projectId) {
        database.execute("""
                INSERT INTO metering.metered_runtimes (shared_runtime_id, org_id, app_slug, operating_mode, control_plane_scope,
                    runtime_backend, correlation_id) VALUES ('%1$s', '%2$s', 'slurm', 'tenant_dedicated', 'tenant', 'slurm', 'create')
                ON CONFLICT DO NOTHING;
                INSERT INTO metering.metered_attachments (attachment_id, shared_runtime_id, project_id, sequence)
                VALUES ('%3$s', '%1$s', '%4$s', 1)
                """.formatted(id, orgId, attachmentId, projectId));
    }

    @Override
    public void close() {
        await(service.close());
        await(vertx.close());
        telemetry.close();
        database.close();
    }
}
