package dev.slipway.metering.usage;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Ids;
import dev.slipway.metering.rating.BillingFixture;
import dev.slipway.testkit.Proves;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

import java.math.BigDecimal;
import java.time.Instant;
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
import static dev.slipway.metering.usage.UsageFixture.operator;
import static dev.slipway.metering.usage.UsageFixture.outcomes;
import static org.assertj.core.api.Assertions.assertThat;

/** Usage of all operating modes and control-plane scopes, from its report to the statements of two tenants. */
@TestInstance(Lifecycle.PER_CLASS)
class ProjectBillingTest {
    private static final Instant DAY = Instant.parse("2026-10-05T00:00:00Z");
    private static final String MONTH = "2026-10";
    private static final List<Topology> TOPOLOGIES = List.of(
            new Topology("tenant_dedicated", "project"),
            new Topology("tenant_dedicated", "tenant"),
            new Topology("platform_managed", "tenant"),
            new Topology("platform_managed", "platform"));
    /** The quantity that each project uses of the instance of each topology, at 0.10, and of a shared runtime. */
    private static final Map<UUID, Integer> QUANTITIES = Map.of(PROJECT, 10, SECOND_PROJECT, 300, OTHER_PROJECT, 7_000);

    private UsageFixture usage;
    private BillingFixture billing;

    private record Topology(String mode, String scope) {}

    @BeforeAll
    void reportAndRate() {
        usage = new UsageFixture();
        QUANTITIES.forEach((project, quantity) -> {
            var org = orgOf(project);
            for (var topology : TOPOLOGIES) {
                var instance = Ids.next();
                usage.addInstance(instance, org, project);
                usage.database.execute(
                        "UPDATE metering.metered_instances SET operating_mode = '%s', control_plane_scope = '%s' WHERE app_instance_id = '%s'"
                                .formatted(topology.mode, topology.scope, instance));
                var fact = fact(instance.toString(), quantity).put("app_instance_id", instance.toString());
                assertThat(outcomes(usage.report(account(org, project), "factory", List.of(fact))))
                        .containsExactly("accepted");
            }
            var runtime = Ids.next();
            usage.addRuntime(runtime, org, Ids.next(), project);
            var work = fact("work", quantity).put("project_id", project.toString());
            assertThat(outcomes(usage.report(operator(org, runtime), "controller", List.of(work))))
                    .containsExactly("accepted");
        });
        billing = new BillingFixture(usage.database);
        billing.createPrice("token", "0.10", DAY.minusSeconds(86_400));
        billing.rateAll();
    }

    @AfterAll
    void close() {
        billing.close();
        usage.close();
    }

    private static ObjectNode fact(String id, int quantity) {
        return UsageFixture.fact(id, String.valueOf(quantity), DAY, DAY.plusSeconds(60));
    }

    private static UUID orgOf(UUID project) {
        return project.equals(OTHER_PROJECT) ? OTHER_ORG : ORG;
    }

    @Test
    @Proves("1.36")
    void project_paysItsUsage_inEveryControlPlaneScope() {
        for (var project : QUANTITIES.keySet()) {
            var perTopology = new BigDecimal(QUANTITIES.get(project)).movePointLeft(1);
            var lines = items(statement(orgOf(project), project));

            assertThat(scopesOf(lines, project)).containsExactlyInAnyOrder("project", "tenant", "tenant", "platform");
            assertThat(lines).hasSize(TOPOLOGIES.size() + 1).allSatisfy(line -> {
                assertThat(line.path("project_id").asText()).isEqualTo(project.toString());
                assertThat(line.path("payer_project_id").asText()).isEqualTo(project.toString());
                assertThat(new BigDecimal(line.path("amount").asText())).isEqualByComparingTo(perTopology);
            });
        }
    }

    /** Returns the scopes of the instances of statement lines, as they were recorded with the usage. */
    private List<String> scopesOf(List<JsonNode> lines, UUID project) {
        return lines.stream()
                .map(line -> line.path("app_instance_id"))
                .filter(JsonNode::isTextual)
                .map(instance -> usage.database.query(
                        "SELECT min(control_plane_scope) FROM metering.usage_facts WHERE app_instance_id = '%s' AND project_id = '%s'"
                                .formatted(instance.asText(), project)))
                .toList();
    }

    @Test
    void organization_paysTheSumOfItsProjects_andNothingElse() {
        for (var org : List.of(ORG, OTHER_ORG)) {
            var ofProjects = QUANTITIES.keySet().stream()
                    .filter(project -> orgOf(project).equals(org))
                    .map(project -> total(statement(org, project)))
                    .reduce(BigDecimal.ZERO, BigDecimal::add);
            var statement = statement(org, null);

            assertThat(total(statement)).isEqualByComparingTo(ofProjects);
            assertThat(items(statement))
                    .allSatisfy(line ->
                            assertThat(line.path("payer_project_id").isNull()).isFalse());
        }
    }

    /** The charges of platform-managed instances, added up over tenants and projects, equal the price of their reported quantity. */
    @Test
    void platformManagedUsage_isChargedToItsTenantsAndProjects_exactly() {
        var charged = new BigDecimal(usage.database.query("""
                SELECT sum(c.amount) FROM metering.charges c JOIN metering.rated_lines l ON l.id = c.line_id
                WHERE l.app_instance_id IN (SELECT app_instance_id FROM metering.metered_instances WHERE operating_mode = 'platform_managed')
                """));
        var used = QUANTITIES.values().stream().mapToInt(Integer::intValue).sum() * 2;

        assertThat(charged).isEqualByComparingTo(new BigDecimal(used).movePointLeft(1));
        assertThat(BillingFixture.await(billing.monitor.check()).values()).containsOnly(0L);
        for (var org : List.of(ORG, OTHER_ORG)) {
            assertThat(BillingFixture.await(billing.reconstruction.reconstruct(BillingFixture.context(), org, null))
                            .identical())
                    .isTrue();
        }
    }

    private JsonNode statement(UUID org, @Nullable UUID project) {
        return billing.call(
                project == null ? billing.statements::get : billing.statements::getOfProject,
                org,
                project,
                Map.of("period", MONTH),
                null);
    }

    private static List<JsonNode> items(JsonNode statement) {
        return StreamSupport.stream(statement.path("items").spliterator(), false)
                .toList();
    }

    private static BigDecimal total(JsonNode statement) {
        return new BigDecimal(statement.path("total").asText());
    }
}
