package dev.slipway.tenants;

import dev.slipway.contract.Json;
import dev.slipway.service.Call;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import dev.slipway.tenants.tenant.domain.Tenant;
import dev.slipway.testkit.Proves;
import io.vertx.core.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

import java.util.ArrayList;
import java.util.Map;

import static dev.slipway.tenants.TenantsFixture.ORG;
import static dev.slipway.tenants.TenantsFixture.await;
import static dev.slipway.tenants.TenantsFixture.code;
import static dev.slipway.tenants.TenantsFixture.json;
import static dev.slipway.tenants.TenantsFixture.path;
import static org.assertj.core.api.Assertions.assertThat;

/** Quotas under parallel writers, and the measurement of usage. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TenantQuotaTest {
    private static final int WRITERS = 200;
    private static final int LIMIT = 60;

    private TenantsFixture fixture;
    private Tenant tenant;

    @BeforeAll
    void start() {
        fixture = new TenantsFixture();
        fixture.database.execute(
                "UPDATE tenants.plan_quotas SET max_records_per_object = " + LIMIT + " WHERE plan = 'free'");
        tenant = fixture.createTenant("isolated_schema");
        fixture.deploy(tenant, TenantsFixture.accounts());
    }

    @AfterAll
    void stop() {
        fixture.close();
    }

    private Future<Reply> create(int number) {
        var body = Json.object().put("name", "n" + number);
        var call = new Call("createTenantRecord", "c", null, path(tenant, "account"), Map.of(), Map.of(), body);
        return TenantsFixture.withProblems(
                fixture.records.create(new Request(call, fixture.caller, null, null, TenantsFixture.context())));
    }

    @Test
    @Proves("4.17")
    void create_neverExceedsTheLimit_withParallelWriters() {
        var replies = new ArrayList<Future<Reply>>();
        for (var i = 0; i < WRITERS; i++) {
            replies.add(create(i));
        }
        var codes = await(Future.all(replies)).<Reply>list().stream()
                .map(TenantsFixture::code)
                .toList();

        assertThat(codes.stream().filter("ok"::equals)).hasSize(LIMIT);
        assertThat(codes.stream().filter("quota_exceeded"::equals)).hasSize(WRITERS - LIMIT);
        var refused = await(create(-1)).problem();
        assertThat(refused.details().path("exceeded_quota").asText()).isEqualTo("max_records_per_object");
        assertThat(refused.details().path("current_usage").asInt()).isEqualTo(LIMIT);
        assertThat(refused.details().path("limit").asInt()).isEqualTo(LIMIT);
        assertUsageIsMeasured();
    }

    /** A count that is wrong is corrected by the next measurement. */
    private void assertUsageIsMeasured() {
        fixture.database.execute("UPDATE tenants.object_usage SET record_count = 1");
        for (var i = 0; i < 4; i++) { // every tenant of this class
            await(fixture.refresher.refreshNext());
        }

        var body = json(
                fixture.call(fixture.usage::get, Map.of("tenant_id", tenant.id().toString()), null));

        var usage = body.path("usage");
        assertThat(usage.path("current_record_count").asInt()).isEqualTo(LIMIT);
        assertThat(usage.path("current_object_count").asInt()).isEqualTo(1);
        assertThat(usage.path("current_users").asInt()).isEqualTo(3);
        assertThat(usage.path("current_storage_bytes").asLong()).isPositive();
        assertThat(usage.path("api_requests_this_minute").isIntegralNumber()).isTrue();
        assertThat(usage.path("deployments_today").asInt()).isZero();
        assertThat(usage.path("last_updated_at").asText()).isNotEmpty();
        assertThat(body.path("age_seconds").asLong()).isNotNegative();
        assertThat(fixture.database.query(
                        "SELECT count(*) > 0 FROM tenants.outbox WHERE event_type = 'tenants.usage.reported' AND key = '"
                                + tenant.id() + "'"))
                .isEqualTo("t");
    }

    @Test
    void requests_areLimitedPerMinute() {
        var own = fixture.createTenant("shared_schema");
        fixture.deploy(own, TenantsFixture.accounts());
        fixture.database.execute("UPDATE tenants.plan_quotas SET api_rate_limit = 3 WHERE plan = 'free'");
        fixture.router.invalidateCache(own.id());
        var codes = new ArrayList<String>();
        for (var i = 0; i < 12; i++) {
            codes.add(code(fixture.data(fixture.records::list, own, "account", null)));
        }
        fixture.database.execute("UPDATE tenants.plan_quotas SET api_rate_limit = 600 WHERE plan = 'free'");
        fixture.router.invalidateCache(own.id());

        assertThat(codes).startsWith("ok", "ok", "ok").contains("rate_limited");
    }

    @Test
    void check_answersWithoutUsingAnything() {
        var query = Map.of("quota", "max_objects", "amount", "21");
        var path = Map.of("tenant_id", tenant.id().toString());

        var result = json(await(fixture.usage.check(TenantsFixture.request(ORG, path, query, null))));

        assertThat(result.path("allowed").asBoolean()).isFalse();
        assertThat(result.path("exceeded_quota").asText()).isEqualTo("max_objects");
        assertThat(result.path("limit").asInt()).isEqualTo(20);
        assertThat(result.path("message").asText()).contains("20 objects");
    }
}
