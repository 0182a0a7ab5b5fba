package dev.slipway.tenants;

import dev.slipway.contract.Envelope;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.messaging.ReceivedRecord;
import dev.slipway.tenants.router.TenantRouter.TenantSession;
import dev.slipway.tenants.router.domain.ResolutionStrategy;
import dev.slipway.tenants.router.domain.TenantReference;
import dev.slipway.tenants.tenant.domain.Tenant;
import dev.slipway.tenants.tenant.domain.TenantStatus;
import dev.slipway.testkit.Proves;
import io.vertx.core.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import static dev.slipway.tenants.TenantsFixture.await;
import static dev.slipway.tenants.TenantsFixture.code;
import static dev.slipway.tenants.TenantsFixture.json;
import static org.assertj.core.api.Assertions.assertThat;

/** The contract of the tenant router: session resolution, client caching and cache invalidation. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TenantRouterTest {
    private TenantsFixture fixture;
    private Tenant tenant;

    @BeforeAll
    void start() {
        fixture = new TenantsFixture(
                new TenantsConfig(3, 1, 3, Duration.ofMinutes(5), 4, Duration.ofMinutes(1), Path.of("unused")));
        tenant = fixture.createTenant("isolated_schema");
    }

    @AfterAll
    void stop() {
        fixture.close();
    }

    private static TenantSession session(UUID orgId) {
        return new TenantSession(List.of(orgId), tenant -> tenant.orgId().equals(orgId));
    }

    private static TenantReference reference(ResolutionStrategy strategy, String value) {
        return TenantReference.of(strategy, value).orElseThrow();
    }

    private String resolve(UUID orgId, TenantReference reference) {
        return await(fixture.router
                .resolveTenant(session(orgId), reference)
                .map(found ->
                        found == null ? "null" : String.valueOf(found.context().tenantId()))
                .otherwise(Throwable::getMessage));
    }

    @Test
    @Proves({"4.07", "4.12", "4.19"})
    void resolveTenant_returnsTheContextOfTheSession() {
        var resolved = await(fixture.router.resolveTenant(
                session(TenantsFixture.ORG),
                reference(ResolutionStrategy.HEADER, tenant.id().toString())));
        var context = resolved.context();

        assertThat(resolved.status()).isEqualTo(TenantStatus.ACTIVE);
        assertThat(context.tenantId()).isEqualTo(tenant.id());
        assertThat(context.tenantPlan()).isEqualTo(tenant.plan());
        assertThat(context.tenantRegion()).isEqualTo("us-east");
        assertThat(context.tenantDbUrl()).startsWith("postgresql://").doesNotContain("@");
        assertThat(context.tenantQuotas().maxUsers()).isEqualTo(10);
        assertThat(context.mode()).isEqualTo("production");
    }

    @Test
    void resolveTenant_findsTheTenant_withEveryStrategy() {
        var id = tenant.id().toString();
        for (var reference : List.of(
                reference(ResolutionStrategy.HEADER, id),
                reference(ResolutionStrategy.SUBDOMAIN, id + ".slipway.test"),
                reference(ResolutionStrategy.PATH, "/app/tenants/" + id + "/home?x=1"))) {
            assertThat(resolve(TenantsFixture.ORG, reference)).isEqualTo(id);
        }
        var org = Ids.next();
        fixture.database.execute("UPDATE tenants.tenants SET org_id = '" + org
                + "', display_name = 'Only' WHERE tenant_id = '" + id + "'");
        fixture.router.invalidateCache(tenant.id());
        assertThat(resolve(org, reference(ResolutionStrategy.TOKEN, null))).isEqualTo(id);
        assertThat(resolve(org, reference(ResolutionStrategy.LOOKUP, "Only"))).isEqualTo(id);
        assertThat(resolve(org, reference(ResolutionStrategy.LOOKUP, "Other"))).isEqualTo("null");
        fixture.database.execute(
                "UPDATE tenants.tenants SET org_id = '" + TenantsFixture.ORG + "' WHERE tenant_id = '" + id + "'");
        fixture.router.invalidateCache(tenant.id());
    }

    @Test
    @Proves("4.19")
    void resolveTenant_returnsNull_forAnUnknownTenantOrSession() {
        assertThat(resolve(
                        Ids.next(),
                        reference(ResolutionStrategy.HEADER, tenant.id().toString())))
                .isEqualTo("null");
        assertThat(resolve(Ids.next(), reference(ResolutionStrategy.TOKEN, null)))
                .isEqualTo("null");
        assertThat(resolve(
                        TenantsFixture.ORG,
                        reference(ResolutionStrategy.HEADER, Ids.next().toString())))
                .isEqualTo("null");
    }

    @Test
    @Proves({"4.07", "4.20"})
    void getTenantClient_returnsTheSameClient_untilTheCacheIsInvalidated() {
        var first = await(fixture.router.getTenantClient(tenant.id()));
        var second = await(fixture.router.getTenantClient(tenant.id()));
        fixture.router.invalidateCache(tenant.id());
        var third = await(fixture.router.getTenantClient(tenant.id()));

        assertThat(second).isSameAs(first);
        assertThat(third).isNotSameAs(first);
        assertThat(await(third.query("SELECT 1").execute()).size()).isEqualTo(1);
    }

    @Test
    void apply_removesCachedCopies_whenAnotherProcessChangedTheTenant() {
        var before = await(fixture.router.find(tenant.id()));
        fixture.database.execute(
                "UPDATE tenants.tenants SET status = 'suspended', generation = generation + 1 WHERE tenant_id = '"
                        + tenant.id() + "'");
        assertThat(await(fixture.router.find(tenant.id())).tenant().isActive()).isTrue();

        apply(before.tenant().generation());
        assertThat(await(fixture.router.find(tenant.id())).tenant().isActive()).isTrue();
        apply(before.tenant().generation() + 1);

        assertThat(await(fixture.router.find(tenant.id())).tenant().isActive()).isFalse();
        fixture.database.execute(
                "UPDATE tenants.tenants SET status = 'active' WHERE tenant_id = '" + tenant.id() + "'");
        fixture.router.invalidateCache(tenant.id());
    }

    private void apply(long generation) {
        var payload = Json.object().put("tenant_id", tenant.id().toString()).put("generation", generation);
        var event = new Envelope(Ids.next(), "tenants.tenant.snapshot", Instant.now(), 1, "c", payload);
        fixture.router.apply(new ReceivedRecord(
                "tenants.state", 0, 0, Instant.now(), tenant.id().toString(), event.toBytes(), Map.of()));
    }

    @Test
    void pools_neverExceedTheLimit_andServeMoreTenants() {
        var tenants = new ArrayList<Tenant>(List.of(tenant));
        for (var i = 0; i < 5; i++) {
            tenants.add(fixture.createTenant("shared_schema"));
        }
        var largest = new int[1];
        var queries = new ArrayList<Future<String>>();
        for (var round = 0; round < 20; round++) {
            for (var one : tenants) {
                queries.add(fixture.router.withClient(one, client -> client.query(
                                "SELECT current_setting('app.current_tenant')")
                        .execute()
                        .map(rows -> {
                            largest[0] = Math.max(largest[0], fixture.pools.size());
                            return one.id()
                                            .toString()
                                            .equals(rows.iterator().next().getString(0))
                                    ? "same"
                                    : "another tenant";
                        })));
            }
        }
        var outcomes = await(Future.all(queries)).<String>list();

        assertThat(outcomes).containsOnly("same");
        assertThat(largest[0]).isBetween(1, 3);
    }

    @Test
    void context_isServed_withTheCallersToken() {
        var org = Ids.next();
        var owner = fixture.permissions.user("tenant_owner", org);
        var headers = Map.of("x-tenant-id", tenant.id().toString());

        var foreign =
                fixture.callAs(owner, fixture.contexts::get, Map.of(), Map.of("strategy", "header"), headers, null);
        var own = fixture.callAs(
                fixture.caller, fixture.contexts::get, Map.of(), Map.of("strategy", "header"), headers, null);

        assertThat(code(foreign)).isEqualTo("tenant_not_found");
        assertThat(json(own).path("tenant_id").asText()).isEqualTo(tenant.id().toString());
        assertThat(json(own).path("tenant_quotas").path("max_objects").asLong()).isEqualTo(20);
    }
}
