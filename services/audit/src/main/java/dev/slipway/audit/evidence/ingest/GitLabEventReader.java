package dev.slipway.audit.evidence.ingest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
import org.jspecify.annotations.Nullable;

import java.util.regex.Pattern;

/** Reads the pipeline and job events that GitLab sends to webhooks. */
public final class GitLabEventReader {
    private static final Pattern SHA = Pattern.compile("[0-9a-f]{40}|[0-9a-f]{64}");
    private static final Pattern NOT_IN_SUBJECT = Pattern.compile("[^A-Za-z0-9_.:/-]");
    private static final int MAX_SUBJECT_LENGTH = 128;
    private static final int MAX_JOBS = 200;

    private GitLabEventReader() {}

    /** A finished pipeline or job. */
    public record PipelineResult(String sourceSha, String subject, String result, ObjectNode fields) {}

    /** Returns null for an event of another kind, or of a pipeline or job that has not finished. */
    public static @Nullable PipelineResult read(JsonNode event) {
        return switch (event.path("object_kind").asText()) {
            case "pipeline" -> readPipeline(event);
            case "build" -> readJob(event);
            default -> null;
        };
    }

    private static @Nullable PipelineResult readPipeline(JsonNode event) {
        var pipeline = event.path("object_attributes");
        var result = result(pipeline.path("status").asText());
        if (result == null) {
            return null;
        }
        var project = event.path("project");
        var id = pipeline.path("id").asText();
        var fields = Json.object()
                .put("status", pipeline.path("status").asText())
                .put("url", pipeline.path("url").asText(project.path("web_url").asText() + "/-/pipelines/" + id))
                .put("pipeline_id", pipeline.path("id").asLong())
                .put("ref", pipeline.path("ref").asText())
                .put("project", project.path("path_with_namespace").asText());
        var jobs = fields.putArray("jobs");
        for (var build : event.path("builds")) {
            if (jobs.size() < MAX_JOBS) {
                jobs.addObject()
                        .put("id", build.path("id").asLong())
                        .put("name", build.path("name").asText())
                        .put("stage", build.path("stage").asText())
                        .put("status", build.path("status").asText());
            }
        }
        return new PipelineResult(requireSha(pipeline.path("sha")), "pipeline", result, fields);
    }

    private static @Nullable PipelineResult readJob(JsonNode event) {
        var status = event.path("build_status").asText();
        var result = result(status);
        if (result == null) {
            return null;
        }
        var project = event.path("project");
        var home =
                project.path("web_url").asText(event.at("/repository/homepage").asText());
        var fields = Json.object()
                .put("status", status)
                .put("url", home + "/-/jobs/" + event.path("build_id").asText())
                .put("pipeline_id", event.path("pipeline_id").asLong())
                .put("job_id", event.path("build_id").asLong())
                .put("stage", event.path("build_stage").asText())
                .put("ref", event.path("ref").asText())
                .put(
                        "project",
                        project.path("path_with_namespace")
                                .asText(event.path("project_name").asText()));
        return new PipelineResult(
                requireSha(event.path("sha")),
                jobSubject(event.path("build_name").asText()),
                result,
                fields);
    }

    private static String jobSubject(String name) {
        var subject = "job:" + NOT_IN_SUBJECT.matcher(name).replaceAll("-");
        return subject.substring(0, Math.min(subject.length(), MAX_SUBJECT_LENGTH));
    }

    private static @Nullable String result(String status) {
        return switch (status) {
            case "success" -> "passed";
            case "failed" -> "failed";
            case "canceled", "skipped" -> "canceled";
            default -> null;
        };
    }

    private static String requireSha(JsonNode sha) {
        if (!SHA.matcher(sha.asText()).matches()) {
            throw new EvidenceException("/sha", "is not a complete Git commit id");
        }
        return sha.asText();
    }
}
