package dev.slipway.standalone;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
import dev.slipway.testkit.ApiClient.ApiResponse;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import static dev.slipway.standalone.DemoData.PROJECT;
import static dev.slipway.standalone.DemoData.SIBLING_PROJECT;
import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** The bundled shared runtime, over REST, with the process adapter and real processes. */
class EchoClusterTest {
    private static PlatformUnderTest platform;
    private static SharedRuntimeCalls calls;

    @BeforeAll
    static void start() {
        platform = new PlatformUnderTest(
                Map.of("SLIPWAY_SERVICES", "iam,catalog,instances,audit,metering,process-adapter,gateway"));
        calls = new SharedRuntimeCalls(platform);
        new PolicyCalls(platform).global().replace("{'allowed_control_plane_scopes': ['project', 'tenant']}", "{}");
        platform.awaitReplication();
    }

    @AfterAll
    static void stop() {
        assertThat(platform.events().violations()).isEmpty();
        platform.close();
    }

    @Test
    @Proves({"0.06", "0.49", "0.51"})
    void cluster_isSharedByTwoProjects_andRemovedCompletely() {
        var runtime = calls.running(createBody());
        assertThat(processes(runtime)).hasSize(1);
        assertProjectInstanceRuns();

        var worker = calls.contribute(PROJECT, runtime);
        assertThat(processes(runtime)).hasSize(2);
        for (var project : List.of(PROJECT, SIBLING_PROJECT)) {
            var ended = calls.ended(runtime, submit(project, runtime, "from " + project));
            assertThat(ended.text("status")).as(ended.body().toString()).isEqualTo("succeeded");
            assertThat(ended.body().at("/output/message").asText()).isEqualTo("from " + project);
            assertThat(ended.body().at("/output/member").asText()).isEqualTo(worker);
        }

        assertThat(calls.items(calls.owner("listWorkers", runtime)))
                .filteredOn(each -> each.path("id").asText().equals(worker))
                .singleElement()
                .satisfies(each ->
                        assertThat(each.path("source_project_id").asText()).isEqualTo(PROJECT.toString()));
        assertInvisible(runtime);

        var attachment = calls.attachmentOf(runtime, PROJECT).path("id").asText();
        calls.attachment("deleteAttachment", runtime, attachment).send().expect(409);
        calls.attachment("deleteAttachment", runtime, attachment)
                .query("mode=drain")
                .send()
                .expect(202);
        calls.awaitAttachment(runtime, attachment, "detached");
        eventually(() -> assertThat(processes(runtime)).hasSize(1));

        calls.owner("deleteSharedRuntime", runtime).query("mode=drain").send().expect(202);
        calls.awaitStatus(runtime, "deleted");
        assertThat(processes(runtime)).isEmpty();
        assertThat(calls.eventTypes(runtime)).doesNotContain("apps.shared_runtime.failed");
    }

    /** An app that does not support shared runtimes runs in a project beside one, requested as before. */
    private static void assertProjectInstanceRuns() {
        var instance = platform.launch("project_owner", "beside a cluster")
                .send()
                .expect(202)
                .text("id");
        eventually(() -> assertThat(platform.instance("getAppInstance", "project_owner", instance)
                        .send()
                        .expect(200)
                        .text("status"))
                .isEqualTo("running"));
        assertThat(processes(instance)).hasSize(1);
        platform.instance("deleteAppInstance", "project_owner", instance).send().expect(202);
        eventually(() -> assertThat(platform.instance("getAppInstance", "project_owner", instance)
                        .send()
                        .expect(200)
                        .text("status"))
                .isEqualTo("deleted"));
        assertThat(processes(instance)).isEmpty();
    }

    private static ObjectNode createBody() {
        var body = Json.object()
                .put("app_slug", DemoData.CLUSTER_APP)
                .put("app_version", DemoData.VERSION)
                .put("display_name", "Echo cluster")
                .put("environment", "demo");
        body.putObject("contribution_policy").put("allowed", true).put("max_workers", 2);
        body.putObject("submission_policy").put("allowed", true).put("max_concurrent", 2);
        body.putArray("attached_project_ids").add(PROJECT.toString()).add(SIBLING_PROJECT.toString());
        return body;
    }

    private static ApiResponse submit(UUID project, String runtime, String message) {
        var body = Json.object().put("operation", "job.submit");
        body.putObject("input").put("message", message);
        return calls.project("submitOperation", project, runtime)
                .body(body)
                .send()
                .expect(202);
    }

    /** A third project of the tenant sees neither the runtime nor that there is one. */
    private static void assertInvisible(String runtime) {
        var third = platform.as("tenant_owner")
                .call("createProject")
                .path("org_id", DemoData.ORG)
                .body(Json.object().put("slug", "bystander").put("display_name", "Bystander"))
                .send()
                .expect(201)
                .text("id");
        platform.awaitReplication();
        var project = UUID.fromString(third);
        assertThat(calls.items(
                        platform.as("tenant_owner").call("listAttachedRuntimes").path("project_id", project)))
                .isEmpty();
        calls.project("getAttachedRuntime", project, runtime).send().expect(404);
        assertSubmitNotFound(project, runtime);
    }

    private static void assertSubmitNotFound(UUID project, String runtime) {
        calls.submit(project, runtime, "job.submit").send().expect(404);
    }

    /** Returns the ids of the processes that run for a shared runtime. */
    private static List<String> processes(String runtime) {
        var marker = "SLIPWAY_APP_INSTANCE_ID=" + runtime;
        try (var entries = Files.list(Path.of("/proc"))) {
            return entries.map(entry -> entry.getFileName().toString())
                    .filter(name -> name.matches("[0-9]+"))
                    .filter(pid -> List.of(environment(pid).split("\0", -1)).contains(marker))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String environment(String pid) {
        try {
            return Files.readString(Path.of("/proc", pid, "environ"), StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            return ""; // it has ended, or belongs to another user
        }
    }
}
