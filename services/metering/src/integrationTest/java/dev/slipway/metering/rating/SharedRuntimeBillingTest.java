package dev.slipway.metering.rating;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.metering.rating.BillingFixture.Usage;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.YearMonth;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;

import static dev.slipway.metering.rating.BillingFixture.await;
import static org.assertj.core.api.Assertions.assertThat;

/** A shared runtime with three projects over a month, with both anchors, for every cost-split policy, and its reconstruction. */
class SharedRuntimeBillingTest {
    private static final YearMonth MONTH = BillingFixture.currentMonth().minusMonths(1);
    private static final Instant START =
            MONTH.atDay(1).atStartOfDay(ZoneOffset.UTC).toInstant();
    private static final int DAYS = 28;

    private static BillingFixture billing;

    private final UUID org = Ids.next();
    private final UUID runtime = Ids.next();
    private final List<UUID> projects =
            Stream.generate(Ids::next).limit(3).sorted().toList();

    @BeforeAll
    static void open() {
        billing = new BillingFixture();
        billing.createPrice("controller_hour", "0.333", START.minusSeconds(86_400));
        billing.createPrice("work_hour", "1.01", START.minusSeconds(86_400));
    }

    @AfterAll
    static void close() {
        billing.close();
    }

    /** The policies, and what the three projects and the owner pay of the controller, which costs 223.78. */
    enum SplitCase {
        OWNER_PAYS(null, "0 0 0", "223.78"),
        EQUAL(null, "74.60 74.59 74.59", "0"),
        BY_USAGE("work_hour", "37.30 74.59 111.89", "0"),
        BY_CONTRIBUTED_CAPACITY("work_hour", "223.78 0 0", "0"),
        FIXED_SHARES(null, "111.89 111.89 0", "0");

        final String weightUnit;
        final String ofProjects;
        final String ofOwner;

        SplitCase(String weightUnit, String ofProjects, String ofOwner) {
            this.weightUnit = weightUnit;
            this.ofProjects = ofProjects;
            this.ofOwner = ofOwner;
        }
    }

    @ParameterizedTest
    @EnumSource
    @Proves({"0.44", "1.39"})
    void divide_chargesEachProjectByPolicy_andReconstructsTheMonth(SplitCase split) {
        useRuntimeForAMonth();
        var policy = policy(split);
        var simulated = billing.call(
                billing.splits::simulate,
                org,
                null,
                runtimePath(),
                policy.deepCopy().put("period", MONTH.toString()));
        var unused = billing.call(
                billing.splits::create,
                org,
                null,
                runtimePath(),
                policy.deepCopy().put("valid_from", MONTH.toString()));
        billing.rateAll();

        var charged = chargesOfController();
        for (var i = 0; i < projects.size(); i++) {
            assertThat(charged.getOrDefault(projects.get(i), BigDecimal.ZERO))
                    .as("project %d", i)
                    .isEqualByComparingTo(split.ofProjects.split(" ", -1)[i]);
        }
        assertThat(charged.getOrDefault(null, BigDecimal.ZERO)).isEqualByComparingTo(split.ofOwner);
        assertThat(total(simulated))
                .isEqualTo(billing.call(billing.statements::get, org, null, period(), null)
                        .path("total")
                        .asText());
        assertWorkIsChargedToItsProject();
        assertThat(await(billing.reconstruction.reconstruct(BillingFixture.context(), org, null))
                        .identical())
                .isTrue();
        assertThat(await(billing.monitor.check()).values()).containsOnly(0L);
    }

    @Test
    @Proves("1.39")
    void divide_leavesTheControllerToTheOwner_whenThereIsNoPolicy() {
        useRuntimeForAMonth();
        assertThat(chargesOfController()).containsOnlyKeys((UUID) null);
    }

    @Test
    void divide_isRepeated_whenADetachmentBecomesKnownLate() {
        useRuntimeForAMonth();
        var unused = billing.call(
                billing.splits::create,
                org,
                null,
                runtimePath(),
                policy(SplitCase.EQUAL).put("valid_from", MONTH.toString()));
        billing.rateAll();
        assertThat(chargesOfController()).containsOnlyKeys(projects);
        var attachment = billing.database.query(
                "SELECT attachment_id FROM metering.runtime_attachments WHERE project_id = '" + projects.get(2) + "'");

        billing.consume(
                "apps.shared_runtime.attachment.detached",
                START.minusSeconds(86_400),
                Json.object()
                        .put("attachment_id", attachment)
                        .put("shared_runtime_id", runtime.toString())
                        .put("org_id", org.toString())
                        .put("project_id", projects.get(2).toString()));
        billing.rateAll();

        var charged = chargesOfController();
        assertThat(charged.getOrDefault(projects.get(2), BigDecimal.ZERO)).isEqualByComparingTo("0");
        assertThat(charged.get(projects.get(0))).isEqualByComparingTo("111.89");
        assertThat(await(billing.reconstruction.reconstruct(BillingFixture.context(), org, null))
                        .identical())
                .isTrue();
    }

    @Test
    void create_isRefused_whenTheRuntimeBelongsToAnotherOrganization() {
        useRuntimeForAMonth();
        var policy = policy(SplitCase.EQUAL).put("valid_from", MONTH.toString());
        assertThat(billing.refusal(() -> billing.call(billing.splits::create, Ids.next(), null, runtimePath(), policy)))
                .isEqualTo("shared_runtime_not_found");
    }

    @Test
    void create_isRefused_whenAShareBelongsToAProjectOfAnotherOrganization() {
        useRuntimeForAMonth();
        billing.projectOrgs.put(projects.get(0), Ids.next());
        var policy = policy(SplitCase.FIXED_SHARES).put("valid_from", MONTH.toString());
        assertThat(billing.refusal(() -> billing.call(billing.splits::create, org, null, runtimePath(), policy)))
                .isEqualTo("validation_error");
    }

    @Test
    void create_isRefused_whenWeightsAreMissing() {
        for (var method : List.of("by_usage", "fixed_shares")) {
            var body = Json.object().put("method", method).put("valid_from", MONTH.toString());
            assertThat(billing.refusal(() -> billing.call(billing.splits::create, org, null, runtimePath(), body)))
                    .isEqualTo("validation_error");
        }
    }

    /** The controller runs all day; project n works n hours a day on capacity of the first project. */
    private void useRuntimeForAMonth() {
        billing.database.execute(
                "INSERT INTO metering.metered_runtimes VALUES ('%s', '%s', 'slurm')".formatted(runtime, org));
        for (var project : projects) {
            billing.projectOrgs.put(project, org);
            billing.database.execute("""
                    INSERT INTO metering.runtime_attachments VALUES ('%s', '%s', '%s', '%s', '%s')
                    """.formatted(Ids.next(), runtime, org, project, START));
        }
        for (var day = 0; day < DAYS; day++) {
            var at = START.plusSeconds(day * 86_400L);
            billing.insertFact(
                    new Usage(org, null, null, runtime, null), "controller_hour", "24", at, MONTH.toString());
            for (var i = 0; i < projects.size(); i++) {
                var work = new Usage(org, projects.get(i), null, runtime, projects.get(0));
                billing.insertFact(work, "work_hour", String.valueOf(i + 1), at, MONTH.toString());
            }
        }
        billing.rateAll();
    }

    private ObjectNode policy(SplitCase split) {
        var policy = Json.object()
                .put("method", split.name().toLowerCase(Locale.ROOT))
                .put("applies_to", "common");
        if (split.weightUnit != null) {
            policy.put("weight_unit", split.weightUnit);
        }
        if (split == SplitCase.FIXED_SHARES) {
            policy.putObject("shares")
                    .put(projects.get(0).toString(), "1")
                    .put(projects.get(1).toString(), "1");
        }
        return policy;
    }

    private Map<UUID, BigDecimal> chargesOfController() {
        var charges = new HashMap<UUID, BigDecimal>();
        for (var line : lines()) {
            if (line.path("unit").asText().equals("controller_hour")) {
                var payer = line.path("payer_project_id");
                charges.merge(
                        payer.isNull() ? null : UUID.fromString(payer.asText()),
                        new BigDecimal(line.path("amount").asText()),
                        BigDecimal::add);
            }
        }
        return charges;
    }

    private void assertWorkIsChargedToItsProject() {
        var work = new HashMap<String, String>();
        for (var line : lines()) {
            if (line.path("unit").asText().equals("work_hour")) {
                assertThat(line.path("shared_runtime_id").asText()).isEqualTo(runtime.toString());
                assertThat(line.path("payer_project_id")).isEqualTo(line.path("project_id"));
                work.put(line.path("project_id").asText(), line.path("amount").asText());
            }
        }
        assertThat(work)
                .containsOnly(
                        Map.entry(projects.get(0).toString(), "28.28"),
                        Map.entry(projects.get(1).toString(), "56.56"),
                        Map.entry(projects.get(2).toString(), "84.84"));
    }

    private JsonNode lines() {
        return billing.call(billing.statements::get, org, null, period(), null).path("items");
    }

    private static String total(JsonNode simulated) {
        assertThat(sum(simulated, "simulated")).isEqualTo(sum(simulated, "current"));
        return simulated.path("total").asText();
    }

    private static BigDecimal sum(JsonNode simulated, String field) {
        return simulated.path("items").findValuesAsText(field).stream()
                .map(BigDecimal::new)
                .reduce(BigDecimal.ZERO, BigDecimal::add);
    }

    private static Map<String, String> period() {
        return Map.of("period", MONTH.toString());
    }

    private Map<String, String> runtimePath() {
        return Map.of("shared_runtime_id", runtime.toString());
    }
}
