package dev.slipway.audit.evidence;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.audit.evidence.domain.Gate;
import dev.slipway.contract.Contract;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem.FieldProblem;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.stream.StreamSupport;

import static org.assertj.core.api.Assertions.assertThat;

/** Sends the bundle that {@code ./gradlew releaseEvidence} has written for this repository through the gates. */
class ReleaseBundleTest {
    @TempDir
    private Path directory;

    @Test
    void bundleOfThisRepository_isAccepted_andDecidesTheGatesThatItHasEvidenceFor() throws IOException {
        var bundle = Json.parseTrusted(Files.readAllBytes(Path.of(System.getProperty("slipway.release.evidence"))));
        var sha = bundle.path("source_sha").asText();
        try (var fixture = new EvidenceFixture(directory)) {
            var candidate = EvidenceFixture.candidate(true, false)
                    .put("product", "slipway")
                    .put("source_sha", sha);
            var release = fixture.create(candidate).path("id").asText();

            for (var each : bundle.path("evidence")) {
                var problems = new ArrayList<FieldProblem>();
                Contract.load().schemaValidator("AddEvidence").validate("", each, problems);
                assertThat(problems).isEmpty();
                fixture.add(release, (ObjectNode) each);
            }

            var drift = fixture.gate(release, Gate.CONTRACT_DRIFT);
            assertThat(drift.path("verdict").asText())
                    .isEqualTo(allCurrent(bundle.path("evidence")) ? "pass" : "blocked");
            assertThat(drift.path("evidence")).hasSize(3);
            var security = fixture.gate(release, Gate.SECURITY_EVIDENCE);
            assertThat(security.path("verdict").asText()).isEqualTo("blocked");
            assertThat(security.toString()).contains("There is no security_scan evidence for authz.");
            assertThat(fixture.get(release).path("missing_evidence"))
                    .extracting(JsonNode::asText)
                    .doesNotContain("sbom", "contract_drift", "test_result", "source_revision")
                    .contains("rollback_plan");
        }
    }

    private static boolean allCurrent(JsonNode evidence) {
        return StreamSupport.stream(evidence.spliterator(), false)
                .filter(each -> each.path("type").asText().equals("contract_drift"))
                .allMatch(each -> each.path("result").asText().equals("current"));
    }
}
