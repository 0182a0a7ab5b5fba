package dev.slipway.standalone;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.slipway.contract.Json;
import dev.slipway.testkit.ApiClient;
import dev.slipway.testkit.ApiClient.ApiResponse;
import dev.slipway.testkit.EventTap;
import dev.slipway.testkit.PlatformProcess;
import dev.slipway.testkit.SimulatedAdapter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** Launches, runs and deletes ten thousand instances in a thousand projects through a real broker. */
class ManyInstancesSoakTest {
    private static final int PROJECTS = Integer.getInteger("slipway.soak.projects", 1_000);
    private static final int INSTANCES = 10 * PROJECTS;
    private static final int FEW = 100;
    private static final int CLIENTS = 8;
    private static final int LISTS = 400;

    @TempDir
    Path directory;

    private final ExecutorService clients = Executors.newFixedThreadPool(CLIENTS);
    private final Map<UUID, UUID> projectOf = new ConcurrentHashMap<>();

    @Test
    void instances_areDeployedAndDeleted_withoutLossOrLeak() throws Exception {
        var settings = Map.of(
                "SLIPWAY_SERVICES", "iam,catalog,instances,audit,metering,gateway",
                "SLIPWAY_RATE_PER_PRINCIPAL", "0",
                "SLIPWAY_RATE_PER_ADDRESS", "0",
                "SLIPWAY_RATE_TOKENS_PER_ADDRESS", "0");
        try (var platform = new PlatformProcess(directory, settings)) {
            platform.start();
            var owner = platform.as("tenant_owner");
            var demo = platform.demo();
            var bootstrap = demo.path("kafka_bootstrap").asText();
            var adapterSettings = new SimulatedAdapter.AdapterSettings(
                    demo.path("base_url").asText(),
                    bootstrap,
                    "",
                    platform.kafkaClient("adapter-bare_metal"),
                    DemoData.ADAPTER,
                    platform.home().resolve("adapter.secret"),
                    directory.resolve("adapter"));
            var eventTally = new EventTally();
            try (var adapter = SimulatedAdapter.start(adapterSettings);
                    var events = new EventTap(bootstrap, "", platform.kafkaClient("operator"), eventTally::count)) {
                var projects = projects(owner);
                launch(owner, projects, FEW);
                awaitCount(eventTally, "apps.instance.running", FEW);
                var few = lists(owner, projects);
                var heapWithFew = heap(platform);

                launch(owner, projects, INSTANCES - FEW);
                awaitCount(eventTally, "apps.instance.running", INSTANCES);
                var many = lists(owner, projects);
                System.out.printf(
                        "list p99: %.1f ms at %d, %.1f ms at %d: %.2f times as long%n",
                        few, FEW, many, INSTANCES, many / few);

                all(List.copyOf(projectOf.keySet()), id -> delete(owner, id));
                awaitCount(eventTally, "apps.instance.deleted", INSTANCES);
                var heapAfter = heap(platform);
                System.out.printf("heap in use: %.0f MiB at first, %.0f MiB at the end%n", heapWithFew, heapAfter);

                eventually(() -> assertThat(eventTally.incomplete()).isEmpty());
                assertThat(eventTally.instances()).isEqualTo(INSTANCES);
                assertThat(eventTally.faults()).as("two events with one number").isEmpty();
                assertThat(events.violations())
                        .as("dead letters, records that break their schema")
                        .isEmpty();
                assertThat(projectOf.keySet())
                        .allSatisfy(id -> assertThat(adapter.instanceFiles().requests(id))
                                .containsExactly("deployed", "deleted"));
                assertThat(heapAfter / heapWithFew)
                        .as("how much more memory is in use")
                        .isLessThanOrEqualTo(1.5);
            }
        } finally {
            clients.shutdownNow();
        }
    }

    private List<UUID> projects(ApiClient owner) throws Exception {
        var made = all(IntStream.range(0, PROJECTS).boxed().toList(), i -> owner.call("createProject")
                .path("org_id", DemoData.ORG)
                .body(Json.object().put("slug", "soak-" + i).put("display_name", "Soak " + i))
                .send()
                .expect(201));
        var ids = made.stream()
                .map(project -> UUID.fromString(project.text("id")))
                .toList();
        all(ids, id -> owner.call("putAppEntitlement")
                .path("project_id", id)
                .path("app_slug", DemoData.APP)
                .body(Json.object().put("enabled", true))
                .send()
                .expect(200));
        return ids;
    }

    private void launch(ApiClient owner, List<UUID> projects, int count) throws Exception {
        var from = projectOf.size();
        all(IntStream.range(from, from + count).boxed().toList(), i -> {
            var project = projects.get(i % PROJECTS);
            var body = Json.object()
                    .put("app_slug", DemoData.APP)
                    .put("version", DemoData.VERSION)
                    .put("display_name", "Soak " + i);
            // Retries: a new project may not be replicated to the instances service yet.
            var launched = owner.call("createAppInstance")
                    .path("project_id", project)
                    .header("Idempotency-Key", "soak-" + i)
                    .body(body)
                    .sendUntilFinal(reason -> {})
                    .expect(202);
            projectOf.put(UUID.fromString(launched.text("id")), project);
            return launched;
        });
    }

    private ApiResponse delete(ApiClient owner, UUID id) {
        return owner.call("deleteAppInstance")
                .path("project_id", projectOf.get(id))
                .path("app_instance_id", id)
                .send()
                .expect(202);
    }

    private static void awaitCount(EventTally eventTally, String type, int count) {
        // For as long as it goes on: how fast it is does not matter here.
        for (var before = -1; before < eventTally.of(type) && eventTally.of(type) < count; ) {
            before = eventTally.of(type);
            var least = before + 1;
            eventually(() -> assertThat(eventTally.of(type)).isGreaterThanOrEqualTo(least));
        }
        assertThat(eventTally.of(type)).as(type).isEqualTo(count);
    }

    /** Returns the 99th percentile in milliseconds of lists, each of another project. */
    private static double lists(ApiClient owner, List<UUID> projects) {
        var taken = new long[LISTS];
        for (var warm = 0; warm < 2; warm++) {
            for (var i = 0; i < LISTS; i++) {
                var started = System.nanoTime();
                owner.call("listAppInstances")
                        .path("project_id", projects.get(i % FEW))
                        .query("limit=10")
                        .send()
                        .expect(200);
                taken[i] = System.nanoTime() - started;
            }
        }
        Arrays.sort(taken);
        return taken[LISTS * 99 / 100] / 1e6;
    }

    /** Returns the used heap after a collection, in MiB. */
    private static double heap(PlatformProcess platform) throws IOException, InterruptedException {
        var pid = platform.process().pid();
        var jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd").toString();
        assertThat(new ProcessBuilder(jcmd, String.valueOf(pid), "GC.run")
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .start()
                        .waitFor())
                .isZero();
        var metrics = HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create(platform.managementUrl() + "/metrics"))
                                .build(),
                        BodyHandlers.ofString());
        return metrics.body()
                        .lines()
                        .filter(line -> line.startsWith("jvm_memory_used_bytes{area=\"heap\""))
                        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
                        .sum()
                / (1 << 20);
    }

    @CanIgnoreReturnValue
    private <T> List<ApiResponse> all(List<T> items, java.util.function.Function<T, ApiResponse> call)
            throws Exception {
        var calls = items.stream()
                .map(item -> clients.submit(() -> call.apply(item)))
                .toList();
        var answers = new java.util.ArrayList<ApiResponse>();
        for (Future<ApiResponse> each : calls) {
            answers.add(each.get(600, TimeUnit.SECONDS));
        }
        return answers;
    }
}
