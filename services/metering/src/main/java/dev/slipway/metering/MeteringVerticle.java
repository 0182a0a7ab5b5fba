package dev.slipway.metering;

import dev.slipway.messaging.QueryExecutor;
import dev.slipway.messaging.StateHeartbeat;
import dev.slipway.messaging.Topics;
import dev.slipway.metering.account.AccountApi;
import dev.slipway.metering.account.BudgetApi;
import dev.slipway.metering.ledger.AccountStore;
import dev.slipway.metering.ledger.LedgerInvariantStore;
import dev.slipway.metering.ledger.LedgerMonitor;
import dev.slipway.metering.ledger.LedgerStore;
import dev.slipway.metering.ledger.LedgerWriter;
import dev.slipway.metering.ledger.domain.Freshness;
import dev.slipway.metering.rating.CostSplitApi;
import dev.slipway.metering.rating.FactSumStore;
import dev.slipway.metering.rating.OrganizationRating;
import dev.slipway.metering.rating.PeriodCloser;
import dev.slipway.metering.rating.PriceApi;
import dev.slipway.metering.rating.PriceStore;
import dev.slipway.metering.rating.Rater;
import dev.slipway.metering.rating.RatingConsumer;
import dev.slipway.metering.rating.RatingInputStore;
import dev.slipway.metering.rating.RatingQueueStore;
import dev.slipway.metering.rating.RatingStore;
import dev.slipway.metering.rating.ReconciliationApi;
import dev.slipway.metering.rating.ReconciliationStore;
import dev.slipway.metering.rating.ReconstructionApi;
import dev.slipway.metering.rating.ReconstructionStore;
import dev.slipway.metering.rating.StatementApi;
import dev.slipway.metering.rating.StatementStore;
import dev.slipway.metering.runtimehours.HeartbeatConsumer;
import dev.slipway.metering.runtimehours.InstanceUsageApi;
import dev.slipway.metering.runtimehours.LifecycleConsumer;
import dev.slipway.metering.runtimehours.RunningTimeStore;
import dev.slipway.metering.runtimehours.RuntimeHoursEmitter;
import dev.slipway.metering.runtimehours.RuntimeHoursStore;
import dev.slipway.metering.runtimehours.SharedRuntimeConsumer;
import dev.slipway.metering.runtimeusage.RuntimeUsageApi;
import dev.slipway.metering.runtimeusage.RuntimeUsageStore;
import dev.slipway.metering.usage.AdapterUsageConsumer;
import dev.slipway.metering.usage.AttributionStore;
import dev.slipway.metering.usage.FocusRows;
import dev.slipway.metering.usage.FocusStore;
import dev.slipway.metering.usage.TenantUsageConsumer;
import dev.slipway.metering.usage.UsageBacklogMonitor;
import dev.slipway.metering.usage.UsageFactApi;
import dev.slipway.metering.usage.UsageFactConsumer;
import dev.slipway.metering.usage.UsageFactStore;
import dev.slipway.metering.usage.UsageIngest;
import dev.slipway.metering.usage.UsageInvariantStore;
import dev.slipway.metering.usage.UsageMetrics;
import dev.slipway.metering.usage.UsageQueryApi;
import dev.slipway.metering.usage.UsageQueryStore;
import dev.slipway.metering.usage.UsageRefusalCleaner;
import dev.slipway.metering.usage.UsageReports;
import dev.slipway.metering.usage.UsageUnitConsumer;
import dev.slipway.service.Service;
import dev.slipway.service.ServiceContext;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;

/** Wires the metering service. */
public final class MeteringVerticle extends VerticleBase {
    private static final Duration BATCH_WINDOW = Duration.ofMillis(100);
    /** More would occupy the event loop for too long; fewer have more sums to update per fact. */
    private static final int FACTS_PER_TRANSACTION = 5_000;

    private final ServiceContext serviceContext;
    private final MeteringConfig config;
    private @Nullable Service service;
    private @Nullable Rater rater;
    private @Nullable RuntimeHoursEmitter emitter;
    private @Nullable StateHeartbeat heartbeat;

    public MeteringVerticle(ServiceContext serviceContext, MeteringConfig config) {
        this.serviceContext = serviceContext;
        this.config = config;
    }

    @Override
    public Future<?> start() {
        return Service.open(vertx, serviceContext, "metering").compose(this::serve);
    }

    private Future<Void> serve(Service opened) {
        service = opened;
        UsageInvariantStore.checks().forEach(opened::check);
        opened.verify(UsageInvariantStore.verifier());
        var metrics =
                new UsageMetrics(serviceContext.telemetry().metrics(), serviceContext.clock(), opened::secondsBehind);
        var inputs = new RatingInputStore();
        var attribution = new AttributionStore();
        var facts = new UsageFactStore(opened.reads());
        var ingest = new UsageIngest(facts, attribution, serviceContext.authz()::orgOf, this::rateSoon);
        var units = new UsageUnitConsumer(attribution, opened.outbox());
        serveUsage(opened, facts, ingest, metrics, inputs);
        serveRunningTime(opened, ingest);
        opened.consumeBatches("usage-units", List.of(Topics.CATALOG_STATE), Duration.ZERO, units::apply);
        serveBilling(opened, inputs);
        var publisher = new StateHeartbeat(vertx, opened.outbox(), Topics.BILLING_STATE, "billing.heartbeat");
        heartbeat = publisher;
        return units.start()
                .compose(ok -> opened.start())
                .compose(ok -> BillingSnapshots.republishIfNeeded(vertx, serviceContext.kafka(), opened.outbox()))
                .compose(ok -> publisher.start());
    }

    private void serveUsage(
            Service opened, UsageFactStore facts, UsageIngest ingest, UsageMetrics metrics, RatingInputStore inputs) {
        var clock = serviceContext.clock();
        var reports = new UsageReports(ingest, facts, metrics);
        var api = new UsageFactApi(reports, opened.mutations(), clock, opened::secondsBehind);
        var topic = new UsageFactConsumer(
                reports,
                serviceContext.authz(),
                serviceContext.tokens().forReports(),
                clock,
                serviceContext.maxAuthzAgeForWrites());
        var adapters = new AdapterUsageConsumer(ingest, facts, metrics);
        var tenants = new TenantUsageConsumer(ingest, facts, metrics);
        var queryStore = new UsageQueryStore(opened.reads());
        var reads = QueryExecutor.of(opened.reads());
        var accounts = new AccountStore(config.currency());
        var focusRows = new FocusRows(
                queryStore,
                new FocusStore(opened.reads()),
                (orgId, currency) -> inputs.load(reads, orgId, currency, List.of()),
                orgId -> accounts.findCurrency(reads, orgId));
        var queries = new UsageQueryApi(queryStore, focusRows, clock, opened::secondsBehind);
        new UsageBacklogMonitor(vertx, queryStore, metrics).start();
        new UsageRefusalCleaner(vertx, facts, clock).start();
        opened.serve("reportUsageFacts", api::report)
                .serve("listOrganizationUsageLines", queries::listLines)
                .serve("listProjectUsageLines", queries::listLines)
                .serve("listOrganizationUsageFacts", queries::listFacts)
                .serve("listProjectUsageFacts", queries::listFacts)
                .serve("listOrganizationUsageRefusals", queries::listRefusals)
                .serve("listProjectUsageRefusals", queries::listRefusals)
                .serve("exportOrganizationUsage", queries::exportJson)
                .serve("exportProjectUsage", queries::exportJson)
                .serve("exportOrganizationUsageCsv", queries::exportCsv)
                .serve("exportProjectUsageCsv", queries::exportCsv)
                .serve("checkUsageConsistency", queries::compare)
                .consumeItems("usage-facts", List.of(Topics.USAGE_FACTS), FACTS_PER_TRANSACTION, topic)
                .consumeBatches("reported-usage", List.of(Topics.USAGE_EVENTS), BATCH_WINDOW, adapters::apply)
                .consumeBatches("tenant-usage", List.of(Topics.TENANTS_EVENTS), BATCH_WINDOW, tenants::apply);
    }

    private void serveRunningTime(Service opened, UsageIngest ingest) {
        var runtimeTotals = new RuntimeUsageApi(
                new RuntimeUsageStore(opened.reads()), serviceContext.clock(), opened::secondsBehind);
        var runningTime = new RunningTimeStore(opened.reads());
        var api = new InstanceUsageApi(runningTime, serviceContext.clock(), opened::secondsBehind);
        var lifecycle = new LifecycleConsumer(runningTime);
        var hours = new RuntimeHoursStore();
        var runtimes = new SharedRuntimeConsumer(hours);
        var heartbeats = new HeartbeatConsumer(
                hours, serviceContext.authz(), serviceContext.tokens().forReports());
        var started = new RuntimeHoursEmitter(
                vertx,
                hours,
                ingest::prepareAndApply,
                opened.outbox(),
                serviceContext.telemetry().metrics());
        emitter = started;
        started.start();
        opened.serve("getProjectUsage", api::list)
                .serve("getSharedRuntimeUsage", runtimeTotals::listOfRuntime)
                .serve("getProjectSharedRuntimeUsage", runtimeTotals::listOfProject)
                .consumeBatches("usage", List.of(Topics.INSTANCES_EVENTS), BATCH_WINDOW, lifecycle::apply)
                .consumeBatches("shared-runtimes", List.of(Topics.INSTANCES_EVENTS), BATCH_WINDOW, runtimes::apply)
                .consumeBatches("heartbeats", List.of(Topics.RUNTIME_REPORTS), BATCH_WINDOW, heartbeats::apply);
    }

    private void serveBilling(Service opened, RatingInputStore inputs) {
        var meters = serviceContext.telemetry().metrics();
        var clock = serviceContext.clock();
        var authz = serviceContext.authz();
        var ratings = new RatingStore();
        var sums = new FactSumStore();
        var queue = new RatingQueueStore(opened.reads());
        var accounts = new AccountStore(config.currency());
        var ledger = new LedgerStore(opened.reads());
        var writer = new LedgerWriter(ledger, accounts);
        var rating = new Rater(
                vertx, opened.outbox(), queue, new OrganizationRating(ratings, sums, inputs, accounts, writer), meters);
        rater = rating;
        Function<UUID, Future<Freshness>> freshness = orgId -> queue.findBacklog(orgId)
                .map(backlog ->
                        Freshness.of(backlog.lagSeconds(), opened.secondsBehind(), backlog.unrated(), clock.instant()));
        var reads = QueryExecutor.of(opened.reads());
        var accountApi = new AccountApi(accounts, ledger, writer, opened.mutations(), freshness, reads, authz::orgOf);
        var budgetApi = new BudgetApi(accounts, ledger, writer, reads, opened.mutations(), freshness, clock);
        var priceApi = new PriceApi(
                new PriceStore(opened.reads()),
                queue,
                inputs,
                accounts,
                reads,
                opened.mutations(),
                rating::wake,
                clock,
                authz::hasOrganization);
        var splitApi = new CostSplitApi(
                inputs, ratings, queue, accounts, reads, opened.mutations(), rating::wake, authz::orgOf);
        var statements = new StatementStore(reads);
        var statementApi = new StatementApi(statements, inputs, accounts, reads, freshness);
        var closer = new PeriodCloser(
                vertx, opened.outbox(), statements, opened.mutations(), config.closeAfter(), clock, meters);
        var reconstructionApi =
                new ReconstructionApi(opened.outbox(), new ReconstructionStore(inputs, sums), accounts, reads);
        var reconciliationApi = new ReconciliationApi(
                opened.outbox(), new ReconciliationStore(), sums, inputs, accounts, clock, opened::secondsBehind);
        opened.serve("listPrices", priceApi::list)
                .serve("createPrice", priceApi::create)
                .serve("listOrganizationPrices", priceApi::listOfOrganization)
                .serve("getBillingAccount", accountApi::get)
                .serve("putBillingAccount", accountApi::put)
                .serve("listLedgerTransactions", accountApi::list)
                .serve("postLedgerTransaction", accountApi::post)
                .serve("getBudget", budgetApi::get)
                .serve("putBudget", budgetApi::put)
                .serve("listCostSplitPolicies", splitApi::list)
                .serve("createCostSplitPolicy", splitApi::create)
                .serve("simulateCostSplitPolicy", splitApi::simulate)
                .serve("getStatement", statementApi::get)
                .serve("getProjectStatement", statementApi::getOfProject)
                .serve("listStatementLineFacts", statementApi::listFacts)
                .serve("closeBillingPeriod", closer::close)
                .serve("reconstructBilling", reconstructionApi::get)
                .serve("getUsageReconciliation", reconciliationApi::get)
                .consumeBatches(
                        "billing-inputs",
                        List.of(Topics.IAM_STATE, Topics.INSTANCES_EVENTS),
                        BATCH_WINDOW,
                        new RatingConsumer(inputs, queue)::apply);
        LedgerInvariantStore.checks().forEach(opened::check);
        opened.claim(LedgerInvariantStore.claim());
        closer.start();
        new LedgerMonitor(vertx, ledger, meters).start();
        rating.start();
    }

    private void rateSoon() {
        if (rater != null) {
            rater.wakeSoon();
        }
    }

    @Override
    public Future<?> stop() {
        if (heartbeat != null) {
            heartbeat.stop();
        }
        if (emitter != null) {
            emitter.stop();
        }
        if (rater != null) {
            rater.stop();
        }
        return service == null ? Future.succeededFuture() : service.stop();
    }
}
