package dev.slipway.benchmarks;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.embedded.EmbeddedPostgres;
import dev.slipway.messaging.ChangeContext;
import dev.slipway.messaging.Outbox;
import dev.slipway.service.DatabaseSettings;
import dev.slipway.service.ServiceDatabase;
import dev.slipway.telemetry.Telemetry;
import dev.slipway.tenants.TenantsConfig;
import dev.slipway.tenants.database.TenantDatabases;
import dev.slipway.tenants.database.TenantProvisioner;
import dev.slipway.tenants.deployment.domain.BundleContent;
import dev.slipway.tenants.deployment.domain.BundleValidator;
import dev.slipway.tenants.deployment.domain.DiffCalculator;
import dev.slipway.tenants.deployment.domain.MigrationPlanner;
import dev.slipway.tenants.deployment.domain.TableLayout;
import dev.slipway.tenants.metadata.MetadataStore;
import dev.slipway.tenants.metadata.domain.FieldDefinition;
import dev.slipway.tenants.metadata.domain.FieldType;
import dev.slipway.tenants.metadata.domain.IndexDefinition;
import dev.slipway.tenants.metadata.domain.ObjectDefinition;
import dev.slipway.tenants.quota.QuotaStore;
import dev.slipway.tenants.router.TenantPools;
import dev.slipway.tenants.router.TenantRouter;
import dev.slipway.tenants.router.TenantRouter.TenantSession;
import dev.slipway.tenants.router.domain.TenantReference;
import dev.slipway.tenants.router.domain.TenantRuntimeContext;
import dev.slipway.tenants.tenant.TenantStore;
import dev.slipway.tenants.tenant.domain.DatabaseProvider;
import dev.slipway.tenants.tenant.domain.IsolationLevel;
import dev.slipway.tenants.tenant.domain.Tenant;
import dev.slipway.tenants.tenant.domain.TenantDecision.Accepted;
import dev.slipway.tenants.tenant.domain.TenantLifecycle;
import dev.slipway.tenants.tenant.domain.TenantPlan;
import dev.slipway.tenants.tenant.domain.TenantStatus;
import io.opentelemetry.context.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.pgclient.PgBuilder;
import io.vertx.sqlclient.PoolOptions;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;

import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;

/**
 * Measures the router of the tenants service beside a bare pooled client of the same database, with few and with many tenants, and the plan of
 * a large bundle. Runs in its own process with an embedded PostgreSQL.
 */
public final class TenantBenchmark {
    private static final UUID ORG = UUID.fromString("01900000-0000-7000-8000-000000000001");
    private static final int ROUNDS = 9;
    private static final int STATEMENTS = 20_000;
    private static final int PARALLEL = 32;
    private static final int CONNECTED_TENANTS = 50;
    private static final int STORED_TENANTS = 5_000;
    private static final int OBJECTS = 1_000;
    private static final int WAIT_SECONDS = 120;
    private static final long NANOS_PER_MS = 1_000_000;

    /** Prevents the compiler from removing the measured loops. */
    static volatile int sink;

    private final Vertx vertx;
    private final Outbox outbox;
    private final TenantDatabases databases;
    private final TenantProvisioner provisioner;
    private final TenantStore tenants;
    private final TenantRouter router;

    private TenantBenchmark(Vertx vertx, Telemetry telemetry, DatabaseSettings settings) {
        this.vertx = vertx;
        var service = await(ServiceDatabase.open(vertx, settings, "tenants", false));
        outbox = new Outbox(service.transactions(), telemetry.traces(), Clock.systemUTC(), () -> {});
        databases = await(TenantDatabases.open(vertx, settings));
        provisioner = new TenantProvisioner(databases);
        tenants = new TenantStore(service.reads());
        var idle = Duration.ofMinutes(30);
        var config = new TenantsConfig(100, 1, 100, idle, 1, Duration.ofHours(1), Path.of("unused"));
        router = new TenantRouter(
                tenants,
                new QuotaStore(service.reads()),
                new MetadataStore(service.reads()),
                databases,
                new TenantPools(vertx, databases, config.poolLimits()),
                TenantRuntimeContext.kernel(Ids.next(), "1.0.0", 1),
                idle);
    }

    /** The argument is an empty directory. */
    public static void main(String[] arguments) {
        var directory = Path.of(arguments[0]);
        try (var postgres = EmbeddedPostgres.start(directory.resolve("postgres"), directory.resolve("binaries"), 0);
                var telemetry = Telemetry.start(Map.of())) {
            var vertx =
                    telemetry.vertx(new VertxOptions().setEventLoopPoolSize(2)).build();
            var result = new TenantBenchmark(vertx, telemetry, new DatabaseSettings(postgres.uri(), 8)).measure();
            BenchOutput.print(
                    Json.text(result.put("plan_ms", planMs(OBJECTS)).put("small_plan_ms", planMs(OBJECTS / 10))));
            await(vertx.close());
        }
    }

    private ObjectNode measure() {
        var first = provision(IsolationLevel.ISOLATED_DB);
        var connected = new ArrayList<UUID>(List.of(first.id()));
        for (var i = 1; i < CONNECTED_TENANTS; i++) {
            connected.add(provision(IsolationLevel.SHARED_SCHEMA).id());
        }
        var bare = PgBuilder.client()
                .using(vertx)
                .connectingTo(databases.clientOptions(first).setPipeliningLimit(64))
                .with(new PoolOptions().setMaxSize(1))
                .build();
        var session = new TenantSession(List.of(ORG), tenant -> tenant.orgId().equals(ORG));
        var direct = new double[ROUNDS];
        var routed = new double[ROUNDS];
        var many = new double[ROUNDS];
        for (var warm = 0; warm < 2; warm++) {
            for (var round = 0; round < ROUNDS; round++) {
                direct[round] = perSecond(STATEMENTS, i -> select(bare));
                routed[round] = perSecond(STATEMENTS, i -> routedSelect(session, first.id()));
                many[round] = perSecond(STATEMENTS, i -> routedSelect(session, connected.get(i % CONNECTED_TENANTS)));
            }
        }
        await(bare.close());
        var fewStored = uncached(connected);
        for (var i = 0; i < STORED_TENANTS; i++) {
            await(insert(newTenant(IsolationLevel.SHARED_SCHEMA)));
        }
        return Json.object()
                .put("direct", ResultTable.median(direct))
                .put("routed", ResultTable.median(routed))
                .put("routed_many", ResultTable.median(many))
                .put("connected_tenants", CONNECTED_TENANTS)
                .put("uncached_few", fewStored)
                .put("uncached_many", uncached(connected))
                .put("stored_tenants", STORED_TENANTS);
    }

    private Future<Integer> routedSelect(TenantSession session, UUID tenantId) {
        return router.resolveTenant(session, new TenantReference(tenantId, null))
                .compose(found -> router.getTenantClient(tenantId))
                .compose(TenantBenchmark::select);
    }

    private static Future<Integer> select(SqlClient client) {
        return client.preparedQuery("SELECT $1::int4 AS value")
                .execute(Tuple.of(1))
                .map(rows -> rows.iterator().next().getInteger("value"));
    }

    /** Returns how many tenants per second are loaded that are not in the cache. */
    private double uncached(List<UUID> ids) {
        var rates = new double[ROUNDS];
        for (var round = 0; round < ROUNDS; round++) {
            rates[round] = perSecond(STATEMENTS / 10, i -> {
                var id = ids.get(i % ids.size());
                router.invalidateCache(id);
                return router.find(id).map(found -> found.objects().size());
            });
        }
        return ResultTable.median(rates);
    }

    private Tenant provision(IsolationLevel level) {
        var tenant = newTenant(level);
        if (level == IsolationLevel.ISOLATED_DB) {
            await(provisioner.createDatabase(tenant).compose(ok -> provisioner.createRoles(tenant)));
        }
        return await(provisioner
                .createSchema(tenant)
                .compose(ok -> provisioner.applyPolicies(tenant))
                .compose(ok -> insert(tenant)));
    }

    private Future<Tenant> insert(Tenant tenant) {
        return outbox.transaction(new ChangeContext("bench", Context.root()), unit -> {
            tenants.insert(unit, tenant);
            var active = (Accepted) TenantLifecycle.activate(tenant, unit.now());
            tenants.update(unit, active.next(), active.event());
            return Future.succeededFuture(active.next());
        });
    }

    private Tenant newTenant(IsolationLevel level) {
        var id = Ids.next();
        var now = Instant.now();
        return new Tenant(
                id,
                ORG,
                "Workspace",
                null,
                TenantPlan.ENTERPRISE,
                "us-east",
                level,
                DatabaseProvider.POSTGRES,
                TenantStatus.PROVISIONING,
                databases.names(id, level),
                1,
                1,
                null,
                null,
                false,
                now,
                now,
                null);
    }

    private static double perSecond(int count, IntFunction<Future<Integer>> statement) {
        var next = new AtomicInteger();
        var started = System.nanoTime();
        var loops = new ArrayList<Future<Void>>();
        for (var i = 0; i < PARALLEL; i++) {
            loops.add(repeat(next, count, statement));
        }
        await(Future.all(loops));
        return count / ((System.nanoTime() - started) / 1e9);
    }

    private static Future<Void> repeat(AtomicInteger next, int count, IntFunction<Future<Integer>> statement) {
        var i = next.getAndIncrement();
        return i >= count
                ? Future.succeededFuture()
                : statement.apply(i).compose(value -> {
                    sink = value;
                    return repeat(next, count, statement);
                });
    }

    /** Returns the milliseconds for validation, diff and plan of a bundle that changes every object. */
    private static double planMs(int objects) {
        var deployed = bundle(objects, false);
        var wanted = bundle(objects, true);
        var layout = new TableLayout("app", "", table -> List.of());
        var durations = new double[ROUNDS];
        for (var warm = 0; warm < 2; warm++) {
            for (var round = 0; round < ROUNDS; round++) {
                var started = System.nanoTime();
                var issues =
                        BundleValidator.validate(wanted, List.of()).issues().size();
                var changes = DiffCalculator.diff(deployed, wanted).changes().size();
                var plan = MigrationPlanner.plan(deployed.objects(), wanted.objects(), layout, Map.of());
                durations[round] = (System.nanoTime() - started) / (double) NANOS_PER_MS;
                sink = issues + changes + plan.statements().size();
            }
        }
        return ResultTable.median(durations);
    }

    private static BundleContent bundle(int objects, boolean isChanged) {
        var definitions = new ArrayList<ObjectDefinition>();
        for (var i = 0; i < objects; i++) {
            var fields = new ArrayList<FieldDefinition>();
            for (var field = 0; field < 10; field++) {
                fields.add(new FieldDefinition("field_" + field, null, FieldType.TEXT, false, false, null, null));
            }
            fields.add(new FieldDefinition(
                    "previous", null, FieldType.REFERENCE, false, false, null, "object_" + Math.max(0, i - 1)));
            if (isChanged) {
                fields.add(new FieldDefinition("added", null, FieldType.INTEGER, false, false, 0, null));
            }
            var indexes = isChanged
                    ? List.of(new IndexDefinition("by_first", List.of("field_0"), false))
                    : List.<IndexDefinition>of();
            definitions.add(new ObjectDefinition("object_" + i, null, fields, indexes, List.of()));
        }
        return new BundleContent(definitions, List.of(), List.of(), List.of(), List.of());
    }

    @CanIgnoreReturnValue
    private static <T> T await(Future<T> future) {
        try {
            return future.toCompletionStage().toCompletableFuture().get(WAIT_SECONDS, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
