package dev.slipway.audit.evidence.ingest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class GitLabEventReaderTest {
    @Test
    void pipeline_hasResultLinkAndJobs() throws IOException {
        var read = Objects.requireNonNull(GitLabEventReader.read(event("gitlab-pipeline")));

        assertThat(read.sourceSha()).isEqualTo("bcbb5ec396a2c0f828686f14fac9b80b780504f2");
        assertThat(read.subject()).isEqualTo("pipeline");
        assertThat(read.result()).isEqualTo("passed");
        assertThat(read.fields().path("url").asText())
                .isEqualTo("http://192.168.64.1:3005/gitlab-org/gitlab-test/-/pipelines/31");
        assertThat(read.fields().path("jobs")).hasSize(3);
        assertThat(read.fields().at("/jobs/0/name").asText()).isEqualTo("staging");
        assertThat(read.fields().at("/jobs/0/stage").asText()).isEqualTo("deploy");
    }

    @Test
    void job_hasResultAndLink() throws IOException {
        var read = Objects.requireNonNull(GitLabEventReader.read(event("gitlab-job")));

        assertThat(read.sourceSha()).isEqualTo("2293ada6b400935a1378653304eaf6221e0fdb8f");
        assertThat(read.subject()).isEqualTo("job:test");
        assertThat(read.result()).isEqualTo("failed");
        assertThat(read.fields().path("url").asText())
                .isEqualTo("http://192.168.64.1:3005/gitlab-org/gitlab-test/-/jobs/1977");
        assertThat(read.fields().path("stage").asText()).isEqualTo("test");
    }

    @ParameterizedTest
    @CsvSource({"success, passed", "failed, failed", "canceled, canceled", "skipped, canceled"})
    void finishedPipelines_areRead(String status, String result) throws IOException {
        assertThat(Objects.requireNonNull(GitLabEventReader.read(pipeline(status)))
                        .result())
                .isEqualTo(result);
    }

    @ParameterizedTest
    @ValueSource(strings = {"running", "pending", "created", "manual", "waiting_for_resource"})
    void unfinishedPipelines_areIgnored(String status) throws IOException {
        assertThat(GitLabEventReader.read(pipeline(status))).isNull();
    }

    @Test
    void otherEvents_areIgnored() {
        assertThat(GitLabEventReader.read(Json.object().put("object_kind", "push")))
                .isNull();
    }

    @Test
    void pipeline_isRejected_withoutCommit() throws IOException {
        var event = pipeline("success");
        ((ObjectNode) event.path("object_attributes")).put("sha", "main");

        assertThatThrownBy(() -> GitLabEventReader.read(event)).isInstanceOf(EvidenceException.class);
    }

    private static JsonNode pipeline(String status) throws IOException {
        var event = event("gitlab-pipeline");
        ((ObjectNode) event.path("object_attributes")).put("status", status);
        return event;
    }

    static JsonNode event(String name) throws IOException {
        return Json.parse(Files.readAllBytes(Path.of("src/test/resources/evidence/" + name + ".json")));
    }
}
