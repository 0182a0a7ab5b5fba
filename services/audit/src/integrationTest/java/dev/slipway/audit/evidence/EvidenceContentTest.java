package dev.slipway.audit.evidence;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.audit.evidence.domain.Gate;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

import static dev.slipway.audit.evidence.EvidenceFixture.await;
import static dev.slipway.audit.evidence.EvidenceFixture.candidate;
import static dev.slipway.audit.evidence.EvidenceFixture.expect;
import static dev.slipway.audit.evidence.EvidenceFixture.item;
import static dev.slipway.audit.evidence.EvidenceFixture.refuse;
import static dev.slipway.audit.evidence.EvidenceFixture.request;
import static dev.slipway.audit.evidence.EvidenceFixture.webhookRequest;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Recording evidence, its content, and the retention of the content. */
class EvidenceContentTest {
    private static final Duration END_OF_STANDARD = Duration.ofDays(401);

    @TempDir
    private static Path directory;

    private static EvidenceFixture fixture;

    @BeforeAll
    static void open() {
        fixture = new EvidenceFixture(directory.resolve("objects"));
        fixture.database.execute(
                "INSERT INTO audit.retention_classes VALUES ('standard', 1, 400), ('security', 1, 1100)");
    }

    @AfterAll
    static void close() {
        fixture.close();
    }

    @ParameterizedTest
    @CsvSource({
        "unknown_type, passed, EVIDENCE_TYPE_INACTIVE",
        "security_scan, great, EVIDENCE_INVALID",
        "security_scan, passed, EVIDENCE_INVALID",
        "artifact_digests, recorded, EVIDENCE_INVALID"
    })
    @Proves("3.117")
    void evidence_isRefused_whenItDoesNotMatchItsType(String type, String result, ErrorCode code) {
        var path = Map.of("release_id", fixture.create());
        var body = item(type, "scan", result, Map.of("tool", "trivy", "digests", List.of("latest")));

        assertThat(refuse(fixture.evidence::add, request(fixture.author, path, body))
                        .code())
                .isEqualTo(code);
    }

    @Test
    void evidence_isRefused_withTheNameOfThePattern_whenItContainsASecret() {
        var path = Map.of("release_id", fixture.create());
        var body = item("rollback_plan", "release", "rollback", Map.of("plan", "use glpat-x7Kq2mN9pR4sT6vW8yB1"));

        var problem = refuse(fixture.evidence::add, request(fixture.author, path, body));

        assertThat(problem.code()).isEqualTo(ErrorCode.EVIDENCE_CONTAINS_SECRET);
        assertThat(problem.details().path("pattern").asText()).isEqualTo("access_token");
        assertThat(problem.toString()).doesNotContain("x7Kq2mN9").contains("/fields/plan");
    }

    @Test
    void largeContent_isStoredByDigest_andVerifiedOnRead() throws IOException {
        var release = fixture.create();
        var body = largeReport("unit", 1000);

        var added = fixture.add(release, body);

        assertThat(added.path("result").asText()).isEqualTo("passed");
        assertThat(added.at("/fields/tests").asInt()).isEqualTo(1000);
        var path = Map.of("release_id", release, "evidence_id", added.path("id").asText());
        var read = expect(fixture.evidence::get, request(fixture.owner, path, null));
        assertThat(read.path("content")).isEqualTo(body.path("content"));
        Files.writeString(file(added), "changed");
        assertThatThrownBy(() -> EvidenceFixture.await(fixture.evidence.get(request(fixture.owner, path, null))))
                .hasStackTraceContaining("was changed");
    }

    @Test
    void gateStaysBlocked_whenRequiredEvidenceCannotBeWritten() throws IOException {
        var broken = Files.writeString(directory.resolve("not-a-directory"), "");
        try (var other = new EvidenceFixture(broken)) {
            var release = other.create();
            var body = Json.object()
                    .put("type", "acceptance_test")
                    .put("subject", "demo")
                    .put("format", "junit")
                    .put("content", "<testsuite>" + "<testcase name=\"x\"/>".repeat(2000) + "</testsuite>");
            body.putObject("fields").put("environment", "staging");

            assertThatThrownBy(() -> other.add(release, body)).hasStackTraceContaining("FileSystemException");

            assertThat(other.gate(release, Gate.ACCEPTANCE).path("verdict").asText())
                    .isEqualTo("blocked");
            assertThat(other.get(release).path("revision").asLong()).isEqualTo(1);
        }
    }

    @Test
    @Proves("3.109")
    void webhook_recordsPipelinesOnce_forCandidatesOfTheRevision() throws IOException {
        var release = fixture.create(candidate(false, false)).path("id").asText();
        var event = Json.parse(Files.readAllBytes(Path.of("src/test/resources/evidence/gitlab-pipeline.json")));

        assertThat(refuse(fixture.webhook::receive, webhookRequest("wrong", event))
                        .code())
                .isEqualTo(ErrorCode.CREDENTIAL_INVALID);
        var recorded = expect(fixture.webhook::receive, webhookRequest(EvidenceFixture.GITLAB_TOKEN, event));
        assertThat(recorded.path("recorded")).isNotEmpty();
        assertThat(expect(fixture.webhook::receive, webhookRequest(EvidenceFixture.GITLAB_TOKEN, event))
                        .path("recorded"))
                .isEmpty();

        assertThat(fixture.list(release, true)).singleElement().satisfies(item -> {
            assertThat(item.path("type").asText()).isEqualTo("pipeline");
            assertThat(item.path("result").asText()).isEqualTo("passed");
            assertThat(item.path("producer_type").asText()).isEqualTo("gitlab");
        });
        assertThat(fixture.countEvents("evidence.item.recorded")).isPositive();
    }

    @Test
    void content_isDeletedAtTheEndOfItsRetention_andTheVerdictsStayRecomputable() throws IOException {
        var release = fixture.create(candidate(true, true).put("project_id", EvidenceFixture.PROJECT.toString()))
                .path("id")
                .asText();
        var large = fixture.add(release, largeReport("unit", 1001));
        var small = fixture.add(
                release,
                item("rollback_plan", "release", "rollback", Map.of("plan", "deploy 1.3.0"))
                        .set("content", Json.object().put("steps", 3)));
        var scan = fixture.add(
                release,
                item("security_scan", "scan", "passed", Map.of("tool", "trivy", "report_ref", "ci/1"))
                        .set("content", Json.object().put("findings", 0)));
        storedLongAgo(large);

        sweepAfter(END_OF_STANDARD);

        for (var item : List.of(large, small)) {
            var read = read(release, item);
            assertThat(read.path("content").isNull()).as("%s", read).isTrue();
            assertThat(read.path("content_deleted_at").isNull()).isFalse();
            assertThat(read.path("digest")).isEqualTo(item.path("digest"));
            assertThat(read.path("content_digest")).isEqualTo(item.path("content_digest"));
        }
        assertThat(file(large)).doesNotExist();
        assertThat(read(release, scan).at("/content/findings").isMissingNode())
                .as("the retention of the security class has not ended")
                .isFalse();
        var gate = fixture.gate(release, Gate.SECURITY_EVIDENCE);
        assertThat(fixture.recompute(release, gate.path("id").asText())
                        .path("identical")
                        .asBoolean())
                .isTrue();
        assertThat(fixture.database.query("SELECT string_agg(convert_from(value, 'UTF8'), '') FROM audit.outbox"
                        + " WHERE topic = 'audit.events' AND convert_from(value, 'UTF8') LIKE '%evidence.content.delete%'"
                        + " AND convert_from(value, 'UTF8') LIKE '%" + release + "%'"))
                .contains("\"entries\":2", "\"retention_class\":\"standard\"", EvidenceFixture.ORG.toString());
        assertThat(fixture.countEvents("audit.recorded")).isPositive();
    }

    @Test
    void content_remains_whileTheLogOfTheOrganizationIsHeld() {
        var release = fixture.create(candidate(true, true).put("project_id", EvidenceFixture.PROJECT.toString()))
                .path("id")
                .asText();
        var item = fixture.add(
                release,
                item("rollback_plan", "release", "rollback", Map.of("plan", "deploy 1.3.0"))
                        .set("content", Json.object().put("steps", 4)));
        fixture.database.execute("INSERT INTO audit.log_holds VALUES ('" + EvidenceFixture.ORG
                + "', 'a dispute', gen_random_uuid(), now())");
        sweepAfter(END_OF_STANDARD);
        assertThat(read(release, item).at("/content/steps").asInt()).isEqualTo(4);

        fixture.database.execute("DELETE FROM audit.log_holds");
        sweepAfter(END_OF_STANDARD);
        assertThat(read(release, item).path("content").isNull()).isTrue();
    }

    /** Two items have the same content: it is stored once, and deleted when neither has it any more. */
    @Test
    void sharedContent_isDeleted_withTheLastItemThatHasIt() throws IOException {
        var release = fixture.create();
        var first = fixture.add(release, largeReport("unit", 1002));
        fixture.advance(Duration.ofDays(300));
        var second = fixture.add(release, largeReport("integration", 1002));
        fixture.advance(Duration.ofDays(-300));
        assertThat(second.path("content_digest")).isEqualTo(first.path("content_digest"));
        storedLongAgo(first);

        sweepAfter(END_OF_STANDARD);
        assertThat(read(release, first).path("content").isNull()).isTrue();
        assertThat(read(release, second).path("content").asText()).startsWith("<testsuite>");

        sweepAfter(END_OF_STANDARD.plusDays(300));
        assertThat(file(first)).doesNotExist();
    }

    /** Evidence that refers to content is committed after the content was stored. */
    @Test
    void object_remains_whenItWasStoredAgainJustNow() {
        var release = fixture.create();
        var item = fixture.add(release, largeReport("unit", 1003));

        sweepAfter(END_OF_STANDARD);

        assertThat(read(release, item).path("content").isNull()).isTrue();
        assertThat(file(item)).exists();
    }

    private static void sweepAfter(Duration time) {
        fixture.advance(time);
        await(fixture.retention.sweep());
        fixture.advance(time.negated());
    }

    private static void storedLongAgo(JsonNode item) throws IOException {
        Files.setLastModifiedTime(file(item), FileTime.from(Instant.now().minus(Duration.ofDays(400))));
    }

    private static JsonNode read(String release, JsonNode item) {
        var path = Map.of("release_id", release, "evidence_id", item.path("id").asText());
        return expect(fixture.evidence::get, request(fixture.owner, path, null));
    }

    private static Path file(JsonNode item) {
        var hex = item.path("content_digest").asText().substring(7);
        return directory.resolve("objects").resolve(hex.substring(0, 2)).resolve(hex.substring(2));
    }

    /** A report that is too large for its row. */
    private static ObjectNode largeReport(String subject, int tests) {
        var cases = "<testcase name=\"a long enough name of a test case\"/>".repeat(tests);
        return Json.object()
                .put("type", "test_result")
                .put("subject", subject)
                .put("format", "junit")
                .put("content", "<testsuite>" + cases + "</testsuite>");
    }
}
