package dev.slipway.audit.status;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.slipway.audit.status.component.ComponentApi;
import dev.slipway.audit.status.component.ComponentStore;
import dev.slipway.audit.status.component.ComponentView;
import dev.slipway.audit.status.component.ProcessReportConsumer;
import dev.slipway.audit.status.component.domain.RolloutStatus;
import dev.slipway.audit.status.maintenance.MaintenanceSchedule;
import dev.slipway.audit.status.maintenance.MaintenanceStore;
import dev.slipway.audit.status.slo.EvidenceSweep;
import dev.slipway.audit.status.slo.SloApi;
import dev.slipway.audit.status.slo.SloRecorder;
import dev.slipway.audit.status.slo.SloRegistry;
import dev.slipway.audit.status.slo.SloStore;
import dev.slipway.authz.Principal;
import dev.slipway.contract.CanonicalJson;
import dev.slipway.contract.Envelope;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.messaging.ChangeContext;
import dev.slipway.messaging.InboxConsumer.ReceivedEvent;
import dev.slipway.messaging.Outbox;
import dev.slipway.messaging.ReceivedRecord;
import dev.slipway.service.Call;
import dev.slipway.service.DatabaseSettings;
import dev.slipway.service.Mutations;
import dev.slipway.service.ProcessReport;
import dev.slipway.service.ProcessReport.ComponentHealth;
import dev.slipway.service.ProcessReport.DataAge;
import dev.slipway.service.ProcessReport.IndicatorTotals;
import dev.slipway.service.ProcessReport.RefusalTotal;
import dev.slipway.service.ProcessReport.ThresholdCount;
import dev.slipway.service.Request;
import dev.slipway.service.ServiceDatabase;
import dev.slipway.telemetry.Telemetry;
import dev.slipway.testkit.FreshDatabase;
import dev.slipway.testkit.Proves;
import io.opentelemetry.context.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

/** Tests reports, objectives and their evidence on a real database, with reports passed to the consumer directly. */
class StatusReportsTest {
    private static final Instant NOW = Instant.parse("2026-11-18T10:07:00Z");
    private static final Clock CLOCK = Clock.fixed(NOW, ZoneOffset.UTC);
    private static final Duration TIMEOUT = Duration.ofSeconds(90);

    private static FreshDatabase database;
    private static Telemetry telemetry;
    private static Vertx vertx;
    private static ServiceDatabase service;
    private static Outbox outbox;
    private static ProcessReportConsumer consumer;
    private static ComponentStore reports;
    private static ComponentApi components;
    private static SloApi objectives;
    private static EvidenceSweep sweep;

    private final UUID processId = Ids.next();

    @BeforeAll
    static void start() {
        database = FreshDatabase.create();
        telemetry = Telemetry.start(Map.of());
        vertx = telemetry.vertx(new VertxOptions().setEventLoopPoolSize(1)).build();
        service = await(ServiceDatabase.open(vertx, new DatabaseSettings(database.url(), 4, null), "audit", false));
        outbox = new Outbox(service.transactions(), telemetry.traces(), CLOCK, () -> {});
        var registry = SloRegistry.load();
        var sloStore = new SloStore(service.reads());
        reports = new ComponentStore(service.reads());
        consumer = new ProcessReportConsumer(reports, new SloRecorder(registry, sloStore));
        components = new ComponentApi(reports, new Mutations(outbox), CLOCK, TIMEOUT);
        objectives = new SloApi(registry, sloStore, CLOCK);
        sweep = new EvidenceSweep(registry, sloStore);
    }

    @AfterAll
    static void stop() {
        await(service.close());
        await(vertx.close());
        telemetry.close();
        database.close();
    }

    @BeforeEach
    void reset() {
        database.execute(
                "TRUNCATE audit.status_processes, audit.status_refusals, audit.slo_buckets, audit.slo_evidence");
    }

    @Test
    void report_isAppliedOnce_andOldOnesAreIgnored() {
        apply(report(100, 90), NOW.minusSeconds(60));
        apply(report(150, 140), NOW.minusSeconds(30));
        apply(report(150, 140), NOW.minusSeconds(30));
        apply(report(100, 90), NOW.minusSeconds(60));

        assertThat(window("iam-authorize").path("total").asLong()).isEqualTo(150);
        assertThat(window("iam-authorize").path("good").asLong()).isEqualTo(140);
    }

    @Test
    @Proves("C.21")
    void states_areSuperseded_andNeverDeleted() {
        apply(report("ready"), NOW.minusSeconds(60));
        apply(report("ready"), NOW.minusSeconds(50));
        apply(report("degraded"), NOW.minusSeconds(40));
        apply(report("ready"), NOW.minusSeconds(30));

        assertThat(database.query("SELECT string_agg(rollout_status, ',' ORDER BY observed_at)"
                        + " FROM audit.status_component_history WHERE process_id = '" + processId + "'"))
                .isEqualTo("ready,degraded,ready");
        for (var table : List.of(
                "release_candidates",
                "evidence_items",
                "gate_verdicts",
                "consistency_history",
                "status_component_history",
                "slo_evidence")) {
            assertThatThrownBy(() -> database.execute("SET ROLE slipway_audit; DELETE FROM audit." + table))
                    .as(table)
                    .hasStackTraceContaining("permission denied");
        }
    }

    private ProcessReport report(String rolloutStatus) {
        var report = report(1, 1);
        return new ProcessReport(
                report.processId(),
                report.environment(),
                report.host(),
                report.version(),
                null,
                null,
                report.configProfile(),
                report.startedAt(),
                false,
                List.of(new ComponentHealth("iam", rolloutStatus, "serving")),
                List.of(),
                List.of(),
                List.of());
    }

    @Test
    void report_losesNothing_whenOneBetweenWasLost() {
        apply(report(100, 100), NOW.minusSeconds(60));
        apply(report(900, 890), NOW.minusSeconds(1));
        assertThat(window("iam-authorize").path("total").asLong()).isEqualTo(900);
        assertThat(window("iam-authorize").path("good").asLong()).isEqualTo(890);
    }

    @Test
    void component_isUnknown_whenItsProcessIsSilent() {
        apply(report(0, 0), NOW.minus(TIMEOUT).minusSeconds(1));
        assertThat(await(components.views()))
                .extracting(ComponentView::componentId, ComponentView::rolloutStatus)
                .containsExactly(tuple("iam", RolloutStatus.UNKNOWN));
        apply(report(0, 0), NOW);
        assertThat(await(components.views()).get(0).rolloutStatus()).isEqualTo(RolloutStatus.READY);
    }

    @Test
    void refusals_rememberWhenTheyGrew() {
        apply(report(0, 0, 3), NOW.minusSeconds(60));
        apply(report(0, 0, 3), NOW.minusSeconds(30));
        var stale = await(reports.listRefusals()).get("authz_stale");
        assertThat(stale.total()).isEqualTo(3);
        assertThat(stale.lastRefusedAt()).isEqualTo(NOW.minusSeconds(60));
    }

    @Test
    void evidence_isWrittenOncePerHour_withADigest() {
        apply(report(100, 98), NOW.minusSeconds(1_200));
        apply(report(150, 148), NOW);

        assertThat(await(outbox.transaction(context(), sweep::run))).isPositive();
        assertThat(await(outbox.transaction(context(), sweep::run))).isZero();

        var rows = evidence("iam-authorize");
        assertThat(rows).hasSize(1);
        var row = rows.get(0);
        assertThat(row.path("window_start").asText()).isEqualTo("2026-11-18T09:00:00Z");
        assertThat(row.path("good").asLong()).isEqualTo(98);
        assertThat(row.path("total").asLong()).isEqualTo(100);
        assertThat(row.path("met").asBoolean()).isFalse();
        var content = row.deepCopy();
        ((ObjectNode) content).remove(List.of("evidence_id", "digest", "recorded_at"));
        assertThat(row.path("digest").asText()).isEqualTo(CanonicalJson.digest(content));
    }

    /** One of a hundred usage reports was counted after more than 30 seconds in the first hour, which is p99, and two in the next. */
    @Test
    @Proves({"3.83", "3.104"})
    void evidence_isWrittenForMetering_fromTheTimeUntilUsageIsCounted() {
        apply(
                report("metering", new IndicatorTotals("usage_ingest", 100, List.of(new ThresholdCount(30_000, 99)))),
                NOW.minusSeconds(4_800));
        apply(
                report("metering", new IndicatorTotals("usage_ingest", 200, List.of(new ThresholdCount(30_000, 197)))),
                NOW.minusSeconds(1_200));
        await(outbox.transaction(context(), sweep::run));

        assertThat(evidence("metering-usage-lag"))
                .extracting(row -> row.path("good").asLong() + " of "
                        + row.path("total").asLong() + " " + row.path("met").asBoolean())
                .containsExactly("98 of 100 false", "99 of 100 true");
    }

    private static JsonNode evidence(String sloId) {
        return Json.parseTrusted(await(objectives.listEvidence(request(sloId))).body())
                .path("items");
    }

    @Test
    void evidence_cannotBeChanged_byTheService() {
        apply(report(100, 98), NOW.minusSeconds(1_200));
        await(outbox.transaction(context(), sweep::run));
        assertThatThrownBy(() -> await(service.reads()
                        .query("UPDATE slo_evidence SET good = total")
                        .execute()))
                .hasMessageContaining("permission denied");
    }

    @Test
    void maintenance_startsAndEnds_atItsTimes() {
        database.execute("""
                INSERT INTO audit.maintenance (maintenance_id, title, description, status, public, components, org_ids, version, starts_at,
                    ends_at, created_at, updated_at)
                VALUES (gen_random_uuid(), 'past', 'text', 'scheduled', true, '{}', '{}', 1, '2026-11-18T09:00:00Z', '2026-11-18T10:00:00Z',
                    now(), now()),
                    (gen_random_uuid(), 'future', 'text', 'scheduled', true, '{}', '{}', 1, '2026-11-18T11:00:00Z', '2026-11-18T12:00:00Z',
                    now(), now())
                """);
        var schedule = new MaintenanceSchedule(new MaintenanceStore(service.reads()));

        assertThat(await(outbox.transaction(context(), schedule::run))).isEqualTo(1);
        assertThat(database.query("SELECT status FROM audit.maintenance WHERE title = 'past'"))
                .isEqualTo("in_progress");
        assertThat(await(outbox.transaction(context(), schedule::run))).isEqualTo(1);
        assertThat(await(outbox.transaction(context(), schedule::run))).isZero();

        assertThat(database.query("SELECT status || version FROM audit.maintenance WHERE title = 'past'"))
                .isEqualTo("completed3");
        assertThat(database.query("SELECT count(*) FROM audit.outbox WHERE event_type LIKE 'status.maintenance.%'"))
                .isEqualTo("2");
    }

    private ProcessReport report(long total, long within) {
        return report(total, within, 0);
    }

    private ProcessReport report(long total, long within, long refused) {
        return report(
                "iam",
                new IndicatorTotals(
                        "authorization", total, List.of(new ThresholdCount(5, 0), new ThresholdCount(20, within))),
                new RefusalTotal("authz_stale", refused));
    }

    private ProcessReport report(String component, IndicatorTotals indicator, RefusalTotal... refusals) {
        return new ProcessReport(
                processId,
                "test",
                "host",
                "1.0.0",
                null,
                null,
                "default",
                NOW.minusSeconds(7_200),
                false,
                List.of(new ComponentHealth(component, "ready", "serving")),
                List.of(indicator),
                List.of(new DataAge("authz", 900)),
                List.of(refusals));
    }

    private static void apply(ProcessReport report, Instant at) {
        var envelope = new Envelope(Ids.next(), ProcessReport.EVENT_TYPE, at, 1, "correlation", Json.toObject(report));
        var record = new ReceivedRecord("status.reports", 0, 0, at, "key", envelope.toBytes(), Map.of());
        await(outbox.transaction(
                context(), unit -> consumer.apply(unit, List.of(new ReceivedEvent(record, envelope)))));
    }

    private static JsonNode window(String sloId) {
        var views =
                Json.parseTrusted(await(objectives.list(request(sloId))).body()).path("items");
        for (var view : views) {
            if (view.path("slo_id").asText().equals(sloId)) {
                return view.path("windows").path(0);
            }
        }
        throw new AssertionError(sloId + " is missing");
    }

    private static Request request(String sloId) {
        var call = new Call("operation", "correlation", null, Map.of("slo_id", sloId), Map.of(), Map.of(), null);
        return new Request(call, Principal.user(Ids.next(), "Operator"), null, null, context());
    }

    private static ChangeContext context() {
        return new ChangeContext("correlation", Context.root());
    }

    @CanIgnoreReturnValue
    private static <T> T await(Future<T> future) {
        try {
            return future.toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
