package dev.slipway.metering.usage;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Contract;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem.FieldProblem;
import dev.slipway.contract.ProblemException;
import dev.slipway.service.Call;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;

import static dev.slipway.metering.usage.UsageFixture.ORG;
import static dev.slipway.metering.usage.UsageFixture.OTHER_ORG;
import static dev.slipway.metering.usage.UsageFixture.OTHER_PROJECT;
import static dev.slipway.metering.usage.UsageFixture.PROJECT;
import static dev.slipway.metering.usage.UsageFixture.SECOND_PROJECT;
import static dev.slipway.metering.usage.UsageFixture.account;
import static dev.slipway.metering.usage.UsageFixture.await;
import static dev.slipway.metering.usage.UsageFixture.operator;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

@TestInstance(Lifecycle.PER_CLASS)
class UsageQueryTest {
    private static final Instant DAY = Instant.parse("2026-10-05T00:00:00Z");
    private static final UUID INSTANCE = Ids.next();
    private static final UUID RUNTIME = Ids.next();
    private static final Map<String, String> OCTOBER =
            Map.of("from", "2026-10-01T00:00:00Z", "to", "2026-11-01T00:00:00Z");

    private UsageFixture fixture;

    @BeforeAll
    void reportUsage() {
        fixture = new UsageFixture();
        fixture.addInstance(INSTANCE, ORG, PROJECT);
        fixture.addRuntime(RUNTIME, ORG, Ids.next(), PROJECT);
        fixture.addRuntime(RUNTIME, ORG, Ids.next(), SECOND_PROJECT);
        // The last instant of October: it belongs to the month before its end.
        fixture.report(
                fact("a", 1, DAY),
                fact("b", 2, DAY.plusSeconds(3_600)),
                fact("c", 4, Instant.parse("2026-10-31T23:59:00Z")),
                fact("d", 8, DAY).put("app_instance_id", INSTANCE.toString()));
        fixture.report(account(ORG, SECOND_PROJECT), "factory", List.of(fact("a", 16, DAY)));
        fixture.report(account(OTHER_ORG, OTHER_PROJECT), "factory", List.of(fact("a", 32, DAY)));
        fixture.report(
                operator(ORG, RUNTIME),
                "controller",
                List.of(
                        fact("w", 64, DAY)
                                .put("project_id", PROJECT.toString())
                                .put("source_project_id", SECOND_PROJECT.toString()),
                        fact("x", 128, DAY)));
    }

    @AfterAll
    void close() {
        fixture.close();
    }

    private static ObjectNode fact(String id, int quantity, Instant start) {
        return UsageFixture.fact(id, String.valueOf(quantity), start, start.plusSeconds(60));
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {
                "org,     month, -,                  223",
                "project, month, -,                  79",
                "second,  month, -,                  16",
                "other,   month, -,                  32",
                "foreign, month, -,                  32",
                "project, hour,  -,                  73 2 4",
                "project, day,   -,                  75 4",
                "project, total, -,                  79",
                "org,     month, project_id,         128 79 16",
                "org,     total, project_id,         128 79 16",
                "project, month, app_instance_id,    71 8",
                "org,     month, shared_runtime_id,  31 192",
                "org,     month, source_project_id,  159 64",
                "org,     month, app_slug,           23 8 192",
                "project, day,   correlation_id,     75 4",
                "org,     month, period,             223"
            })
    void lines_areSums_byBucketAndAttribution(String scope, String bucket, String groupBy, String expected) {
        var query = new HashMap<>(OCTOBER);
        query.put("bucket", bucket);
        if (groupBy != null) {
            query.put("group_by", groupBy);
        }

        var page = get("listOrganizationUsageLines", fixture.queries::listLines, scope, query);

        assertThat(String.join(" ", page.path("items").findValuesAsText("quantity")))
                .isEqualTo(expected);
        assertThat(page.path("lag_seconds").asDouble()).isEqualTo(0.5);
        assertThat(Instant.parse(page.path("as_of").asText())).isNotNull();
    }

    @Test
    void lines_arePaged_withoutGapsOrRepetitions() {
        var query = new HashMap<>(OCTOBER);
        query.putAll(Map.of("bucket", "hour", "group_by", "project_id,source,resource_type", "limit", "2"));
        var quantities = new ArrayList<String>();
        for (var cursor = ""; cursor != null; ) {
            if (!cursor.isEmpty()) {
                query.put("cursor", cursor);
            }
            var page = get("listOrganizationUsageLines", fixture.queries::listLines, "org", query);
            quantities.addAll(page.path("items").findValuesAsText("quantity"));
            cursor = page.path("next_cursor").textValue();
        }
        assertThat(quantities.stream().mapToInt(Integer::parseInt).sum()).isEqualTo(223);
        assertThat(quantities).doesNotContain("32");
    }

    @Test
    void line_resolvesToItsFacts_withAuditEntryAndCorrelation() {
        var query = new HashMap<>(OCTOBER);
        query.putAll(Map.of("bucket", "day", "group_by", "app_instance_id,resource_id", "unit", "token"));
        var lines = get("listProjectUsageLines", fixture.queries::listLines, "project", query)
                .path("items");
        for (var line : lines) {
            var facts = get(
                            "listProjectUsageFacts",
                            fixture.queries::listFacts,
                            "project",
                            Map.of("line", line.path("line_id").asText()))
                    .path("items");
            assertThat(facts).hasSize(line.path("facts").asInt());
            var sum = 0;
            for (var fact : facts) {
                sum += fact.path("quantity").asInt();
                assertThat(fact.at("/evidence/correlation_id").asText()).isEqualTo("correlation");
                var auditEntryId = fact.at("/evidence/audit_entry_id").asText();
                assertThat(fixture.database.query(
                                "SELECT count(*) FROM metering.outbox WHERE convert_from(value, 'UTF8') LIKE '%"
                                        + auditEntryId + "%usage.report%'"))
                        .isEqualTo("1");
            }
            assertThat(sum).isEqualTo(line.path("quantity").asInt());
        }
        assertThat(lines.size()).isGreaterThan(2);
    }

    @Test
    void facts_ofAnotherTenant_areNotFound_byAForgedLine() {
        var lines = get("listOrganizationUsageLines", fixture.queries::listLines, "other", OCTOBER)
                .path("items");
        var line = lines.get(0).path("line_id").asText();
        var forged = new UsageLineId(
                        Instant.parse("2026-10-01T00:00:00Z"),
                        Instant.parse("2026-11-01T00:00:00Z"),
                        Map.of("project_id", OTHER_PROJECT.toString()))
                .encode();

        var own = get("listOrganizationUsageFacts", fixture.queries::listFacts, "org", Map.of("line", line));
        var none = get("listOrganizationUsageFacts", fixture.queries::listFacts, "org", Map.of("line", forged));

        assertThat(own.path("items"))
                .noneMatch(fact -> fact.path("org_id").asText().equals(OTHER_ORG.toString()));
        assertThat(none.path("items")).isEmpty();
    }

    @Test
    void project_isNotTold_whichProjectContributedCapacity() {
        var facts = get("listProjectUsageFacts", fixture.queries::listFacts, "project", OCTOBER)
                .path("items");
        assertThat(facts).hasSize(5).allMatch(fact -> fact.path("source_project_id")
                .isNull());

        var query = new HashMap<>(OCTOBER);
        query.put("group_by", "source_project_id");
        assertThatThrownBy(() -> get("listProjectUsageLines", fixture.queries::listLines, "project", query))
                .isInstanceOf(ProblemException.class);
    }

    @ParameterizedTest
    @CsvSource({
        "group_by, quantity",
        "from, 2026-10-01T00:30:00Z",
        "to, 2026-09-01T00:00:00Z",
        "cursor, *",
    })
    void lines_areRefused_whenTheQueryIsInvalid(String parameter, String value) {
        var query = new HashMap<>(OCTOBER);
        query.put(parameter, value);
        assertThatThrownBy(() -> get("listOrganizationUsageLines", fixture.queries::listLines, "org", query))
                .isInstanceOf(ProblemException.class);
    }

    @Test
    void export_hasTheSameTotals_asJsonAndCsv() {
        var rows = get("exportProjectUsage", fixture.queries::exportJson, "project", OCTOBER);
        assertThat(rows.path("focus_version").asText()).isEqualTo("1.4");
        var total = 0;
        for (var row : rows.path("rows")) {
            total += row.path("ConsumedQuantity").asInt();
        }
        assertThat(total).isEqualTo(79);

        var reply = exportCsv(OCTOBER);
        var lines = new String(reply.body(), StandardCharsets.UTF_8).split("\r\n", -1);
        assertThat(reply.headers())
                .containsEntry("X-Focus-Version", "1.4")
                .containsEntry("X-Lag-Seconds", "0.5")
                .containsKey("X-As-Of")
                .doesNotContainKey("X-Next-Cursor");
        assertThat(lines[0]).startsWith("BilledCost,BillingAccountId,");
        assertThat(lines).hasSize(rows.path("rows").size() + 2);
    }

    @Test
    void csvExport_continuesAfterThePage_withTheCursorOfItsHeader() {
        var all = csvRows(OCTOBER);
        var query = new HashMap<>(OCTOBER);
        query.put("limit", "1");
        var found = new ArrayList<String>();
        for (var cursor = ""; cursor != null; ) {
            if (!cursor.isEmpty()) {
                query.put("cursor", cursor);
            }
            found.addAll(csvRows(query));
            cursor = exportCsv(query).headers().get("X-Next-Cursor");
        }

        assertThat(found).hasSizeGreaterThan(1).containsExactlyElementsOf(all);
    }

    private Reply exportCsv(Map<String, String> query) {
        return await(fixture.queries.exportCsv(UsageFixture.request(ORG, PROJECT, query)));
    }

    private List<String> csvRows(Map<String, String> query) {
        var lines = new String(exportCsv(query).body(), StandardCharsets.UTF_8).split("\r\n");
        return List.of(lines).subList(1, lines.length);
    }

    @Test
    void compare_findsASum_thatDiffersFromItsFacts() {
        assertThat(compare().path("consistent").asBoolean()).isTrue();
        fixture.database.execute(
                "UPDATE metering.usage_hours SET quantity = quantity + 1 WHERE org_id = '" + OTHER_ORG + "'");

        var report = compare();

        fixture.database.execute(
                "UPDATE metering.usage_hours SET quantity = quantity - 1 WHERE org_id = '" + OTHER_ORG + "'");
        assertThat(report.path("consistent").asBoolean()).isFalse();
        assertThat(report.path("wrong_hours").asInt()).isEqualTo(1);
    }

    private JsonNode compare() {
        var call = new Call(
                "checkUsageConsistency",
                "correlation",
                null,
                Map.of(),
                Map.of(),
                Map.of(),
                Json.object().put("period", "2026-10-01"));
        var request = UsageFixture.request(ORG, null, Map.of());
        return Json.parseTrusted(
                await(fixture.queries.compare(new Request(call, request.caller(), null, null, request.changeContext())))
                        .body());
    }

    /** Calls an operation with the scope of a reader, and validates the response against the contract. */
    private JsonNode get(
            String operationId, Function<Request, Future<Reply>> operation, String scope, Map<String, String> query) {
        var orgId = scope.equals("other") || scope.equals("foreign") ? OTHER_ORG : ORG;
        var projectId =
                switch (scope) {
                    case "project" -> PROJECT;
                    case "second" -> SECOND_PROJECT;
                    case "foreign" -> OTHER_PROJECT;
                    default -> null;
                };
        var body = fixture.get(operation, orgId, projectId, query);
        var problems = new ArrayList<FieldProblem>();
        Contract.load().responseValidator(operationId, 200).validate(body, problems);
        assertThat(problems).isEmpty();
        return body;
    }
}
