package dev.slipway.audit.evidence;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.audit.evidence.domain.Gate;
import dev.slipway.authz.Principal;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import dev.slipway.testkit.Proves;
import io.vertx.core.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

import static dev.slipway.audit.evidence.EvidenceFixture.PROJECT;
import static dev.slipway.audit.evidence.EvidenceFixture.SHA;
import static dev.slipway.audit.evidence.EvidenceFixture.candidate;
import static dev.slipway.audit.evidence.EvidenceFixture.expect;
import static dev.slipway.audit.evidence.EvidenceFixture.item;
import static dev.slipway.audit.evidence.EvidenceFixture.refuse;
import static dev.slipway.audit.evidence.EvidenceFixture.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class ReleaseGatesTest {
    @TempDir
    private static Path directory;

    private static EvidenceFixture fixture;

    @BeforeAll
    static void open() {
        fixture = new EvidenceFixture(directory.resolve("objects"));
    }

    @AfterAll
    static void close() {
        fixture.close();
    }

    @Test
    @Proves({"3.41", "3.42", "3.43", "3.44", "3.45", "3.52"})
    void release_passes_whenEvidenceIsComplete_andIsBlockedBeforehand() {
        var created = fixture.create(candidate(true, true));
        var release = created.path("id").asText();
        assertThat(created.path("verdict").asText()).isEqualTo("blocked");
        assertThat(created.path("gates"))
                .hasSize(6)
                .allMatch(gate -> gate.path("verdict").asText().equals("blocked"));

        fixture.addAll(release);
        assertThat(fixture.get(release).path("verdict").asText()).isEqualTo("blocked");
        fixture.approveAll(release);
        addRest(release);

        var complete = fixture.get(release);
        assertThat(complete.path("verdict").asText()).isEqualTo("pass");
        assertThat(complete.path("valid_until").isNull()).isTrue();
        assertThat(complete.path("missing_evidence"))
                .extracting(JsonNode::asText)
                .containsExactlyInAnyOrder("sbom", "attestation");
        assertThat(complete.path("revision").asLong())
                .isEqualTo(Long.parseLong(fixture.database.query(
                        "SELECT count(*) / 6 FROM audit.gate_verdicts WHERE release_id = '" + release + "'")));
    }

    private static void addRest(String release) {
        fixture.add(
                release, item("source_revision", "release", "recorded", Map.of("source_sha", SHA, "branch", "main")));
        fixture.add(
                release,
                item(
                        "artifact_digests",
                        "release",
                        "recorded",
                        Map.of("digests", List.of("sha256:" + "a".repeat(64)))));
        fixture.add(release, item("migration_status", "release", "applied", Map.of("schema", "V030")));
        fixture.add(
                release, item("pipeline", "pipeline", "passed", Map.of("url", "https://ci/1", "status", "success")));
        fixture.add(release, item("test_result", "unit", "passed", Map.of("tests", 1200, "report_ref", "ci/1")));
        fixture.add(release, item("rollback_plan", "release", "rollback", Map.of("plan", "deploy 1.3.0")));
        fixture.add(
                release,
                item(
                        "deployment_correlation",
                        "release",
                        "recorded",
                        Map.of("correlation_ids", List.of("deploy-17", "smoke-17"))));
    }

    @Test
    void verdict_changes_whenEvidenceIsSuperseded() {
        var release = fixture.create();
        fixture.addAll(release);
        assertThat(verdict(release, Gate.SECURITY_EVIDENCE)).isEqualTo("pass");

        var failed = fixture.add(
                release, item("security_scan", "scan", "failed", Map.of("tool", "trivy", "report_ref", "ci/19")));

        assertThat(failed.path("supersedes_id").isNull()).isFalse();
        var gate = fixture.gate(release, Gate.SECURITY_EVIDENCE);
        assertThat(gate.path("verdict").asText()).isEqualTo("blocked");
        assertThat(gate.path("items"))
                .filteredOn(item -> item.path("status").asText().equals("failing"))
                .singleElement()
                .satisfies(item -> assertThat(item.path("evidence_id")).isEqualTo(failed.path("id")));
        var current = fixture.list(release, false);
        var all = fixture.list(release, true);
        assertThat(current).noneMatch(item -> item.path("id").equals(failed.path("supersedes_id")));
        assertThat(all).anyMatch(item -> item.path("id").equals(failed.path("supersedes_id")));
    }

    @Test
    void everyVerdict_isRecomputedIdentically() {
        var release = fixture.create();
        fixture.addAll(release);
        fixture.approveAll(release);

        var verdicts = expect(
                        fixture.verdicts::list,
                        request(fixture.owner, null, Map.of("release_id", release), Map.of("limit", "500"), null))
                .path("items");

        assertThat(verdicts).hasSizeGreaterThan(100).allSatisfy(verdict -> {
            var recomputed = fixture.recompute(release, verdict.path("id").asText());
            assertThat(recomputed.path("identical").asBoolean()).isTrue();
            assertThat(recomputed.path("differences")).isEmpty();
            assertThat(recomputed.path("recomputed_digest")).isEqualTo(verdict.path("digest"));
        });
    }

    @Test
    void recomputation_detectsChangedAndMissingEvidence() {
        var release = fixture.create();
        fixture.addAll(release);
        var gate = fixture.gate(release, Gate.ACCEPTANCE);
        var changed = gate.at("/evidence/0/evidence_id").asText();

        fixture.database.execute("UPDATE audit.evidence_items SET result = 'failed' WHERE id = '" + changed + "'");

        var recomputed = fixture.recompute(release, gate.path("id").asText());
        assertThat(recomputed.path("identical").asBoolean()).isFalse();
        assertThat(recomputed.path("recomputed_verdict").asText()).isEqualTo("blocked");
        assertThat(recomputed.path("differences").toString()).contains(changed + " was changed");
    }

    @Test
    void rows_cannotBeChangedOrDeleted_byTheServiceRole() {
        var release = fixture.create();
        fixture.addAll(release);
        for (var table : List.of("evidence_items", "release_waivers", "gate_verdicts")) {
            for (var statement : List.of(
                    "UPDATE audit." + table + " SET id = id",
                    "DELETE FROM audit." + table,
                    "TRUNCATE audit." + table)) {
                assertThatThrownBy(() -> fixture.database.execute("SET ROLE slipway_audit; " + statement))
                        .as(statement)
                        .hasStackTraceContaining("permission denied");
            }
        }
        assertThatThrownBy(() -> fixture.database.execute(
                        "SET ROLE slipway_audit; UPDATE audit.release_candidates SET source_sha = ''"))
                .hasStackTraceContaining("permission denied");
    }

    @Test
    void author_canNeitherApproveNorWaive() {
        var release = fixture.create();
        var path = Map.of("release_id", release);
        var decision = Json.object().put("decision", "approved");

        for (var role : List.of("product", "platform", "security")) {
            assertThat(refuse(fixture.releases.approve(role), request(fixture.author, path, decision))
                            .code())
                    .isEqualTo(ErrorCode.SEPARATION_OF_DUTIES);
        }
        assertThat(refuse(fixture.releases::waive, request(fixture.author, path, waiver(1)))
                        .code())
                .isEqualTo(ErrorCode.SEPARATION_OF_DUTIES);
        var machineOfAuthor = new Principal(
                Ids.next(),
                Principal.ActorType.SERVICE_ACCOUNT,
                "ci",
                fixture.author.id(),
                null,
                null,
                null,
                Set.of(),
                null,
                null);
        assertThat(refuse(fixture.releases.approve("product"), request(machineOfAuthor, path, decision))
                        .code())
                .isEqualTo(ErrorCode.SEPARATION_OF_DUTIES);
    }

    @Test
    void decisions_cannotBeWrittenAsPlainEvidence() {
        var release = fixture.create();
        for (var type : List.of("approval", "product_approval", "platform_approval", "security_approval")) {
            var body = item(type, "release", "approved", Map.of("approver", "me", "approved_at", "now"));

            assertThat(refuse(fixture.evidence::add, request(fixture.owner, Map.of("release_id", release), body))
                            .code())
                    .isEqualTo(ErrorCode.EVIDENCE_INVALID);
        }
    }

    @Test
    void waiver_letsAReleasePassUntilItExpires_andIsAudited() {
        var release = fixture.create();
        fixture.addAll(release);
        fixture.approveAll(release);
        fixture.add(
                release,
                item("acceptance_test", "demo", "failed", Map.of("environment", "staging", "report_ref", "ci/20")));
        assertThat(fixture.get(release).path("verdict").asText()).isEqualTo("blocked");

        var granted =
                expect(fixture.releases::waive, request(fixture.owner, Map.of("release_id", release), waiver(3600)));

        var waived = fixture.get(release);
        assertThat(waived.path("verdict").asText()).isEqualTo("waived");
        assertThat(waived.path("valid_until")).isEqualTo(granted.path("expires_at"));
        assertThat(fixture.gate(release, Gate.ACCEPTANCE).path("waiver_id")).isEqualTo(granted.path("id"));
        assertThat(fixture.database.query("SELECT convert_from(value, 'UTF8') FROM audit.outbox"
                        + " WHERE topic = 'audit.events' ORDER BY seq DESC LIMIT 1"))
                .contains("evidence.waiver.write", "Head of Operations", "the suite is flaky");

        fixture.advance(Duration.ofHours(2));
        var path = Map.of("release_id", release);
        assertThat(expect(fixture.releases::evaluate, request(fixture.author, path, null))
                        .path("verdict")
                        .asText())
                .isEqualTo("blocked");
        fixture.advance(Duration.ofHours(-2));
    }

    @ParameterizedTest
    @CsvSource({"-1", "0", "7862400"})
    void waiver_isRefused_whenItsEndIsNotWithin90Days(long seconds) {
        var path = Map.of("release_id", fixture.create());

        assertThat(refuse(fixture.releases::waive, request(fixture.owner, path, waiver(seconds)))
                        .code())
                .isEqualTo(ErrorCode.VALIDATION_ERROR);
    }

    @Test
    void release_isNotFound_inAnotherProject() {
        var own = fixture.create(candidate(true, true).put("project_id", PROJECT.toString()));
        var release = own.path("id").asText();
        var path = Map.of("release_id", release);
        var body = item("rollback_plan", "release", "rollback", Map.of("plan", "deploy 1.3.0"));
        assertThat(own.path("org_id").asText()).isEqualTo(EvidenceFixture.ORG.toString());

        var inOther = request(fixture.owner, Ids.next(), path, Map.of(), body);

        for (var operation : List.<Function<Request, Future<Reply>>>of(
                fixture.releases::get,
                fixture.evidence::add,
                fixture.evidence::list,
                fixture.releases.approve("product"))) {
            assertThat(refuse(operation, inOther).code()).isEqualTo(ErrorCode.NOT_FOUND);
        }
        assertThat(expect(fixture.releases::list, inOther).path("items")).isEmpty();
        assertThat(expect(fixture.evidence::add, request(fixture.owner, PROJECT, path, Map.of(), body))
                        .path("producer_type")
                        .asText())
                .isEqualTo("user");
    }

    @Test
    @Proves("3.78")
    void securityView_showsControlsGapsScansAndRisksOfAllProducts() {
        var first = fixture.create(candidate(true, true).put("product", "alpha"));
        var second = fixture.create(candidate(true, true).put("product", "beta"));
        fixture.addAll(first.path("id").asText());
        fixture.add(
                second.path("id").asText(),
                item("security_scan", "scan", "failed", Map.of("tool", "trivy", "report_ref", "ci/1")));

        var view = expect(fixture.verdicts::security, request(fixture.owner, Map.of(), null));

        assertThat(product(view, "alpha").path("verdict").asText()).isEqualTo("pass");
        assertThat(product(view, "alpha").path("controls")).hasSize(4);
        assertThat(product(view, "alpha").path("scans")).hasSize(4);
        assertThat(product(view, "alpha").path("residual_risks")).hasSize(1);
        assertThat(product(view, "beta").path("verdict").asText()).isEqualTo("blocked");
        assertThat(product(view, "beta").path("gaps")).hasSize(4);
        assertThat(view.at("/summary/gaps").asInt()).isGreaterThanOrEqualTo(4);
    }

    private static JsonNode product(JsonNode view, String name) {
        for (var product : view.path("items")) {
            if (product.path("product").asText().equals(name)) {
                return product;
            }
        }
        throw new AssertionError(name);
    }

    private static ObjectNode waiver(long seconds) {
        return Json.object()
                .put("gate", "acceptance")
                .put("owner", "Head of Operations")
                .put("reason", "the suite is flaky")
                .put(
                        "expires_at",
                        Instant.now()
                                .plusSeconds(seconds)
                                .truncatedTo(ChronoUnit.MILLIS)
                                .toString());
    }

    private static String verdict(String release, Gate gate) {
        return fixture.gate(release, gate).path("verdict").asText();
    }
}
