package dev.slipway.metering.usage;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Contract;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem.FieldProblem;
import dev.slipway.metering.rating.BillingFixture;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.YearMonth;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.StreamSupport;

import static dev.slipway.metering.usage.UsageFixture.ORG;
import static dev.slipway.metering.usage.UsageFixture.OTHER_ORG;
import static dev.slipway.metering.usage.UsageFixture.OTHER_PROJECT;
import static dev.slipway.metering.usage.UsageFixture.PROJECT;
import static dev.slipway.metering.usage.UsageFixture.SECOND_PROJECT;
import static dev.slipway.metering.usage.UsageFixture.account;
import static dev.slipway.metering.usage.UsageFixture.outcomes;
import static org.assertj.core.api.Assertions.assertThat;

/** An app that the platform runs for two tenants with three projects, compared with what they are charged. */
class ReconciliationTest {
    private static final String APP = "echo";
    private static final YearMonth THIS_MONTH = BillingFixture.currentMonth();
    private static final YearMonth LAST_MONTH = THIS_MONTH.minusMonths(1);
    private static final Instant LAST_START =
            LAST_MONTH.atDay(1).atStartOfDay(ZoneOffset.UTC).toInstant();

    private final UsageFixture usage = new UsageFixture();
    private final BillingFixture billing = new BillingFixture(usage.database);
    private final Map<UUID, UUID> instances = new HashMap<>();

    /** Tiers and unit prices that do not divide evenly. One tenant uses the app in its own operation, too, which counts for its tiers only. */
    @BeforeEach
    void report() {
        billing.createPrice(price("default", "", "100", "0.0133", "0.0071"));
        billing.createPrice(price("organization", OTHER_ORG.toString(), "0", "0.0101", "0.0067"));
        for (var project : List.of(PROJECT, SECOND_PROJECT, OTHER_PROJECT)) {
            instances.put(project, addInstance(project, "platform_managed", "platform"));
        }
        report(PROJECT, "a", "700");
        report(SECOND_PROJECT, "a", "333");
        report(OTHER_PROJECT, "a", "1234");
        var dedicated = addInstance(PROJECT, "tenant_dedicated", "project");
        send(PROJECT, fact("dedicated", "500").put("app_instance_id", dedicated.toString()));
    }

    @AfterEach
    void close() {
        billing.close();
        usage.close();
    }

    private static ObjectNode price(String scope, String subject, String included, String first, String second) {
        var body = Json.object()
                .put("unit", "token")
                .put("currency", "EUR")
                .put("scope", scope)
                .put("valid_from", LAST_START.toString())
                .put("included", included);
        if (!subject.isEmpty()) {
            body.put("subject", subject);
        }
        var tiers = body.putArray("tiers");
        tiers.addObject().put("up_to", "1000").put("unit_price", first);
        tiers.addObject().putNull("up_to").put("unit_price", second);
        return body;
    }

    private UUID addInstance(UUID project, String mode, String scope) {
        var instance = Ids.next();
        usage.addInstance(instance, orgOf(project), project);
        usage.database.execute(
                "UPDATE metering.metered_instances SET operating_mode = '%s', control_plane_scope = '%s' WHERE app_instance_id = '%s'"
                        .formatted(mode, scope, instance));
        return instance;
    }

    private static UUID orgOf(UUID project) {
        return project.equals(OTHER_PROJECT) ? OTHER_ORG : ORG;
    }

    private static ObjectNode fact(String id, String quantity) {
        return UsageFixture.fact(id, quantity, LAST_START.plusSeconds(3600), LAST_START.plusSeconds(7200));
    }

    private void report(UUID project, String id, String quantity) {
        send(project, fact(id, quantity).put("app_instance_id", String.valueOf(instances.get(project))));
    }

    private void send(UUID project, ObjectNode fact) {
        assertThat(outcomes(usage.report(account(orgOf(project), project), "factory", List.of(fact))))
                .containsExactly("accepted");
    }

    @Test
    void tenants_seeOnlyTheirOwnPart() {
        billing.rateAll();
        for (var project : instances.keySet()) {
            var query = Map.of(
                    "from", LAST_START.toString(), "to", start(THIS_MONTH), "group_by", "project_id", "app_slug", APP);
            var lines = usage.get(usage.queries::listLines, orgOf(project), null, query)
                    .path("items");
            assertThat(lines.findValuesAsText("project_id"))
                    .allMatch(seen -> orgOf(UUID.fromString(seen)).equals(orgOf(project)));
            var statement = billing.call(
                    billing.statements::get, orgOf(project), null, Map.of("period", LAST_MONTH.toString()), null);
            assertThat(statement.path("items").findValuesAsText("project_id"))
                    .isNotEmpty()
                    .allMatch(seen -> orgOf(UUID.fromString(seen)).equals(orgOf(project)));
        }
    }

    private static String start(YearMonth month) {
        return month.atDay(1).atStartOfDay(ZoneOffset.UTC).toInstant().toString();
    }

    @Test
    void facts_areUnaccounted_untilTheyAreRated() {
        var before = reconcile(LAST_MONTH);
        assertThat(before.path("reconciled").asBoolean()).isFalse();
        assertThat(before.path("lag_seconds").asDouble()).isEqualTo(0.5);
        assertThat(before.path("unaccounted").findValuesAsText("reason"))
                .containsExactly("unrated", "unrated", "unrated");
        assertThat(before.path("unaccounted_total").asInt()).isEqualTo(3);

        billing.rateAll();

        assertThat(reconcile(LAST_MONTH).path("reconciled").asBoolean()).isTrue();
    }

    @Test
    @Proves("1.40")
    void service_equalsTheSumOfItsTenantsAndProjects_withCorrectionsAndLateFacts() {
        billing.rateAll();
        var first = reconcile(LAST_MONTH);
        assertReconciled(first, 3, "2267");
        assertThat(first.path("parts").findValuesAsText("quantity")).containsExactly("700", "333", "1234");
        assertThat(first.path("parts").findValuesAsText("project_id"))
                .containsExactly(PROJECT.toString(), SECOND_PROJECT.toString(), OTHER_PROJECT.toString());
        assertCostsAreThoseOfStatements(first, LAST_MONTH);

        billing.closePeriod(LAST_MONTH);
        send(PROJECT, UsageFixture.correction("a-corrected", "a").put("adjustment", "-50"));
        report(SECOND_PROJECT, "late", "17");
        report(OTHER_PROJECT, "late", "1000");
        billing.rateAll();

        var unchanged = reconcile(LAST_MONTH);
        assertThat(unchanged.path("units")).isEqualTo(first.path("units"));
        assertThat(unchanged.path("parts")).isEqualTo(first.path("parts"));
        var second = reconcile(THIS_MONTH);
        assertReconciled(second, 3, "967");
        assertThat(second.path("parts").findValuesAsText("quantity")).containsExactly("-50", "17", "1000");
        assertCostsAreThoseOfStatements(second, THIS_MONTH);
    }

    /** The usage of another app moves the tenant into the next tier, and so changes the cost of this one without a fact of it. */
    @Test
    void service_isReconciled_whenOtherUsageChangesItsCost() {
        billing.rateAll();
        billing.closePeriod(LAST_MONTH);
        send(PROJECT, fact("other", "5000"));
        billing.rateAll();

        var reconciled = reconcile(THIS_MONTH);

        assertReconciled(reconciled, 0, "0");
        assertThat(new BigDecimal(reconciled.at("/units/0/service/cost").asText()))
                .isNegative();
        assertCostsAreThoseOfStatements(reconciled, THIS_MONTH);
    }

    @Test
    void difference_isShown_whenAChargeOrASumIsWrong() {
        billing.rateAll();
        usage.database.execute(
                "UPDATE metering.charges SET amount = amount + 0.01 WHERE payer_id = '" + OTHER_PROJECT + "'");
        usage.database.execute(
                "UPDATE metering.usage_months SET quantity = quantity - 3 WHERE org_id = '" + OTHER_ORG + "'");
        usage.database.execute(
                "DELETE FROM metering.rated_lines WHERE app_instance_id = '" + instances.get(SECOND_PROJECT) + "'");

        var wrong = reconcile(LAST_MONTH);

        assertThat(wrong.path("reconciled").asBoolean()).isFalse();
        assertThat(wrong.at("/units/0/difference/quantity").asText()).isEqualTo("3");
        assertThat(new BigDecimal(wrong.at("/units/0/difference/cost").asText()))
                .isNotZero();
        assertThat(wrong.path("unaccounted")).singleElement().satisfies(fact -> {
            assertThat(fact.path("reason").asText()).isEqualTo("not_charged");
            assertThat(fact.path("project_id").asText()).isEqualTo(SECOND_PROJECT.toString());
        });
    }

    @Test
    void access_isAudited() {
        assertThat(reconcile(LAST_MONTH).path("app_slug").asText()).isEqualTo(APP);
        assertThat(usage.database.query("""
                        SELECT count(*) FROM metering.outbox WHERE event_type = 'audit.recorded'
                            AND convert_from(value, 'UTF8') LIKE '%"usage.reconciliation.read"%'
                        """)).isEqualTo("1");
    }

    private void assertReconciled(JsonNode reconciliation, int facts, String quantity) {
        assertThat(reconciliation.path("reconciled").asBoolean())
                .as(reconciliation.toString())
                .isTrue();
        assertThat(reconciliation.path("unaccounted")).isEmpty();
        assertThat(reconciliation.path("units")).singleElement().satisfies(unit -> {
            assertThat(unit.path("unit").asText()).isEqualTo("token");
            for (var side : List.of("service", "tenants")) {
                assertThat(unit.path(side).path("facts").asInt()).isEqualTo(facts);
                assertThat(unit.path(side).path("quantity").asText()).isEqualTo(quantity);
            }
            assertThat(unit.at("/difference/facts").asInt()).isZero();
            assertThat(unit.at("/difference/quantity").asText()).isEqualTo("0");
            assertThat(new BigDecimal(unit.at("/difference/cost").asText())).isZero();
        });
        assertThat(sum(reconciliation.path("parts"), "cost"))
                .isEqualByComparingTo(reconciliation.at("/units/0/service/cost").asText());
    }

    /** The parts are what each tenant finds in its own statement for its instance of the app. */
    private void assertCostsAreThoseOfStatements(JsonNode reconciliation, YearMonth period) {
        for (var part : reconciliation.path("parts")) {
            var project = UUID.fromString(part.path("project_id").asText());
            var statement = billing.call(
                    billing.statements::getOfProject,
                    orgOf(project),
                    project,
                    Map.of("period", period.toString()),
                    null);
            var charged = StreamSupport.stream(statement.path("items").spliterator(), false)
                    .filter(line ->
                            line.path("app_instance_id").asText().equals(String.valueOf(instances.get(project))))
                    .map(line -> new BigDecimal(line.path("amount").asText()))
                    .reduce(BigDecimal.ZERO, BigDecimal::add);
            assertThat(new BigDecimal(part.path("cost").asText())).isEqualByComparingTo(charged);
        }
    }

    private static BigDecimal sum(JsonNode items, String field) {
        return items.findValuesAsText(field).stream().map(BigDecimal::new).reduce(BigDecimal.ZERO, BigDecimal::add);
    }

    @Test
    void apps_areReconciledTogether_withoutASlug_andNothingIsFoundOfAnother() {
        billing.rateAll();
        assertThat(billing.reconcile(null, LAST_MONTH).path("units"))
                .isEqualTo(reconcile(LAST_MONTH).path("units"));
        assertThat(billing.reconcile("other", LAST_MONTH).path("parts")).isEmpty();
    }

    private JsonNode reconcile(YearMonth period) {
        var body = billing.reconcile(APP, period);
        var problems = new ArrayList<FieldProblem>();
        Contract.load().responseValidator("getUsageReconciliation", 200).validate(body, problems);
        assertThat(problems).isEmpty();
        return body;
    }
}
