package dev.slipway.metering.usage;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Ids;
import dev.slipway.metering.usage.domain.FactAttribution;
import dev.slipway.metering.usage.domain.ReportedFact;
import dev.slipway.metering.usage.domain.ReporterScope.ProjectReporter;
import dev.slipway.metering.usage.domain.ScopedFact;
import dev.slipway.testkit.Proves;
import io.vertx.core.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import static dev.slipway.metering.usage.UsageFixture.ORG;
import static dev.slipway.metering.usage.UsageFixture.OTHER_ORG;
import static dev.slipway.metering.usage.UsageFixture.OTHER_PROJECT;
import static dev.slipway.metering.usage.UsageFixture.PROJECT;
import static dev.slipway.metering.usage.UsageFixture.SECOND_PROJECT;
import static dev.slipway.metering.usage.UsageFixture.account;
import static dev.slipway.metering.usage.UsageFixture.await;
import static dev.slipway.metering.usage.UsageFixture.context;
import static dev.slipway.metering.usage.UsageFixture.correction;
import static dev.slipway.metering.usage.UsageFixture.fact;
import static dev.slipway.metering.usage.UsageFixture.operator;
import static dev.slipway.metering.usage.UsageFixture.outcomes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class UsageIngestTest {
    private final UsageFixture fixture = new UsageFixture();

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    void report_answersEachFact_whenNewRepeatedConflictingAndInvalidOnesAreMixed() {
        fixture.report(fact("a"), fact("b"));
        var same = stored("a");
        var invalid = fact("d").put("quantity", "1.5");

        var response = fixture.report(
                fact("c"),
                same,
                stored("b").put("quantity", "11"),
                invalid,
                fact("e"),
                fact("c").put("quantity", "99"));

        assertThat(outcomes(response))
                .containsExactly("accepted", "duplicate", "conflict", "rejected", "accepted", "conflict");
        assertThat(response.at("/counts/accepted").asInt()).isEqualTo(2);
        var conflict = response.at("/items/2");
        assertThat(conflict.path("received_hash").asText())
                .hasSize(64)
                .isNotEqualTo(conflict.path("stored_hash").asText());
        assertThat(response.at("/items/3/field").asText()).isEqualTo("quantity");
        assertThat(response.at("/items/3/problem").asText()).contains("precision");
        assertThat(fixture.total()).isEqualTo("40");
        assertThat(fixture.differences()).isEqualTo("0");
        assertThat(fixture.get(fixture.queries::listRefusals, ORG, PROJECT, Map.of())
                        .path("items")
                        .findValuesAsText("fact_id"))
                .containsExactlyInAnyOrder("b", "c");
    }

    /** Returns a stored fact as it was sent. */
    private ObjectNode stored(String id) {
        var start = fixture.database.query(
                "SELECT to_char(window_start AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"') FROM metering.usage_facts WHERE fact_id = '"
                        + id + "'");
        return fact(id, "10.0", Instant.parse(start), Instant.parse(start).plusSeconds(60));
    }

    @Test
    void report_rejectsFacts_namingTheField() {
        var now = Instant.now().truncatedTo(ChronoUnit.SECONDS);
        fixture.database.execute("UPDATE metering.usage_units SET lifecycle = 'retired' WHERE id = 'request'");

        var response = fixture.report(
                fact("1").put("unit", "no_such_unit"),
                fact("2").put("unit", "request"),
                fact("3").put("unit_version", 7),
                fact("4").put("window_end", now.plusSeconds(3_600).toString()),
                fact("5", "1", now, now),
                fact("6").put("window_start", "yesterday"),
                without(fact("7"), "resource_type"),
                without(fact("8"), "quantity"),
                fact("9").put("quantity", "-1"),
                fact("10").put("org_id", OTHER_ORG.toString()),
                fact("white space"),
                fact("12").put("project_id", "not-a-uuid"),
                fact("13").put("adjustment", "1"));

        assertThat(outcomes(response)).hasSize(13).containsOnly("rejected");
        assertThat(response.path("items").findValuesAsText("field"))
                .containsExactly(
                        "unit",
                        "unit",
                        "unit_version",
                        "window_end",
                        "window_end",
                        "window_start",
                        "resource_type",
                        "quantity",
                        "quantity",
                        "org_id",
                        "id",
                        "project_id",
                        "adjustment");
        assertThat(fixture.total()).isEqualTo("0");
        assertThat(fixture.database.query("SELECT count(*) FROM metering.usage_fact_ids"))
                .isEqualTo("0");
    }

    private static ObjectNode without(ObjectNode fact, String field) {
        fact.remove(field);
        return fact;
    }

    @Test
    @Proves("1.37")
    void report_completesAttribution_fromTheInstance() {
        var instance = Ids.next();
        fixture.addInstance(instance, ORG, PROJECT);

        fixture.report(without(without(fact("a"), "resource_type"), "resource_id")
                .put("app_instance_id", instance.toString()));

        assertThat(fixture.database.query("""
                SELECT concat_ws(' ', org_id, project_id, app_instance_id, app_slug, operating_mode, control_plane_scope, runtime_backend,
                    correlation_id) FROM metering.usage_facts"""))
                .isEqualTo(
                        ORG + " " + PROJECT + " " + instance + " echo tenant_dedicated project bare_metal correlation");
    }

    @Test
    @Proves({"0.42", "0.45"})
    void report_keepsBothAnchors_ofASharedRuntime() {
        var runtime = Ids.next();
        var attachment = Ids.next();
        var contributed = Ids.next();
        fixture.addRuntime(runtime, ORG, attachment, PROJECT);
        fixture.addRuntime(runtime, ORG, contributed, SECOND_PROJECT);

        var response = fixture.report(
                operator(ORG, runtime),
                "controller",
                List.of(
                        fact("work")
                                .put("project_id", PROJECT.toString())
                                .put("source_project_id", SECOND_PROJECT.toString()),
                        fact("capacity").put("source_project_id", SECOND_PROJECT.toString()),
                        fact("controller"),
                        fact("foreign").put("project_id", OTHER_PROJECT.toString())));

        assertThat(outcomes(response)).containsExactly("accepted", "accepted", "accepted", "rejected");
        assertThat(response.at("/items/3/field").asText()).isEqualTo("project_id");
        assertThat(fixture.database.query("""
                SELECT string_agg(concat_ws(',', fact_id, project_id, attachment_id, source_project_id), ' ' ORDER BY fact_id)
                FROM metering.usage_facts WHERE org_id = '%s' AND shared_runtime_id = '%s'""".formatted(ORG, runtime)))
                .isEqualTo("capacity," + contributed + "," + SECOND_PROJECT + " controller work," + PROJECT + ","
                        + attachment + "," + SECOND_PROJECT);
    }

    @Test
    void report_rejectsResourcesOfOthers_likeUnknownOnes() {
        var foreignInstance = Ids.next();
        var siblingInstance = Ids.next();
        var foreignRuntime = Ids.next();
        fixture.addInstance(foreignInstance, OTHER_ORG, OTHER_PROJECT);
        fixture.addInstance(siblingInstance, ORG, SECOND_PROJECT);
        fixture.addRuntime(foreignRuntime, OTHER_ORG, Ids.next(), OTHER_PROJECT);

        var response = fixture.report(
                fact("1").put("app_instance_id", foreignInstance.toString()),
                fact("2").put("app_instance_id", siblingInstance.toString()),
                fact("3").put("app_instance_id", Ids.next().toString()),
                fact("4").put("project_id", OTHER_PROJECT.toString()),
                fact("5").put("project_id", SECOND_PROJECT.toString()),
                fact("6").put("project_id", Ids.next().toString()),
                fact("7").put("shared_runtime_id", foreignRuntime.toString()),
                fact("8").put("shared_runtime_id", Ids.next().toString()));

        assertThat(outcomes(response)).hasSize(8).containsOnly("rejected");
        var problems = response.path("items").findValuesAsText("problem");
        assertThat(problems.subList(0, 3)).containsOnly(problems.get(2));
        assertThat(problems.subList(3, 6)).containsOnly(problems.get(5));
        assertThat(problems.subList(6, 8)).containsOnly(problems.get(7));
    }

    @Test
    void report_doesNotCollide_withTheIdsOfAnotherProject() {
        fixture.report(fact("same-id"));

        var response = fixture.report(
                account(OTHER_ORG, OTHER_PROJECT),
                "factory",
                List.of(fact("same-id").put("quantity", "5")));

        assertThat(outcomes(response)).containsExactly("accepted");
        assertThat(fixture.total()).isEqualTo("15");
    }

    @Test
    void apply_leavesNothing_whenTheTransactionFailsAfterTheClaim() {
        var facts = List.of(scoped("retried", 7));
        assertThatThrownBy(() -> await(fixture.outbox.transaction(context(), unit -> fixture.ingest
                        .apply(unit, facts)
                        .compose(results -> Future.failedFuture("killed between claim and commit")))))
                .hasMessageContaining("killed");
        assertThat(fixture.database.query("SELECT count(*) FROM metering.usage_fact_ids"))
                .isEqualTo("0");
        assertThat(fixture.countingTransactions).hasValue(0);

        for (var retry = 0; retry < 20; retry++) {
            await(fixture.outbox.transaction(context(), unit -> fixture.ingest.apply(unit, facts)));
        }

        assertThat(fixture.total()).isEqualTo("7");
        assertThat(fixture.differences()).isEqualTo("0");
    }

    @Test
    void commit_wakesTheRater_onlyIfItCountedFacts() {
        var fact = fact("rated");
        fixture.report(fact);
        assertThat(fixture.countingTransactions).hasValue(1);

        fixture.report(fact);
        fixture.report(fact("rejected").put("unit", "unknown"));
        assertThat(fixture.countingTransactions).hasValue(1);

        fixture.report(correction("corrected", "rated").put("quantity", "9"));
        assertThat(fixture.countingTransactions).hasValue(2);
    }

    @Test
    void apply_countsOnce_whenTheSameFactsAreReportedConcurrently() {
        var attempts = new ArrayList<Future<?>>();
        for (var writer = 0; writer < 8; writer++) {
            var facts = new ArrayList<ScopedFact>();
            for (var i = 0; i < 200; i++) {
                facts.add(scoped("f" + (i * 7 + writer * 13) % 250, 1));
            }
            attempts.add(fixture.outbox.transaction(context(), unit -> fixture.ingest.apply(unit, facts)));
        }

        await(Future.join(attempts));

        assertThat(fixture.total()).isEqualTo(fixture.database.query("SELECT count(*) FROM metering.usage_fact_ids"));
        assertThat(fixture.differences()).isEqualTo("0");
    }

    private static ScopedFact scoped(String id, int quantity) {
        var end = Instant.parse("2026-11-01T10:00:00Z");
        var fact = new ReportedFact(
                "test",
                id,
                "token",
                null,
                new BigDecimal(quantity),
                null,
                end.minusSeconds(1),
                end,
                null,
                FactAttribution.ofResource("model", "llama"),
                "correlation",
                null);
        return new ScopedFact(fact, new ProjectReporter(ORG, PROJECT), "tester", null, null);
    }

    @Test
    void report_countsBackdatedFacts_inTheirOwnMonth() {
        var end = Instant.now().truncatedTo(ChronoUnit.SECONDS).minus(60, ChronoUnit.DAYS);

        var response = fixture.report(fact("late", "3", end.minusSeconds(60), end));

        var month = end.minusNanos(1).atZone(ZoneOffset.UTC).toLocalDate().withDayOfMonth(1);
        assertThat(response.at("/items/0/period").asText()).isEqualTo(month.toString());
        assertThat(fixture.differences()).isEqualTo("0");
    }

    @Test
    void report_booksInTheOpenMonth_whenTheMonthOfAFactOrItsCorrectionIsClosed() {
        var lastMonth = LocalDate.now(ZoneOffset.UTC).withDayOfMonth(1).minusMonths(1);
        var end = lastMonth.plusDays(3).atStartOfDay(ZoneOffset.UTC).toInstant();
        fixture.report(fact("early", "10", end.minusSeconds(60), end));
        fixture.database.execute(
                "UPDATE metering.usage_periods SET closed_at = now() WHERE period = '" + lastMonth + "'");

        var response = fixture.report(
                fact("late", "5", end.minusSeconds(60), end),
                correction("fix", "early").put("quantity", "8"));

        assertThat(response.path("items").findValuesAsText("period"))
                .containsExactly(
                        lastMonth.plusMonths(1).toString(),
                        lastMonth.plusMonths(1).toString());
        assertThat(fixture.database.query("""
                SELECT quantity || ' ' || corrects_fact_id || ' ' || (window_end = '%s') FROM metering.usage_facts
                WHERE fact_id = 'fix'""".formatted(end))).isEqualTo("-2 early true");
        assertThat(fixture.total()).isEqualTo("13");
        assertThat(fixture.differences()).isEqualTo("0");
    }

    @Test
    void report_appliesCorrections_toTheCurrentTotalOfAFact() {
        var response = fixture.report(
                fact("a"),
                correction("a1", "a").put("adjustment", "-3"),
                correction("a2", "a").put("quantity", "20"),
                correction("a3", "a").put("adjustment", "-21"),
                correction("b1", "b").put("adjustment", "1"),
                correction("c", "a1").put("adjustment", "1"),
                correction("a4", "a"));
        assertThat(outcomes(response))
                .containsExactly("accepted", "accepted", "accepted", "rejected", "rejected", "rejected", "rejected");
        assertThat(fixture.total()).isEqualTo("20");

        var again = fixture.report(
                correction("a1", "a").put("adjustment", "-3"),
                correction("a2", "a").put("quantity", "21"),
                correction("a5", "a").put("quantity", "0"));

        assertThat(outcomes(again)).containsExactly("duplicate", "conflict", "accepted");
        assertThat(fixture.total()).isEqualTo("0");
        assertThat(fixture.differences()).isEqualTo("0");
    }

    @Test
    void migration_makesReportedUsageFacts_thatAdaptersMayReportAgain() {
        var fact = new ReportedFact(
                "adapter",
                "x/" + new UUID(1, 2),
                "gpu_hour",
                null,
                new BigDecimal("100.50"),
                null,
                Instant.parse("2026-03-02T10:00:00.000001Z"),
                Instant.parse("2026-03-02T11:00:00Z"),
                ORG,
                new FactAttribution(
                        PROJECT, new UUID(3, 4), null, null, null, "echo", null, null, null, null, null, null),
                "c",
                null);
        // The expression of V023.
        assertThat(fixture.database.query("""
                SELECT encode(sha256(convert_to(
                    unit || E'\\x1f\\x1f' || trim_scale(quantity)::text || E'\\x1f\\x1f' || (extract(epoch FROM window_start) * 1000000)::bigint
                    || E'\\x1f' || (extract(epoch FROM window_end) * 1000000)::bigint || E'\\x1f' || org_id || E'\\x1f'
                    || coalesce(project_id::text, '') || E'\\x1f' || coalesce(app_instance_id::text, '') || E'\\x1f' || '' || E'\\x1f' || ''
                    || E'\\x1f' || '' || E'\\x1f' || app_slug || repeat(E'\\x1f', 8), 'UTF8')), 'hex')
                FROM (SELECT 'gpu_hour' AS unit, 100.50 AS quantity, timestamptz '2026-03-02T10:00:00.000001Z' AS window_start,
                    timestamptz '2026-03-02T11:00:00Z' AS window_end, uuid '%s' AS org_id, uuid '%s' AS project_id,
                    uuid '%s' AS app_instance_id, 'echo' AS app_slug) AS r""".formatted(ORG, PROJECT, new UUID(3, 4))))
                .isEqualTo(fact.bodyHash());
    }
}
