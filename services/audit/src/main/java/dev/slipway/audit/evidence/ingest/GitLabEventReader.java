package dev.slipway.audit.evidence.ingest;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
import org.jspecify.annotations.Nullable;

import java.util.List;
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

    /** The fields of the evidence of a pipeline. */
    private record PipelineFields(
            String status, String url, long pipelineId, String ref, String project, List<JobSummary> jobs) {}

    /** A job in the evidence of its pipeline. */
    private record JobSummary(
            long id, String name, @JsonProperty("stage") String phase, String status) {
        static JobSummary of(JsonNode build) {
            return new JobSummary(
                    build.path("id").asLong(),
                    build.path("name").asText(),
                    build.path("stage").asText(),
                    build.path("status").asText());
        }
    }

    /** The fields of the evidence of a job. */
    private record JobFields(
            String status,
            String url,
            long pipelineId,
            long jobId,
            @JsonProperty("stage") String phase,
            String ref,
            String project) {}

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
        var fields = new PipelineFields(
                pipeline.path("status").asText(),
                pipeline.path("url").asText(project.path("web_url").asText() + "/-/pipelines/" + id),
                pipeline.path("id").asLong(),
                pipeline.path("ref").asText(),
                project.path("path_with_namespace").asText(),
                event.path("builds")
                        .valueStream()
                        .limit(MAX_JOBS)
                        .map(JobSummary::of)
                        .toList());
        return new PipelineResult(requireSha(pipeline.path("sha")), "pipeline", result, Json.toObject(fields));
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
        var fields = new JobFields(
                status,
                home + "/-/jobs/" + event.path("build_id").asText(),
                event.path("pipeline_id").asLong(),
                event.path("build_id").asLong(),
                event.path("build_stage").asText(),
                event.path("ref").asText(),
                project.path("path_with_namespace")
                        .asText(event.path("project_name").asText()));
        return new PipelineResult(
                requireSha(event.path("sha")),
                jobSubject(event.path("build_name").asText()),
                result,
                Json.toObject(fields));
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
