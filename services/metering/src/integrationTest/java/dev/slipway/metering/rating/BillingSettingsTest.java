package dev.slipway.metering.rating;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.metering.rating.BillingFixture.Usage;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.time.Instant;
import java.time.YearMonth;
import java.time.ZoneOffset;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;

import static dev.slipway.metering.rating.BillingFixture.await;
import static org.assertj.core.api.Assertions.assertThat;

/** Amounts, prices, budgets and limits that callers set, and the statements that readers of a project see. */
class BillingSettingsTest {
    private static final YearMonth MONTH = BillingFixture.currentMonth();
    private static final Instant START =
            MONTH.atDay(1).atStartOfDay(ZoneOffset.UTC).toInstant();

    private static BillingFixture billing;

    private final UUID org = Ids.next();
    private final UUID project = Ids.next();

    @BeforeAll
    static void open() {
        billing = new BillingFixture();
        billing.createPrice("hour", "0.10", START);
    }

    @AfterAll
    static void close() {
        billing.close();
    }

    @ParameterizedTest
    @CsvSource({"10.001, validation_error", "10.0010, validation_error", "-0.001, validation_error", "10.010, accepted"
    })
    void amounts_areRefused_whenTheyHaveMoreDecimalsThanTheCurrency(String amount, String outcome) {
        var payment = payment(amount).put("type", "adjustment");
        assertThat(billing.refusal(() -> billing.call(billing.accounts::post, org, null, Map.of(), payment)))
                .startsWith(outcome);
        assertThat(billing.refusal(() -> put(budget(amount.replace("-", "")), null)))
                .startsWith(outcome);
        assertThat(billing.refusal(() -> putAccount(amount.replace("-", ""), null)))
                .startsWith(outcome);
    }

    @Test
    void post_isRefused_whenTheProjectBelongsToAnotherOrganization() {
        var payment = payment("1.00").put("project_id", project.toString());
        assertThat(billing.refusal(() -> billing.call(billing.accounts::post, org, null, Map.of(), payment)))
                .isEqualTo("validation_error");
        billing.projectOrgs.put(project, org);
        assertThat(billing.refusal(() -> billing.call(billing.accounts::post, org, null, Map.of(), payment)))
                .startsWith("accepted");
    }

    @Test
    void createPrice_isRefused_whenTheUnitOrTheOrganizationIsUnknown() {
        assertThat(billing.refusal(() -> billing.call(
                        billing.prices::create, org, null, Map.of(), price("unknown_unit", "default", null))))
                .isEqualTo("validation_error");
        billing.unknownOrgs.add(org);
        for (var subject : new String[] {"not-an-id", org.toString()}) {
            assertThat(billing.refusal(() -> billing.call(
                            billing.prices::create, org, null, Map.of(), price("hour", "organization", subject))))
                    .isEqualTo("validation_error");
        }
    }

    @Test
    void createPrice_appliesToTheOrganization_whenItsIdIsInUpperCase_withTheCategoryOfTheRegistry() {
        var subject = org.toString().toUpperCase(Locale.ROOT);
        var created = billing.call(billing.prices::create, org, null, Map.of(), price("hour", "organization", subject));
        assertThat(created.path("rating_category").asText()).isEqualTo("runtime");
        billing.insertFact(Usage.of(org, project), "hour", "10", START, MONTH.toString());
        billing.rateAll();

        assertThat(billing.call(billing.accounts::get, org, null, Map.of(), null)
                        .path("balance")
                        .asText())
                .isEqualTo("-70.00");
    }

    @Test
    void put_isRefused_whenTheETagIsNotCurrent_andRecordsThePreviousValues() {
        assertThat(billing.refusal(() -> put(budget("1.00"), "\"7\""))).isEqualTo("precondition_failed");
        var first = put(budget("1.00"), "\"0\"");
        var second = put(budget("2.00"), etag(first));
        assertThat(billing.refusal(() -> put(budget("3.00"), etag(first)))).isEqualTo("precondition_failed");
        assertThat(second.path("amount").asText()).isEqualTo("2.00");
        assertThat(recorded("billing.budget.write", org)
                        .path("before")
                        .path("amount")
                        .asText())
                .isEqualTo("1.00");

        var account = putAccount("5.00", null);
        var changed = putAccount("6.00", etag(account));
        assertThat(billing.refusal(() -> putAccount("7.00", etag(account)))).isEqualTo("precondition_failed");
        assertThat(changed.path("credit_limit").asText()).isEqualTo("6.00");
        assertThat(recorded("billing.account.write", org)
                        .path("before")
                        .path("credit_limit")
                        .asText())
                .isEqualTo("5.00");
    }

    @Test
    void listFacts_namesTheAuditEntryOfTheReport() {
        billing.insertFact(Usage.of(org, project), "hour", "10", START, MONTH.toString());
        var entry = Ids.next();
        billing.database.execute(
                "UPDATE metering.usage_facts SET audit_entry_id = '" + entry + "' WHERE org_id = '" + org + "'");
        billing.rateAll();
        var line = statement(null).path("items").path(0).path("line_id").asText();

        var facts = billing.call(
                billing.statements::listFacts, org, null, Map.of("period", MONTH.toString(), "line_id", line), null);

        assertThat(facts.path("items").path(0).path("audit_entry_id").asText()).isEqualTo(entry.toString());
    }

    @Test
    void statementOfAProject_hidesWhatOtherProjectsUsed() {
        var runtime = Ids.next();
        var user = Ids.next();
        billing.projectOrgs.putAll(Map.of(project, org, user, org));
        billing.database.execute(
                "INSERT INTO metering.metered_runtimes VALUES ('%s', '%s', 'slurm')".formatted(runtime, org));
        billing.insertFact(new Usage(org, user, Ids.next(), runtime, null), "hour", "100", START, MONTH.toString());
        var policy = Json.object()
                .put("method", "fixed_shares")
                .put("applies_to", "all")
                .put("valid_from", MONTH.toString());
        policy.putObject("shares").put(project.toString(), "1");
        var unused = billing.call(
                billing.splits::create, org, null, Map.of("shared_runtime_id", runtime.toString()), policy);
        billing.rateAll();

        var line = statement(project).path("items").path(0);
        assertThat(line.path("amount").asText()).isEqualTo("10.00");
        for (var hidden : new String[] {"project_id", "app_instance_id", "resource_id", "quantity"}) {
            assertThat(line.path(hidden).isNull()).as(hidden).isTrue();
        }
        assertThat(statement(null).path("items").path(0).path("quantity").asText())
                .isEqualTo("100");
    }

    @Test
    void check_findsEntriesThatWereChanged_althoughDebitsEqualCredits() {
        try (var changed = new BillingFixture()) {
            changed.createPrice("hour", "0.10", START);
            changed.insertFact(Usage.of(org, project), "hour", "10", START, MONTH.toString());
            changed.rateAll();
            assertThat(await(changed.monitor.check()).values()).containsOnly(0L);

            changed.database.execute("UPDATE metering.ledger_entries SET amount = 9");

            assertThat(await(changed.monitor.check()))
                    .containsEntry("ledger_transactions", 1L)
                    .containsEntry("ledger_totals", 1L);
            assertThat(changed.gauge("slipway.ledger.violations")).isEqualTo(2);
        }
    }

    private static ObjectNode price(String unit, String scope, String subject) {
        var body = Json.object()
                .put("unit", unit)
                .put("currency", "EUR")
                .put("scope", scope)
                .put("valid_from", START.toString());
        if (subject != null) {
            body.put("subject", subject);
        }
        body.putArray("tiers").addObject().putNull("up_to").put("unit_price", "7");
        return body;
    }

    private static ObjectNode payment(String amount) {
        return Json.object()
                .put("type", "top_up")
                .put("amount", amount)
                .put("currency", "EUR")
                .put("reference", "payment-" + amount)
                .put("reason", "test");
    }

    private static ObjectNode budget(String amount) {
        return Json.object().put("amount", amount).put("currency", "EUR").put("at_limit", "warn");
    }

    private JsonNode put(ObjectNode budget, String ifMatch) {
        return billing.callIfMatch(billing.budgets::put, org, project, ifMatch, budget);
    }

    private JsonNode putAccount(String creditLimit, String ifMatch) {
        var settings = Json.object()
                .put("credit_limit", creditLimit)
                .put("low_balance", "0")
                .put("at_zero", "warn")
                .put("grace_seconds", 60);
        return billing.callIfMatch(billing.accounts::put, org, null, ifMatch, settings);
    }

    private static String etag(JsonNode document) {
        return '"' + document.path("revision").asText() + '"';
    }

    private static JsonNode recorded(String action, UUID orgId) {
        return Json.parseStoredObject(billing.database.query("""
                        SELECT convert_from(value, 'UTF8') FROM metering.outbox WHERE event_type = 'audit.recorded' AND key = '%s'
                            AND convert_from(value, 'UTF8') LIKE '%%%s%%' ORDER BY seq DESC LIMIT 1
                        """.formatted(orgId, action)))
                .path("payload")
                .path("metadata");
    }

    private JsonNode statement(UUID reader) {
        var period = Map.of("period", MONTH.toString());
        return reader == null
                ? billing.call(billing.statements::get, org, null, period, null)
                : billing.call(billing.statements::getOfProject, org, reader, period, null);
    }
}
