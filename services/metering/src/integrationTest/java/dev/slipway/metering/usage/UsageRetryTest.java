package dev.slipway.metering.usage;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Ids;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.util.List;
import java.util.Map;

import static dev.slipway.metering.usage.UsageFixture.ORG;
import static dev.slipway.metering.usage.UsageFixture.PROJECT;
import static dev.slipway.metering.usage.UsageFixture.correction;
import static dev.slipway.metering.usage.UsageFixture.fact;
import static dev.slipway.metering.usage.UsageFixture.operator;
import static dev.slipway.metering.usage.UsageFixture.outcomes;
import static org.assertj.core.api.Assertions.assertThat;

/** Facts that are reported again, or corrected, after the registry or the read models have changed. */
class UsageRetryTest {
    private final UsageFixture fixture = new UsageFixture();

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    void report_isADuplicate_whenTheUnitWasRetiredSince() {
        var counted = fact("a");
        fixture.report(counted);
        fixture.database.execute("UPDATE metering.usage_units SET lifecycle = 'retired' WHERE id = 'token'");

        var response = fixture.report(counted, counted.deepCopy().put("id", "b"));
        var changed = fixture.report(counted.deepCopy().put("quantity", "11"));

        assertThat(outcomes(response)).containsExactly("duplicate", "rejected");
        assertThat(outcomes(changed)).containsExactly("conflict");
        assertThat(fixture.total()).isEqualTo("10");
        assertThat(fixture.differences()).isEqualTo("0");
    }

    @Test
    void report_isADuplicate_whenTheReadModelLostItsInstance() {
        var instance = Ids.next();
        fixture.addInstance(instance, ORG, PROJECT);
        var counted = fact("a").put("app_instance_id", instance.toString());
        fixture.report(counted);
        fixture.database.execute("DELETE FROM metering.metered_instances");

        assertThat(outcomes(fixture.report(counted))).containsExactly("duplicate");
    }

    @Test
    void correction_withoutAUnit_isWithinThePrecisionOfTheUnit() {
        fixture.report(fact("a"));

        var response = fixture.report(
                correction("a1", "a").put("adjustment", "0.5"),
                correction("a2", "a").put("quantity", "9.25"),
                correction("a3", "a").put("quantity", "9"));

        assertThat(outcomes(response)).containsExactly("rejected", "rejected", "accepted");
        assertThat(response.at("/items/0/problem").asText()).contains("precision");
        assertThat(fixture.total()).isEqualTo("9");
    }

    @Test
    void correction_isRejected_whenItNamesAnotherResource() {
        fixture.report(fact("a"));

        var response = fixture.report(
                correction("a1", "a").put("adjustment", "1").put("resource_id", "mistral"),
                correction("a2", "a").put("adjustment", "1").put("window_end", "2026-01-01T00:00:00Z"),
                correction("a3", "a").put("adjustment", "1").put("resource_id", "llama"));

        assertThat(outcomes(response)).containsExactly("rejected", "rejected", "accepted");
        assertThat(response.path("items").findValuesAsText("field")).containsExactly("resource_id", "window_end");
    }

    @Test
    void line_resolvesToTheFactsOfItsVersionOfTheUnit() {
        fixture.report(fact("a"));
        fixture.database.execute("UPDATE metering.usage_units SET version = version + 1 WHERE id = 'token'");
        fixture.report(fact("b"));

        var lines = fixture.get(fixture.queries::listLines, ORG, PROJECT, Map.of("unit", "token"))
                .path("items");

        assertThat(lines.findValuesAsText("line_id")).hasSize(2).doesNotHaveDuplicates();
        for (var line : lines) {
            var facts = fixture.get(
                            fixture.queries::listFacts,
                            ORG,
                            PROJECT,
                            Map.of("line", line.path("line_id").asText()))
                    .path("items");
            assertThat(facts).hasSize(1);
            assertThat(facts.path(0).path("unit_version")).isEqualTo(line.path("unit_version"));
        }
    }

    @Test
    void report_belongsToTheAttachment_thatExistedInItsWindow() {
        var runtime = Ids.next();
        var first = Ids.next();
        var second = Ids.next();
        fixture.addRuntime(runtime, ORG, first, PROJECT);
        fixture.addRuntime(runtime, ORG, second, PROJECT);
        fixture.database.execute("""
                UPDATE metering.metered_attachments SET detached_at = now() - interval '1 day' WHERE attachment_id = '%s';
                UPDATE metering.metered_attachments SET requested_at = now() - interval '1 hour' WHERE attachment_id = '%s'
                """.formatted(first, second));

        var response = fixture.report(
                operator(ORG, runtime),
                "work",
                List.of(at("now", 1), at("between", 2 * 60), at("before", 2 * 24 * 60)));

        assertThat(outcomes(response)).containsExactly("accepted", "rejected", "accepted");
        assertThat(fixture.database.query(
                        "SELECT string_agg(attachment_id::text, ' ' ORDER BY window_end) FROM metering.usage_facts"))
                .isEqualTo(first + " " + second);
    }

    /** Returns work of the project that ended some minutes ago. */
    private static ObjectNode at(String id, int minutesAgo) {
        var now = fact(id);
        var end = Instant.parse(now.path("window_end").asText()).minusSeconds(60L * minutesAgo);
        return fact(id, "1", end.minusSeconds(60), end).put("project_id", PROJECT.toString());
    }
}
