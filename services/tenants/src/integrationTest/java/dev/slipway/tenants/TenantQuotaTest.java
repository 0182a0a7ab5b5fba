package dev.slipway.tenants;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.authz.Principal;
import dev.slipway.contract.Json;
import dev.slipway.service.Call;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import dev.slipway.tenants.quota.RequestCounter;
import dev.slipway.tenants.quota.domain.Quotas;
import dev.slipway.tenants.tenant.domain.Tenant;
import dev.slipway.testkit.Proves;
import io.vertx.core.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

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

    private static final Set<String> REGISTERED_UNITS = registeredUnits();

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

    private static Set<String> registeredUnits() {
        try {
            var units = new HashSet<String>();
            Json.parseTrusted(Files.readAllBytes(Path.of("../../schemas/registries/usage-units.json")))
                    .forEach(unit -> units.add(unit.path("id").asText()));
            return units;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
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
        assertThat(usage.path("current_users").asInt()).isEqualTo(1);
        assertThat(usage.path("current_storage_bytes").asLong()).isPositive();
        assertThat(usage.path("api_requests_this_minute").isIntegralNumber()).isTrue();
        assertThat(usage.path("deployments_today").asInt()).isZero();
        assertThat(usage.path("last_updated_at").asText()).isNotEmpty();
        assertThat(body.path("age_seconds").asLong()).isNotNegative();
        assertUsageIsReported();
    }

    /** Two reports: their windows meet, the ids differ, and every request is in one of them. */
    private void assertUsageIsReported() {
        await(fixture.requests.recordAll());
        for (var i = 0; i < 4; i++) {
            await(fixture.refresher.refreshNext());
        }
        var reports = fixture.database
                .query(
                        "SELECT string_agg(convert_from(value, 'UTF8')::jsonb ->> 'payload', E'\\n' ORDER BY seq) FROM tenants.outbox"
                                + " WHERE event_type = 'tenants.usage.reported' AND key = '" + tenant.id() + "'")
                .lines()
                .map(line -> Json.parseStoredObject(line))
                .toList();
        assertThat(reports).hasSizeGreaterThan(1);
        var requests = 0L;
        JsonNode previous = null;
        for (var report : reports) {
            assertThat(report.path("resource_type").asText()).isEqualTo("tenant");
            assertThat(report.path("resource_id").asText())
                    .isEqualTo(tenant.id().toString());
            assertThat(report.path("org_id").asText()).isEqualTo(ORG.toString());
            assertThat(report.path("facts").findValuesAsText("unit")).allMatch(REGISTERED_UNITS::contains);
            if (previous != null) {
                assertThat(report.path("window_start")).isEqualTo(previous.path("window_end"));
                assertThat(report.path("usage_id")).isNotEqualTo(previous.path("usage_id"));
            }
            requests += report.path("api_requests").asLong();
            previous = report;
        }
        assertThat(requests).isEqualTo(WRITERS + 1);
    }

    @Test
    @Proves("4.43")
    void access_isRefusedToFurtherUsers_whenTheTenantHasAsManyAsItsPlanAllows() {
        var own = fixture.createTenant("shared_schema");
        fixture.deploy(own, TenantsFixture.accounts());
        var quotas = new Quotas(10L, null, null, null, null, null);
        var users = new ArrayList<Principal>();
        for (var i = 0; i < 40; i++) {
            users.add(fixture.permissions.user("tenant_owner", ORG));
        }
        var registered = new ArrayList<Future<String>>();
        for (var i = 0; i < WRITERS; i++) { // each user several times at once
            registered.add(fixture.users
                    .register(users.get(i % users.size()), own, quotas)
                    .map("ok")
                    .otherwise(Throwable::getMessage));
        }
        var outcomes = await(Future.all(registered)).<String>list();

        assertThat(outcomes.stream().filter("ok"::equals)).hasSize(10 * WRITERS / users.size());
        var refused = fixture.callAs(
                fixture.permissions.user("tenant_owner", ORG),
                fixture.records::list,
                path(own, "account"),
                Map.of(),
                Map.of(),
                null);
        assertThat(code(refused)).isEqualTo("quota_exceeded");
        assertThat(refused.problem().details().path("exceeded_quota").asText()).isEqualTo("max_users");
        assertThat(refused.problem().details().path("current_usage").asInt()).isEqualTo(10);
        assertThat(code(fixture.callAs(
                        users.get(users.size() - 1),
                        fixture.records::list,
                        path(own, "account"),
                        Map.of(),
                        Map.of(),
                        null)))
                .isEqualTo(outcomes.get(users.size() - 1).equals("ok") ? "ok" : "quota_exceeded");
    }

    @Test
    void requests_areLimitedAcrossProcesses() {
        var own = fixture.createTenant("shared_schema");
        var quotas = new Quotas(null, null, (long) LIMIT, null, null, null);
        var noon = Clock.fixed(Instant.parse("2026-03-02T12:00:00Z"), ZoneOffset.UTC);
        var processes = List.of(
                new RequestCounter(fixture.outbox, fixture.quotas, noon),
                new RequestCounter(fixture.outbox, fixture.quotas, noon),
                new RequestCounter(fixture.outbox, fixture.quotas, noon));
        var counted = new ArrayList<Future<Boolean>>();
        for (var i = 0; i < WRITERS; i++) {
            counted.add(processes.get(i % 3).count(own.id(), quotas).map(result -> result.allowed()));
        }
        var allowed = await(Future.all(counted)).<Boolean>list().stream()
                .filter(one -> one)
                .count();

        assertThat(allowed).isBetween(LIMIT - 3L * 3, (long) LIMIT);
        assertThat(fixture.database.query(
                        "SELECT granted FROM tenants.tenant_requests WHERE tenant_id = '" + own.id() + "'"))
                .isEqualTo(String.valueOf(LIMIT));
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
