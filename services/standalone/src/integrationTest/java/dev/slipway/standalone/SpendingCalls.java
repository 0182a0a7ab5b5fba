package dev.slipway.standalone;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.slipway.contract.Json;
import dev.slipway.standalone.PolicyCalls.PolicyTenant;
import dev.slipway.standalone.TenantCalls.Tenant;
import dev.slipway.testkit.ApiClient.ApiResponse;
import dev.slipway.testkit.ApiClient.Call;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.YearMonth;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;

import static dev.slipway.testkit.Eventually.eventually;
import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;
import static org.assertj.core.api.Assertions.assertThat;

/** Calls of the tests that limit launches by their cost, as the platform and as owners of tenants. */
record SpendingCalls(PlatformUnderTest platform) {
    /** Creates a tenant with a project that may launch the demo's app. */
    PolicyTenant createTenant(String slug) {
        var tenant = new PolicyCalls(platform).createTenant(slug);
        entitle(tenant);
        return tenant;
    }

    /** Creates another project of the tenant that may launch the demo's app. */
    PolicyTenant createSibling(PolicyTenant of, String slug) {
        var project = new TenantCalls(platform).project(of.tenant(), slug);
        var sibling = new PolicyTenant(of.calls(), of.tenant(), project, of.departmentId());
        eventually(() -> sibling.call("getEffectivePolicy").send().expect(200));
        entitle(sibling);
        return sibling;
    }

    private void entitle(PolicyTenant tenant) {
        tenant.entitle("{'enabled': true}").send().expect(200);
        platform.awaitReplication();
    }

    /** Sets the price of a unit for one organization, and waits until launches use it. */
    @CanIgnoreReturnValue
    String setPrice(Tenant tenant, String unit, String unitPrice) {
        var body = Json.parseStoredObject("""
                {"unit": "%s", "currency": "EUR", "scope": "organization", "subject": "%s", "valid_from": "%s", "tiers": [{"up_to": null, "unit_price": "%s"}]}
                """.formatted(
                unit, tenant.orgId(), Instant.now().minusSeconds(3600).truncatedTo(ChronoUnit.SECONDS), unitPrice));
        var id = platform.as("platform_superadmin")
                .call("createPrice")
                .body(body)
                .send()
                .expect(201)
                .text("id");
        awaitRow("billing_prices WHERE id = '" + id + "'");
        return id;
    }

    /** Sets the credit limit to zero: without a payment, the balance is depleted at once. */
    void deplete(Tenant tenant, String atZero, int graceSeconds) {
        putAccount(tenant, "0", atZero, graceSeconds);
        awaitRow("billing_accounts WHERE org_id = '%s' AND state = 'depleted' AND at_zero = '%s'"
                .formatted(tenant.orgId(), atZero));
    }

    void putAccount(Tenant tenant, String creditLimit, String atZero, int graceSeconds) {
        var body = Json.object()
                .put("credit_limit", creditLimit)
                .put("low_balance", "0")
                .put("at_zero", atZero)
                .put("grace_seconds", graceSeconds);
        asPlatform(tenant, "adminPutBillingAccount").body(body).send().expect(200);
    }

    void topUp(Tenant tenant, String amount) {
        var body = Json.object()
                .put("type", "top_up")
                .put("amount", amount)
                .put("currency", "EUR")
                .put("reference", UUID.randomUUID().toString())
                .put("reason", "bank transfer");
        asPlatform(tenant, "adminPostLedgerTransaction").body(body).send().expect(201);
        awaitRow("billing_accounts WHERE org_id = '" + tenant.orgId() + "' AND state = 'healthy'");
    }

    private Call asPlatform(Tenant tenant, String operationId) {
        return platform.as("platform_superadmin")
                .call(operationId)
                .path("org_id", tenant.orgId())
                .header("X-Break-Glass-Reason", "the contract of the tenant");
    }

    /** Sets the budget of a project, and waits until launches use it. */
    void setBudget(PolicyTenant tenant, String amount, String atLimit, int reservationHours) {
        var body = Json.object()
                .put("amount", amount)
                .put("currency", "EUR")
                .put("at_limit", atLimit)
                .put("grace_seconds", 0)
                .put("reservation_hours", reservationHours);
        tenant.call("putBudget").body(body).send().expect(200);
        awaitRow(
                "billing_budgets WHERE project_id = '%s' AND amount = %s AND at_limit = '%s' AND reservation_hours = %d"
                        .formatted(tenant.projectId(), amount, atLimit, reservationHours));
    }

    /** Reports usage of the project, in a unit that is not measured by the platform. */
    void use(PolicyTenant tenant, String unit, String quantity) {
        var account = tenant.call("createServiceAccount")
                .body(Json.parseStoredObject("""
                        {"slug": "reporter", "display_name": "Reporter", "allowed_actions": ["usage.report"]}
                        """))
                .send()
                .expect(201)
                .text("id");
        var credential = tenant.call("createServiceAccountCredential")
                .path("service_account_id", account)
                .body(Json.object())
                .send()
                .expect(201);
        platform.awaitReplication();
        var token = CredentialCalls.exchangeToken(platform, credential);
        var now = Instant.now().truncatedTo(ChronoUnit.SECONDS);
        var body = Json.parseStoredObject("""
                {"source": "factory", "facts": [{"id": "request-1", "unit": "%s", "quantity": "%s", "window_start": "%s",
                    "window_end": "%s", "resource_type": "model", "resource_id": "one"}]}
                """.formatted(unit, quantity, now.minusSeconds(1), now));
        var reported = platform.anonymous()
                .as(token)
                .call("reportUsageFacts")
                .body(body)
                .send()
                .expect(200);
        assertThat(reported.body().at("/counts/accepted").asInt()).isEqualTo(1);
    }

    /** Returns the statement of a project for the current month. */
    JsonNode statement(PolicyTenant tenant) {
        return tenant.call("getProjectStatement")
                .path("period", YearMonth.now(ZoneOffset.UTC).toString())
                .send()
                .expect(200)
                .body();
    }

    /** Returns what the ledger has debited to a project for a unit, less what it has credited. */
    BigDecimal debited(Tenant tenant, UUID projectId, String unit) {
        var entries = platform.as(tenant.owner())
                .call("listLedgerTransactions")
                .path("org_id", tenant.orgId())
                .query("limit=100")
                .send()
                .expect(200)
                .body()
                .findParents("side");
        return entries.stream()
                .filter(entry -> entry.path("account").asText().equals("project")
                        && entry.path("project_id").asText().equals(projectId.toString())
                        && entry.path("unit").asText().equals(unit))
                .map(entry -> {
                    var amount = new BigDecimal(entry.path("amount").asText());
                    return entry.path("side").asText().equals("debit") ? amount : amount.negate();
                })
                .reduce(BigDecimal.ZERO, BigDecimal::add);
    }

    ApiResponse plan(PolicyTenant tenant) {
        return tenant.call("planAppInstance")
                .body(PlatformUnderTest.launchBody("planned"))
                .send()
                .expect(200);
    }

    /** Returns the instance after a deletion without an adapter. */
    void forceDelete(PolicyTenant tenant, String instance) {
        platform.as("platform_superadmin")
                .call("adminForceDeleteAppInstance")
                .path("project_id", tenant.projectId())
                .path("app_instance_id", instance)
                .header("X-Break-Glass-Reason", "its cluster is gone")
                .body(Json.object().put("reason", "its cluster is gone"))
                .send()
                .expect(200);
    }

    String status(PolicyTenant tenant, String instance) {
        return tenant.call("getAppInstance")
                .path("app_instance_id", instance)
                .send()
                .expect(200)
                .text("status");
    }

    void awaitRow(String tableAndCondition) {
        eventually(
                () -> assertThat(platform.database().query("SELECT count(*) > 0 FROM instances." + tableAndCondition))
                        .as(tableAndCondition)
                        .isEqualTo("t"));
    }

    /** Sends launches concurrently, as clients do that retry an overloaded platform, and returns the status and code of each final response. */
    List<String> launchAtOnce(PolicyTenant tenant, int count) throws Exception {
        var threads = Executors.newFixedThreadPool(30);
        try {
            var calls = new ArrayList<Callable<String>>();
            for (var i = 0; i < count; i++) {
                var launch = tenant.launch("{}")
                        .header("Idempotency-Key", UUID.randomUUID().toString());
                calls.add(() -> TenantCalls.statusAndCode(launch.sendUntilFinal(retried -> {})));
            }
            var responses = new ArrayList<String>();
            for (var response : threads.invokeAll(calls)) {
                responses.add(response.get());
            }
            return responses;
        } finally {
            threads.shutdownNow();
        }
    }

    /** Launches at the limit of a budget with room for {@code room} instances: so many are accepted, and all others are refused. */
    void assertBudgetHolds(String slug, int launches, int room) throws Exception {
        var tenant = createTenant(slug);
        setPrice(tenant.tenant(), "app_uptime_hour", "0.25");
        setBudget(tenant, String.valueOf(room), "refuse_launches", 4);

        var responses = launchAtOnce(tenant, launches);

        assertThat(responses.stream().collect(groupingBy(each -> each.strip(), counting())))
                .isEqualTo(Map.of("202", (long) room, "409 budget_exceeded", (long) launches - room));
        assertThat(platform.database().query("""
                SELECT count(*) || ' ' || trim_scale(sum(amount)) FROM instances.budget_reservations WHERE project_id = '%s'
                """.formatted(tenant.projectId()))).isEqualTo(room + " " + room);
    }
}
