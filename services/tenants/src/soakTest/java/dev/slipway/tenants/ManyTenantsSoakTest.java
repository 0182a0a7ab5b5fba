package dev.slipway.tenants;

import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.messaging.Failures;
import dev.slipway.service.Reply;
import dev.slipway.tenants.tenant.domain.Tenant;
import io.vertx.core.Future;
import io.vertx.pgclient.PgBuilder;
import io.vertx.sqlclient.PoolOptions;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import static dev.slipway.tenants.TenantsFixture.await;
import static dev.slipway.tenants.TenantsFixture.json;
import static dev.slipway.tenants.TenantsFixture.path;
import static org.assertj.core.api.Assertions.assertThat;

/** Many tenants on one server: provisioning, random load with suspensions and evicted pools, and the cost of the router. */
class ManyTenantsSoakTest {
    private static final int TENANTS = Integer.getInteger("slipway.soak.tenants", 500);
    private static final int LOADED = Math.min(100, TENANTS);
    private static final int REQUESTS = Integer.getInteger("slipway.soak.requests", 20_000);
    private static final int PARALLEL = 32;

    @Test
    void tenants_neverSeeEachOthersRecords_underLoad() {
        var config = new TenantsConfig(25, 1, 25, Duration.ofMinutes(5), 4, Duration.ofMinutes(1), Path.of("unused"));
        try (var fixture = new TenantsFixture(config)) {
            fixture.database.execute("UPDATE tenants.plan_quotas SET api_rate_limit = NULL");
            var tenants = provision(fixture);
            var loaded = tenants.subList(0, LOADED);
            loaded.forEach(tenant -> fixture.deploy(tenant, TenantsFixture.accounts()));
            load(fixture, loaded);
            assertEveryRowIsMarked(fixture, loaded);
            var runtime = Runtime.getRuntime();
            System.out.printf(
                    "router: %d tenants cached, %d pools, %d MiB of heap used%n",
                    fixture.router.size(), fixture.pools.size(), (runtime.totalMemory() - runtime.freeMemory()) >> 20);
            measureRouter(fixture, loaded.get(0));
        }
    }

    private static List<Tenant> provision(TenantsFixture fixture) {
        var ids = new ArrayList<UUID>();
        for (var i = 0; i < TENANTS; i++) {
            ids.add(fixture.requestTenant(
                    i % 20 == 0 ? "isolated_db" : i % 2 == 0 ? "isolated_schema" : "shared_schema"));
        }
        var tenants = ids.stream().map(id -> fixture.awaitStatus(id, "active")).toList();
        System.out.println("provisioning of " + TENANTS + " tenants, ms of work per tenant, p50 and p99: "
                + fixture.database.query("""
                        SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY ms) || ' ' || percentile_disc(0.99) WITHIN GROUP (ORDER BY ms)
                        FROM (SELECT round(extract(epoch FROM max(completed_at) - min(started_at)) * 1000) AS ms
                            FROM tenants.provisioning_steps GROUP BY tenant_id) t
                        """));
        return tenants;
    }

    private static void load(TenantsFixture fixture, List<Tenant> tenants) {
        var random = new Random(17);
        var sent = new int[1];
        var loops = new ArrayList<Future<Void>>();
        for (var i = 0; i < PARALLEL; i++) {
            loops.add(repeat(() -> sent[0]++ >= REQUESTS, () -> request(fixture, tenants, random)));
        }
        try {
            Future.all(loops).toCompletionStage().toCompletableFuture().get(20, TimeUnit.MINUTES);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private static Future<Void> repeat(Supplier<Boolean> done, Supplier<Future<Void>> work) {
        return done.get() ? Future.succeededFuture() : work.get().compose(ok -> repeat(done, work));
    }

    private static Future<Void> request(TenantsFixture fixture, List<Tenant> tenants, Random random) {
        Tenant tenant;
        int kind;
        synchronized (random) {
            tenant = tenants.get(random.nextInt(tenants.size()));
            kind = random.nextInt(1_000);
        }
        var id = Map.of("tenant_id", tenant.id().toString());
        if (kind < 5) {
            return TenantsFixture.withProblems(fixture.api.suspend(
                            TenantsFixture.request(TenantsFixture.ORG, id, Map.of(), Json.object())))
                    .compose(ok -> TenantsFixture.withProblems(
                            fixture.api.resume(TenantsFixture.request(TenantsFixture.ORG, id, Map.of(), null))))
                    .mapEmpty();
        }
        if (kind < 400) {
            var body = Json.object().put("name", tenant.id() + " " + UUID.randomUUID());
            return withRefusals(fixture.records.create(fixture.dataRequest(tenant, "account", Map.of(), body)))
                    .mapEmpty();
        }
        return withRefusals(fixture.records.list(fixture.dataRequest(tenant, "account", Map.of("limit", "20"), null)))
                .map(reply -> {
                    assertMarked(tenant, reply);
                    return null;
                });
    }

    /** A suspension terminates the connection of a request that is under way; the dispatcher answers that the database is unavailable. */
    private static Future<Reply> withRefusals(Future<Reply> reply) {
        return TenantsFixture.withProblems(reply)
                .recover(e -> Failures.isRetryable(e)
                        ? Future.succeededFuture(Reply.of(Problem.of(ErrorCode.TENANT_NOT_READY, "terminated")))
                        : Future.failedFuture(e));
    }

    private static void assertMarked(Tenant tenant, Reply reply) {
        if (reply.problem() == null) {
            json(reply).path("items").forEach(item -> assertThat(
                            item.path("name").asText())
                    .startsWith(tenant.id().toString()));
        }
    }

    private static void assertEveryRowIsMarked(TenantsFixture fixture, List<Tenant> tenants) {
        var rows = 0L;
        for (var tenant : tenants) {
            var filter = Map.of("filter", "{\"name\":{\"contains\":\"" + tenant.id() + "\"}}", "limit", "500");
            var marked = json(fixture.callAs(
                    fixture.caller, fixture.records::list, path(tenant, "account"), filter, Map.of(), null));
            var all = json(fixture.callAs(
                    fixture.caller,
                    fixture.records::list,
                    path(tenant, "account"),
                    Map.of("limit", "500"),
                    Map.of(),
                    null));
            assertThat(marked.path("items")).hasSameSizeAs(all.path("items"));
            rows += all.path("items").size();
        }
        assertThat(rows).isPositive();
    }

    /** Prints the statements per second through the router and on a bare client, and their ratio, in alternating rounds. */
    private static void measureRouter(TenantsFixture fixture, Tenant tenant) {
        var bare = PgBuilder.client()
                .using(fixture.vertx)
                .connectingTo(fixture.databases.clientOptions(tenant).setPipeliningLimit(64))
                .with(new PoolOptions().setMaxSize(1))
                .build();
        var ratios = new ArrayList<Double>();
        for (var round = 0; round < 7; round++) {
            var direct = perSecond(() -> select(bare));
            var routed = perSecond(() -> fixture.router
                    .find(tenant.id())
                    .compose(found -> fixture.router.withClient(found.tenant(), ManyTenantsSoakTest::select)));
            ratios.add(routed / direct);
        }
        Collections.sort(ratios);
        System.out.printf(
                "router: resolve and SELECT, ratio to a bare pooled SELECT, median of 7: %.2f%n", ratios.get(3));
        await(bare.close());
    }

    private static Future<Integer> select(SqlClient client) {
        return client.preparedQuery("SELECT $1::int4")
                .execute(Tuple.of(1))
                .map(rows -> rows.iterator().next().getInteger(0));
    }

    private static double perSecond(Supplier<Future<Integer>> statement) {
        var count = new int[1];
        var started = System.nanoTime();
        var loops = new ArrayList<Future<Void>>();
        for (var i = 0; i < 16; i++) {
            loops.add(repeat(() -> count[0]++ >= 10_000, () -> statement.get().mapEmpty()));
        }
        await(Future.all(loops));
        return 10_000 / ((System.nanoTime() - started) / 1e9);
    }
}
