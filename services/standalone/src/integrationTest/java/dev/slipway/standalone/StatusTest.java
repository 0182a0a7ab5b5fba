package dev.slipway.standalone;

import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.testkit.FaultyLink;
import dev.slipway.testkit.Proves;
import dev.slipway.testkit.TestInfrastructure;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** Tests the status of a running platform: components, objectives, incidents, maintenance, and who sees what. */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class StatusTest {
    private static FaultyLink kafka;
    private static FaultyLink database;
    private static PlatformUnderTest platform;
    private static StatusCalls status;

    @BeforeAll
    static void start() {
        kafka = FaultyLink.toKafka(TestInfrastructure.shared().kafkaBootstrap());
        database = FaultyLink.toDatabase(TestInfrastructure.shared().databaseUrl());
        platform = new PlatformUnderTest(
                Map.of(
                        "SLIPWAY_ALERTMANAGER_SECRET", StatusCalls.SECRET,
                        "SLIPWAY_STATUS_INTERVAL", "PT1S",
                        "SLIPWAY_ENVIRONMENT", "staging",
                        "SLIPWAY_SOURCE_COMMIT", "2f9d0c1",
                        "SLIPWAY_ARTIFACT_DIGEST", "sha256:" + "a".repeat(64),
                        "SLIPWAY_AUTHZ_BUDGET_READS", "PT12S",
                        "SLIPWAY_AUTHZ_BUDGET_WRITES", "PT12S"),
                address -> kafka.through(database.through(address)));
        status = new StatusCalls(platform);
    }

    @AfterAll
    static void stop() {
        platform.close();
        kafka.close();
        database.close();
    }

    @Test
    void platformStatus_isForbidden_toTenants() {
        for (var operation : List.of(
                "listStatusComponents",
                "listSlos",
                "getStatusPosture",
                "getReleaseReadiness",
                "listIncidents",
                "listMaintenance")) {
            platform.as("tenant_owner").call(operation).send().expect(403);
            platform.anonymous().call(operation).send().expect(401);
        }
        platform.as("tenant_owner")
                .call("createIncident")
                .body(StatusCalls.incident("Not mine"))
                .send()
                .expect(403);
    }

    @Test
    @Proves("3.16")
    void components_areReportedByTheProcess_withVersionAndHealth() {
        eventually(() -> {
            var components = status.components();
            assertThat(components.findValuesAsText("component_id"))
                    .contains("audit", "catalog", "gateway", "iam", "instances", "metering");
            for (var component : components) {
                if (!component.path("component_id").asText().equals("forgotten")) {
                    assertThat(component.path("rollout_status").asText())
                            .as(component.toString())
                            .isEqualTo("ready");
                }
            }
        });
        var gateway = status.component("gateway");
        assertThat(gateway.path("environment").asText()).isEqualTo("staging");
        var process = gateway.path("processes").path(0);
        assertThat(process.path("source_commit").asText()).isEqualTo("2f9d0c1");
        assertThat(process.path("artifact_digest").asText()).isEqualTo("sha256:" + "a".repeat(64));
        assertThat(process.path("config_profile").asText()).isEqualTo("demo");
        assertThat(process.path("health").asText()).startsWith("listening on");
        var observed = Instant.parse(gateway.path("observed_at").asText());
        eventually(() -> assertThat(Instant.parse(
                        status.component("gateway").path("observed_at").asText()))
                .isAfter(observed));
    }

    @Test
    @Proves("3.118")
    void component_isHiddenFromTenants_whenItIsNotPublic() {
        platform.database().execute("""
                INSERT INTO audit.status_processes (process_id, environment, host, version, config_profile, started_at, observed_at, stopping,
                    components, indicators, ages, refusals)
                VALUES (gen_random_uuid(), 'staging', 'host', '1', 'demo', now() - interval '1 hour', now() - interval '10 minutes', false,
                    '[{"component_id": "forgotten", "rollout_status": "ready", "health": "serving"}]', '[]', '[]', '[]')
                """);
        assertThat(status.component("forgotten").path("rollout_status").asText())
                .isEqualTo("unknown");
        eventually(() -> assertThat(StatusCalls.names(status.publicStatus())).contains("forgotten"));

        var settings = status.putComponent("\"0\"", "Forgotten", false).expect(200);
        status.putComponent("\"0\"", "Forgotten", true).expect(412);

        assertThat(settings.header("ETag")).isEqualTo("\"1\"");
        eventually(() -> assertThat(StatusCalls.names(status.publicStatus())).doesNotContain("forgotten", "Forgotten"));
        assertThat(StatusCalls.names(status.organizationStatus("tenant_owner", DemoData.ORG)))
                .doesNotContain("forgotten", "Forgotten");
    }

    @Test
    @Proves("3.77")
    void incident_isDurableAuditedAndPublished_throughItsLifecycle() {
        var body = StatusCalls.incident("Launches fail")
                .put("severity", "critical")
                .put("public", true);
        body.putArray("components").add("instances");
        var opened = platform.as("platform_ops")
                .call("createIncident")
                .header("Idempotency-Key", "incident-1")
                .body(body)
                .send()
                .expect(201);
        var id = opened.text("incident_id");
        assertThat(platform.as("platform_ops")
                        .call("createIncident")
                        .header("Idempotency-Key", "incident-1")
                        .body(body)
                        .send()
                        .expect(201)
                        .text("incident_id"))
                .isEqualTo(id);
        status.update(id, "mitigated", "Traffic is moved.").expect(201);
        status.update(id, "acknowledged", "Too late.").expect(409);
        status.update(UUID.randomUUID().toString(), "resolved", "Unknown.").expect(404);
        status.update(id, "resolved", "A new version runs.").expect(201);
        status.change(id, Json.object().put("title", "Another title")).expect(409);
        var closed = status.change(id, Json.object().put("postmortem_url", "https://wiki.example.test/17"))
                .expect(200);

        assertThat(closed.text("status")).isEqualTo("resolved");
        assertThat(closed.body().path("acknowledged_at").isNull()).isTrue();
        assertThat(closed.body().path("updates").findValuesAsText("message"))
                .containsExactly("A new version runs.", "Traffic is moved.");
        eventually(() -> assertThat(platform.events().find(seen -> seen.key().equals(id)))
                .extracting(seen -> seen.type() + " " + seen.payload().path("sequence"))
                .containsExactly(
                        "status.incident.opened 1",
                        "status.incident.mitigated 2",
                        "status.incident.resolved 3",
                        "status.incident.updated 4"));
        eventually(() -> assertThat(platform.as("platform_superadmin")
                        .call("listPlatformAuditEntries")
                        .query("target=" + id)
                        .send()
                        .expect(200)
                        .body()
                        .path("items"))
                .hasSize(4));
        assertThat(platform.events().violations()).isEmpty();
    }

    @Test
    void incident_isSeenByItsTenantsOnly_whenItIsNotPublic() {
        var body = StatusCalls.incident("Slow launches of one tenant");
        body.putArray("org_ids").add(DemoData.ORG.toString());
        var id = platform.as("platform_ops")
                .call("createIncident")
                .body(body)
                .send()
                .expect(201)
                .text("incident_id");
        status.update(id, null, "We look at it.").expect(201);
        platform.as("platform_ops")
                .call("addIncidentUpdate")
                .path("incident_id", id)
                .body(Json.object().put("message", "internal note").put("public", false))
                .send()
                .expect(201);

        var own = status.organizationStatus("tenant_owner", DemoData.ORG);

        var seen = StatusCalls.find(own.path("incidents"), "incident_id", id);
        assertThat(seen.path("affects_you").asBoolean()).isTrue();
        assertThat(seen.path("updates").findValuesAsText("message")).containsExactly("We look at it.");
        assertThat(status.organizationStatus("other_tenant_owner", DemoData.OTHER_ORG)
                        .path("incidents")
                        .findValuesAsText("incident_id"))
                .doesNotContain(id);
        platform.as("other_tenant_owner")
                .call("getOrganizationStatus")
                .path("org_id", DemoData.ORG)
                .send()
                .expect(404);
        status.change(id, Json.object().put("public", true)).expect(200);
        eventually(() -> assertThat(status.publicStatus().path("incidents").findValuesAsText("incident_id"))
                .contains(id));
        status.change(id, Json.object().put("public", false)).expect(200);
        eventually(() -> assertThat(status.publicStatus().path("incidents").findValuesAsText("incident_id"))
                .doesNotContain(id));
    }

    @Test
    void incident_isRejected_withUnknownTenantOrOldVersion() {
        var body = StatusCalls.incident("Of nobody");
        body.putArray("org_ids").add(Ids.next().toString());
        platform.as("platform_ops").call("createIncident").body(body).send().expect(400);
        var opened = platform.as("platform_ops")
                .call("createIncident")
                .body(StatusCalls.incident("Versioned"))
                .send()
                .expect(201);
        assertThat(opened.header("ETag")).isEqualTo("\"1\"");
        platform.as("platform_ops")
                .call("addIncidentUpdate")
                .path("incident_id", opened.text("incident_id"))
                .header("If-Match", "\"7\"")
                .body(Json.object().put("message", "old"))
                .send()
                .expect(412);
    }

    @Test
    void maintenance_movesThroughItsLifecycle() {
        var body = Json.object()
                .put("title", "Database upgrade")
                .put("description", "Launches can take longer.")
                .put("starts_at", Instant.now().plusSeconds(3_600).toString())
                .put("ends_at", Instant.now().plusSeconds(60).toString());
        platform.as("platform_ops").call("createMaintenance").body(body).send().expect(400);
        body.put("ends_at", Instant.now().plusSeconds(7_200).toString());
        var id = platform.as("platform_ops")
                .call("createMaintenance")
                .body(body)
                .send()
                .expect(201)
                .text("maintenance_id");
        eventually(() -> assertThat(status.publicStatus().path("maintenance").findValuesAsText("maintenance_id"))
                .contains(id));

        status.moveMaintenance(id, "completed").expect(409);
        status.moveMaintenance(id, "in_progress").expect(200);
        assertThat(status.readiness().path("reasons").findValuesAsText("reference"))
                .contains(id);
        status.moveMaintenance(id, "completed").expect(200);
        status.moveMaintenance(id, "canceled").expect(409);

        eventually(() -> assertThat(platform.events().find(seen -> seen.key().equals(id)))
                .extracting(seen -> seen.type())
                .containsExactly(
                        "status.maintenance.scheduled", "status.maintenance.started", "status.maintenance.completed"));
        eventually(() -> assertThat(status.publicStatus().path("maintenance").findValuesAsText("maintenance_id"))
                .doesNotContain(id));
    }

    @Test
    @Proves({"3.81", "3.91"})
    void objectives_areComputedFromReports_andNotMeasuredWithoutAService() {
        platform.launch("project_owner", "measured").send().expect(202);
        new UsageCalls(platform).reportOne(DemoData.PROJECT);
        platform.as("project_owner")
                .call("listApps")
                .header("X-Project-ID", DemoData.PROJECT.toString())
                .send()
                .expect(200);
        eventually(() -> {
            var slos = platform.as("platform_ops")
                    .call("listSlos")
                    .send()
                    .expect(200)
                    .body()
                    .path("items");
            assertThat(slos).hasSize(9);
            for (var unmeasured : List.of("payments", "notification", "secrets")) {
                assertThat(StatusCalls.find(slos, "service", unmeasured)
                                .path("status")
                                .asText())
                        .isEqualTo("not_measured");
            }
            for (var measured : List.of("iam", "audit", "status", "registry", "policy", "metering")) {
                var slo = StatusCalls.find(slos, "service", measured);
                assertThat(slo.path("windows").path(0).path("total").asLong())
                        .as(measured)
                        .isPositive();
                assertThat(slo.path("status").asText()).as(measured).isNotEqualTo("no_data");
            }
            var metering = StatusCalls.find(slos, "service", "metering");
            assertThat(metering.path("status").asText()).isEqualTo("met");
        });
        platform.as("platform_ops")
                .call("listSloEvidence")
                .path("slo_id", "iam-authorize")
                .send()
                .expect(200);
        platform.as("platform_ops")
                .call("listSloEvidence")
                .path("slo_id", "unknown")
                .send()
                .expect(404);
    }

    @Test
    void posture_showsFailureBehaviourFreshnessAndRefusals_ofEachService() {
        eventually(() -> {
            var services = status.posture();
            assertThat(services).hasSize(9);
            var iam = StatusCalls.find(services, "service", "iam");
            assertThat(iam.path("read_models").path(0).path("name").asText()).isEqualTo("authz");
            assertThat(iam.path("read_models").path(0).path("age_ms").isNumber())
                    .isTrue();
            assertThat(iam.path("refused_writes").path(0).path("reason").asText())
                    .isEqualTo("authz_stale");
            assertThat(StatusCalls.find(services, "service", "payments")
                            .path("measured")
                            .asBoolean())
                    .isFalse();
        });
    }

    /** One read decides from both: the gates of the evidence and the state of the platform. */
    @Test
    @Proves("3.40")
    void readiness_namesTheBlockedGates_andTheIncidents_ofACandidate() {
        var release = platform.as("platform_superadmin")
                .call("createRelease")
                .body(EvidenceTest.candidate("apps", "9.9.9"))
                .send()
                .expect(201);

        var candidate = StatusCalls.find(status.readiness().path("candidates"), "candidate_id", release.text("id"));

        assertThat(candidate.path("version").asText()).isEqualTo("9.9.9");
        assertThat(candidate.path("ready").asBoolean()).isFalse();
        assertThat(candidate.path("gates")).hasSize(6);
        assertThat(candidate.path("reasons").findValuesAsText("reference")).contains("security_evidence");

        var incident = platform.as("platform_ops")
                .call("createIncident")
                .body(StatusCalls.incident("No launches").put("severity", "critical"))
                .send()
                .expect(201)
                .text("incident_id");
        assertThat(status.readiness().path("reasons").findValuesAsText("reference"))
                .contains(incident);
        status.update(incident, "resolved", "The queue was restarted.").expect(201);
    }

    /** Nothing that a public read needs depends on IAM: with stale permissions every other read is refused. */
    @Test
    @Order(Integer.MAX_VALUE - 1)
    @Proves("3.86")
    void publicStatus_isCurrent_whenPermissionsAreStale() {
        var id = platform.as("platform_ops")
                .call("createIncident")
                .body(StatusCalls.incident("During an outage").put("public", true))
                .send()
                .expect(201)
                .text("incident_id");
        kafka.cut();
        eventually(() -> assertThat(
                        platform.as("platform_ops").call("listIncidents").send().text("code"))
                .isEqualTo("authz_stale"));

        var page = platform.anonymous().call("getPublicStatus").send().expect(200);

        assertThat(page.body().path("incidents").findValuesAsText("incident_id"))
                .contains(id);
    }

    @Test
    @Order(Integer.MAX_VALUE)
    @Proves("3.86")
    void publicStatus_isTheLastKnown_whenDatabaseAndKafkaAreUnavailable() {
        var before = status.publicStatus();
        kafka.cut();
        database.cut();
        eventually(() -> {
            var page = platform.anonymous().call("getPublicStatus").send().expect(200);
            assertThat(page.body().path("components")).hasSameSizeAs(before.path("components"));
            assertThat(platform.as("platform_ops").call("listIncidents").send().status())
                    .isEqualTo(503);
        });
        database.heal();
        kafka.heal();
    }
}
