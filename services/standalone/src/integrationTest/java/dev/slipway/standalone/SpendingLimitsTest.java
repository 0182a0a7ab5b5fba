package dev.slipway.standalone;

import dev.slipway.contract.Json;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.math.BigDecimal;
import java.util.List;
import java.util.Map;

import static dev.slipway.standalone.TenantCalls.statusAndCode;
import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** Tests how balances and budgets limit launches, from metering to the launch. */
class SpendingLimitsTest {
    private static PlatformUnderTest platform;
    private static SpendingCalls calls;

    @BeforeAll
    static void start() {
        platform = new PlatformUnderTest();
        calls = new SpendingCalls(platform);
    }

    @AfterAll
    static void stop() {
        assertThat(platform.events().violations()).isEmpty();
        platform.close();
    }

    @Test
    void launch_isNotLimited_whenMeteringIsNotStarted() {
        try (var withoutMetering =
                new PlatformUnderTest(Map.of("SLIPWAY_SERVICES", "iam,catalog,instances,audit,gateway"))) {
            var launched =
                    withoutMetering.launch("project_owner", "without metering").send();

            launched.expect(202);
        }
    }

    @Test
    void launch_isNotLimited_byTheBalanceAndTheBudgetsOfOthers() {
        var depleted = calls.createTenant("spend-depleted");
        var other = calls.createTenant("spend-other");
        var sibling = calls.createSibling(other, "sibling");

        calls.deplete(depleted.tenant(), "refuse_launches", 0);
        calls.setBudget(sibling, "0", "refuse_launches", 1);
        calls.setPrice(depleted.tenant(), "app_uptime_hour", "5");

        assertThat(statusAndCode(depleted.launch("{}").send())).isEqualTo("409 balance_depleted");
        assertThat(statusAndCode(sibling.launch("{}").send())).isEqualTo("409 budget_exceeded");
        other.launch("{}").send().expect(202);
        var estimate = calls.plan(other).body().path("cost_estimate");
        assertThat(estimate.path("budget").isNull()).isTrue();
        assertThat(estimate.path("balance").isNull()).isTrue();
        assertThat(estimate.path("items")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"refuse_launches", "stop_instances"})
    void launch_isRefused_whileTheBalanceIsDepleted(String atZero) {
        var tenant = calls.createTenant("spend-" + atZero.replace('_', '-'));
        calls.deplete(tenant.tenant(), atZero, 3600);

        var refused = tenant.launch("{}").send();

        assertThat(statusAndCode(refused)).isEqualTo("409 balance_depleted");
        assertThat(refused.text("message")).contains("Top up");
        var plan = calls.plan(tenant).body();
        assertThat(plan.at("/decision/code").asText()).isEqualTo("balance_depleted");
        assertThat(plan.at("/decision/message").asText()).isEqualTo(refused.text("message"));
        var dryRun = tenant.launch("{}").query("dry_run=true").send().expect(200);
        assertThat(dryRun.body().at("/decision/code").asText()).isEqualTo("balance_depleted");
        calls.topUp(tenant.tenant(), "10.00");
        tenant.launch("{}").send().expect(202);
    }

    @Test
    void launch_isAllowedWithAWarning_whenThePolicyOnlyWarns() {
        var tenant = calls.createTenant("spend-warn");
        calls.deplete(tenant.tenant(), "warn", 0);
        calls.setBudget(tenant, "0", "warn", 1);

        var plan = calls.plan(tenant).body();

        assertThat(plan.at("/decision/result").asText()).isEqualTo("allowed");
        assertThat(plan.path("warnings").findValuesAsText("code"))
                .containsExactly("balance_depleted", "budget_exceeded");
        tenant.launch("{}").send().expect(202);
    }

    @Test
    void launch_neverExceedsTheBudget_whenManyCompete() throws Exception {
        calls.assertBudgetHolds("spend-race", 60, 5);
    }

    @Test
    void reservation_isReleased_whenTheInstanceIsDeleted() {
        var tenant = calls.createTenant("spend-release");
        calls.setPrice(tenant.tenant(), "app_uptime_hour", "2");
        calls.setBudget(tenant, "10", "refuse_launches", 5);
        var first = tenant.launch("{}").send().expect(202).text("id");

        var refused = tenant.launch("{}").send();
        assertThat(statusAndCode(refused)).isEqualTo("409 budget_exceeded");
        assertThat(refused.body().at("/details/reserved").asText()).isEqualTo("10");
        tenant.call("deleteAppInstance").path("app_instance_id", first).send().expect(202);
        assertThat(statusAndCode(tenant.launch("{}").send())).isEqualTo("409 budget_exceeded");
        calls.forceDelete(tenant, first);

        tenant.launch("{}").send().expect(202);
    }

    @Test
    @Proves("3.13")
    void reservation_isCommitted_asUsageIsRated_soThatNothingCountsTwice() {
        var tenant = calls.createTenant("spend-commit");
        calls.setPrice(tenant.tenant(), "app_uptime_hour", "36000");
        calls.setPrice(tenant.tenant(), "token", "0.001");
        calls.setBudget(tenant, "100000", "refuse_launches", 1);
        tenant.launch("{}").send().expect(202);
        assertThat(calls.plan(tenant).body().at("/cost_estimate/budget").toString())
                .contains("\"spent\":\"0\"", "\"reserved\":\"36000\"", "\"remaining\":\"64000\"");

        calls.use(tenant, "token", "500");

        calls.awaitRow("billing_budgets WHERE project_id = '" + tenant.projectId() + "' AND spent = 0.5");
        assertThat(calls.plan(tenant).body().at("/cost_estimate/budget").toString())
                .contains("\"spent\":\"0.5\"", "\"reserved\":\"35999.5\"", "\"remaining\":\"64000\"");
    }

    @Test
    void plan_estimatesTheCost_withPricesBudgetAndQuota() {
        var tenant = calls.createTenant("spend-estimate");
        var uptime = calls.setPrice(tenant.tenant(), "app_uptime_hour", "0.10");
        calls.setPrice(tenant.tenant(), "app_runtime_hour", "0.02");
        calls.setBudget(tenant, "50.00", "refuse_launches", 24);
        tenant.entitle("{'enabled': true, 'policy_overrides': {'max_instances_per_project': 3}}")
                .header("If-Match", "\"1\"")
                .send()
                .expect(200);
        platform.awaitReplication();

        var estimate = calls.plan(tenant).body().path("cost_estimate");

        assertThat(estimate.path("currency").asText()).isEqualTo("EUR");
        assertThat(estimate.path("per_hour").asText()).isEqualTo("0.12");
        assertThat(estimate.path("per_month").asText()).isEqualTo("87.6");
        assertThat(estimate.path("reserved").asText()).isEqualTo("2.88");
        assertThat(estimate.path("remaining_instances").asInt()).isEqualTo(3);
        assertThat(estimate.at("/budget/remaining").asText()).isEqualTo("50");
        assertThat(estimate.path("items").findValuesAsText("unit"))
                .containsExactly("app_runtime_hour", "app_uptime_hour");
        assertThat(estimate.path("items").findValuesAsText("price_id")).contains(uptime);
    }

    @Test
    @Proves("1.38")
    void environments_areDedicatedProjectsByDefault_andBilledSeparately() {
        var dev = calls.createTenant("spend-environments");
        calls.setPrice(dev.tenant(), "token", "0.01");
        var environments = List.of(
                dev,
                calls.createSibling(dev, "test"),
                calls.createSibling(dev, "stage"),
                calls.createSibling(dev, "prod"));
        var quantities = List.of("100", "200", "300", "400");
        for (var i = 0; i < environments.size(); i++) {
            var launched = environments.get(i).launch("{}").send().expect(202);
            assertThat(launched.text("operating_mode")).isEqualTo("tenant_dedicated");
            assertThat(launched.text("control_plane_scope")).isEqualTo("project");
            assertThat(launched.text("project_id"))
                    .isEqualTo(environments.get(i).projectId());
            calls.use(environments.get(i), "token", quantities.get(i));
        }

        for (var i = 0; i < environments.size(); i++) {
            var environment = environments.get(i);
            var amount = new BigDecimal(quantities.get(i)).movePointLeft(2);
            eventually(() -> {
                var statement = calls.statement(environment);
                assertThat(new BigDecimal(statement.path("total").asText())).isEqualByComparingTo(amount);
                assertThat(statement.path("items").findValuesAsText("payer_project_id"))
                        .containsExactly(environment.projectId());
            });
        }
    }

    @Test
    void instances_areStoppedOnce_afterTheGracePeriodOfABudget() {
        var tenant = calls.createTenant("spend-stop");
        var sibling = calls.createSibling(tenant, "sibling");
        var stopped = List.of(
                tenant.launch("{}").send().expect(202).text("id"),
                tenant.launch("{}").send().expect(202).text("id"));
        var kept = sibling.launch("{}").send().expect(202).text("id");

        calls.setBudget(tenant, "0", "stop_instances", 1);

        for (var id : stopped) {
            eventually(() -> assertThat(calls.status(tenant, id)).isEqualTo("deleting"));
            var operations = tenant.call("listInstanceOperations")
                    .path("app_instance_id", id)
                    .send()
                    .expect(200)
                    .body()
                    .path("items");
            assertThat(operations.findValuesAsText("kind")).containsExactly("delete", "create");
            assertThat(operations.path(0).path("input")).isEqualTo(Json.object().put("reason", "budget_exceeded"));
            eventually(() -> assertThat(new TenantCalls(platform).audits("apps.instance.delete", id))
                    .singleElement()
                    .satisfies(audit -> {
                        assertThat(audit.at("/actor/actor_type").asText()).isEqualTo("system");
                        assertThat(audit.path("reason").asText()).isEqualTo("budget_exceeded");
                    }));
        }
        assertThat(calls.status(sibling, kept)).isEqualTo("requested");
    }

    @Test
    void instances_areStopped_whenABalanceIsDepleted_withoutAGracePeriod() {
        var tenant = calls.createTenant("spend-stop-balance");
        var id = tenant.launch("{}").send().expect(202).text("id");

        calls.deplete(tenant.tenant(), "stop_instances", 0);

        eventually(() -> assertThat(calls.status(tenant, id)).isEqualTo("deleting"));
    }
}
