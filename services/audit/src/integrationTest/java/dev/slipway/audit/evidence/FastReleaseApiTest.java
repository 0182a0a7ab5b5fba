package dev.slipway.audit.evidence;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.slipway.audit.evidence.domain.Gate;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;

import static dev.slipway.audit.evidence.EvidenceFixture.PROJECT;
import static dev.slipway.audit.evidence.EvidenceFixture.candidate;
import static dev.slipway.audit.evidence.EvidenceFixture.expect;
import static dev.slipway.audit.evidence.EvidenceFixture.item;
import static dev.slipway.audit.evidence.EvidenceFixture.refuse;
import static dev.slipway.audit.evidence.EvidenceFixture.request;
import static org.assertj.core.api.Assertions.assertThat;

/** Fast releases on a real database: accepted for validated revisions only, with the evidence of the validated release. */
class FastReleaseApiTest {
    private static final List<String> FAMILIES =
            List.of("source", "contract", "schema", "artifacts", "registries", "secrets", "edge", "runtime_health");
    private static final String DIGEST = "sha256:" + "a".repeat(64);

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
    @Proves("C.25")
    void fastRelease_isRefused_untilAFullOneOfTheRevisionHasPassed_andThenTakesItsEvidence() {
        var product = "promoted";
        assertNotValidated(refuseFast(fast(product)));
        var full = create(full(product, "staging"));
        fixture.addOfRevision(full);
        assertNotValidated(refuseFast(fast(product)));
        assertThat(fixture.get(full).path("families"))
                .extracting(family -> family.path("family").asText())
                .containsExactlyElementsOf(FAMILIES);
        assertThat(family(full, "contract").path("verdict").asText()).isEqualTo("pass");
        assertThat(family(full, "edge").path("verdict").asText()).isEqualTo("blocked");
        fixture.addOfEnvironment(full, "staging");
        fixture.add(full, item("artifact_digests", "release", "recorded", Map.of("digests", List.of(DIGEST))));
        fixture.approveAll(full);
        assertThat(fixture.get(full).path("verdict").asText()).isEqualTo("pass");

        var created = fixture.create(fast(product));

        var release = created.path("id").asText();
        assertThat(created.path("promotion").asText()).isEqualTo("fast");
        assertThat(created.path("validated_release_id").asText()).isEqualTo(full);
        assertThat(created.path("verdict").asText()).isEqualTo("blocked");
        assertThat(family(release, "contract").path("verdict").asText()).isEqualTo("pass");
        for (var family : List.of("registries", "secrets", "edge", "runtime_health")) {
            assertThat(family(release, family).path("verdict").asText())
                    .as(family)
                    .isEqualTo("blocked");
        }
        fixture.addOfEnvironment(release, "production");
        fixture.approveAll(release);
        var complete = fixture.get(release);
        assertThat(complete.path("verdict").asText()).isEqualTo("pass");
        assertThat(complete.path("families"))
                .allMatch(family -> family.path("verdict").asText().equals("pass"));
        assertThat(complete.path("missing_evidence"))
                .extracting(JsonNode::asText)
                .doesNotContain("contract_drift", "acceptance_test", "artifact_digests");
        assertThat(fixture.gate(release, Gate.CONTRACT_DRIFT).path("evidence"))
                .hasSize(3)
                .allMatch(evidence -> evidence.path("release_id").asText().equals(full));
        assertRecomputable(release);
        assertThat(lastSnapshot(release)).contains(DIGEST);
        assertThat(fixture.countEvents("evidence.release.created")).isPositive();
    }

    /** A changed result of the revision blocks the fast release that depends on it at once, and a corrected one lets it pass again. */
    @Test
    void fastRelease_isBlocked_whenTheValidatedReleaseNoLongerPasses() {
        var product = "withdrawn";
        var full = pass(create(full(product, "staging")), "staging");
        var release = fixture.create(fast(product)).path("id").asText();
        fixture.addOfEnvironment(release, "production");
        fixture.approveAll(release);
        assertThat(fixture.get(release).path("verdict").asText()).isEqualTo("pass");

        fixture.add(full, item("contract_drift", "sdk", "stale", Map.of("reference", "v1.3.0")));

        assertThat(fixture.get(release).path("verdict").asText()).isEqualTo("blocked");
        assertThat(lastSnapshot(release)).contains("\"verdict\":\"blocked\"");
        assertNotValidated(refuseFast(fast(product)));
        fixture.add(full, item("contract_drift", "sdk", "current", Map.of("reference", "v1.3.0")));
        assertThat(fixture.get(release).path("verdict").asText()).isEqualTo("pass");
        assertRecomputable(release);
    }

    @Test
    @Proves("C.25")
    void fastRelease_isRefused_forAWaivedRevision_anotherProductRevisionOrProject() {
        var product = "waived";
        var full = create(full(product, "staging"));
        for (var gate : Gate.values()) {
            var granted =
                    expect(fixture.releases::waive, request(fixture.owner, Map.of("release_id", full), waiver(gate)));
            assertThat(granted.path("gate").asText()).isEqualTo(gate.text());
        }
        assertThat(fixture.get(full).path("verdict").asText()).isEqualTo("waived");
        assertNotValidated(refuseFast(fast(product)));

        pass(create(full("validated", "staging").put("project_id", PROJECT.toString())), "staging");

        assertNotValidated(refuseFast(fast("validated-otherwise").put("project_id", PROJECT.toString())));
        assertNotValidated(refuseFast(fast("validated")
                .put("source_sha", "0000000000000000000000000000000000000001")
                .put("project_id", PROJECT.toString())));
        assertNotValidated(refuseFast(fast("validated")));
        assertThat(refuseFast(fast("validated").put("project_id", Ids.next().toString()))
                        .code())
                .isEqualTo(ErrorCode.VALIDATION_ERROR);
        assertThat(fixture.create(fast("validated").put("project_id", PROJECT.toString()))
                        .path("promotion")
                        .asText())
                .isEqualTo("fast");
    }

    private static void assertNotValidated(Problem problem) {
        assertThat(problem.code()).isEqualTo(ErrorCode.REVISION_NOT_VALIDATED);
        assertThat(problem.details().at("/fields/0/field").asText()).isEqualTo("/promotion");
        assertThat(problem.message()).contains("Create a candidate with the promotion full");
    }

    private static void assertRecomputable(String release) {
        var verdicts = expect(
                        fixture.verdicts::list,
                        request(fixture.owner, null, Map.of("release_id", release), Map.of("limit", "500"), null))
                .path("items");
        assertThat(verdicts).isNotEmpty().allSatisfy(verdict -> {
            var recomputed = fixture.recompute(release, verdict.path("id").asText());
            assertThat(recomputed.path("differences")).isEmpty();
            assertThat(recomputed.path("identical").asBoolean()).isTrue();
        });
    }

    private static String lastSnapshot(String release) {
        return fixture.database.query("SELECT convert_from(value, 'UTF8') FROM audit.outbox WHERE key = 'release:"
                + release + "' ORDER BY seq DESC LIMIT 1");
    }

    @CanIgnoreReturnValue
    private static String pass(String release, String environment) {
        fixture.addOfRevision(release);
        fixture.addOfEnvironment(release, environment);
        fixture.approveAll(release);
        assertThat(fixture.get(release).path("verdict").asText()).isEqualTo("pass");
        return release;
    }

    private static String create(ObjectNode body) {
        return fixture.create(body).path("id").asText();
    }

    private static Problem refuseFast(ObjectNode body) {
        return refuse(fixture.releases::create, request(fixture.author, Map.of(), body));
    }

    private static ObjectNode full(String product, String environment) {
        return candidate(true, true).put("product", product).put("environment", environment);
    }

    private static ObjectNode fast(String product) {
        return full(product, "production").put("promotion", "fast");
    }

    private static ObjectNode waiver(Gate gate) {
        return Json.object()
                .put("gate", gate.text())
                .put("owner", "Head of Operations")
                .put("reason", "the first release of a test")
                .put(
                        "expires_at",
                        Instant.now()
                                .plusSeconds(3_600)
                                .truncatedTo(ChronoUnit.MILLIS)
                                .toString());
    }

    private static JsonNode family(String release, String name) {
        for (var family : fixture.get(release).path("families")) {
            if (family.path("family").asText().equals(name)) {
                return family;
            }
        }
        throw new AssertionError(name);
    }
}
