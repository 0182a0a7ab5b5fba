package dev.slipway.standalone;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.Problem.FieldProblem;
import dev.slipway.standalone.RawHttp.RawResponse;
import dev.slipway.standalone.RequestFuzzer.FuzzedRequest;
import dev.slipway.testkit.FreshDatabase;
import dev.slipway.testkit.PlatformProcess;
import dev.slipway.testkit.TestInfrastructure;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import static dev.slipway.standalone.ContractRequests.CONTRACT;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Sends fuzzed requests to the shipped program and fails on a 5xx, a missing response, a response that does not conform to the contract or
 * has no correlation id, a blocked event loop, and an error in the log. Prints the seed; {@code -Dslipway.fuzz.seed} repeats a run.
 */
final class ContractFuzz {
    private static final int SENDERS = 4;
    private static final String BLOCKED_THREADS = "BlockedThreadChecker";

    private final Path directory;
    private final long seed;
    private final int count;
    private final Queue<String> findings = new ConcurrentLinkedQueue<>();
    private final Map<Integer, AtomicInteger> statuses = new ConcurrentHashMap<>();

    ContractFuzz(Path directory, long defaultSeed, int defaultCount) {
        this.directory = directory;
        this.seed = Long.getLong("slipway.fuzz.seed", defaultSeed);
        this.count = Integer.getInteger("slipway.fuzz.requests", defaultCount);
    }

    void run() throws IOException, InterruptedException {
        try (var database = FreshDatabase.create();
                var platform = new PlatformProcess(directory, settings(database))) {
            platform.start();
            var instanceId = platform.as("project_owner")
                    .call("createAppInstance")
                    .path("project_id", DemoData.PROJECT)
                    .body(PlatformUnderTest.launchBody("fuzzed"))
                    .send()
                    .expect(202)
                    .text("id");
            send(platform.demo(), instanceId);
            platform.awaitReady();
            checkLog(platform.home().resolve("slipway.log"));
        }
        System.out.println("fuzz: seed " + seed + ", " + count + " requests, statuses " + statuses);
        assertThat(findings).as("seed %d", seed).isEmpty();
        assertThat(statuses).as("requests that reached a handler").containsKeys(200, 201, 400, 401, 403, 404, 409);
    }

    private static Map<String, String> settings(FreshDatabase database) {
        return Map.ofEntries(
                Map.entry("SLIPWAY_SERVICES", "iam,catalog,instances,audit,metering,tenants,gateway"),
                Map.entry("SLIPWAY_DEMO", "true"),
                Map.entry("SLIPWAY_KAFKA_BOOTSTRAP", TestInfrastructure.shared().kafkaBootstrap()),
                Map.entry("SLIPWAY_DATABASE_URL", database.url()),
                Map.entry(
                        "SLIPWAY_TOPIC_PREFIX",
                        "f" + UUID.randomUUID().toString().substring(0, 8) + "."),
                Map.entry("SLIPWAY_TOPIC_PARTITIONS", "2"),
                // Generating a signing key takes long on a machine that tests much at once.
                Map.entry("SLIPWAY_REPLY_TIMEOUT", "PT1M"),
                Map.entry("SLIPWAY_RATE_PER_PRINCIPAL", "0"),
                Map.entry("SLIPWAY_RATE_PER_ADDRESS", "0"),
                Map.entry("SLIPWAY_RATE_TOKENS_PER_ADDRESS", "0"));
    }

    private void send(JsonNode demo, String instanceId) throws InterruptedException {
        var tokens = new LinkedHashMap<String, String>();
        demo.path("tokens")
                .properties()
                .forEach(token -> tokens.put(token.getKey(), token.getValue().asText()));
        var fuzzer = new RequestFuzzer(seed, tokens, instanceId);
        var port = URI.create(demo.path("base_url").asText()).getPort();
        var next = new AtomicInteger();
        var senders = Executors.newFixedThreadPool(SENDERS);
        for (var i = 0; i < SENDERS; i++) {
            senders.execute(() -> {
                for (var index = next.getAndIncrement(); index < count; index = next.getAndIncrement()) {
                    exchange(port, fuzzer, fuzzer.request(index));
                }
            });
        }
        senders.shutdown();
        assertThat(senders.awaitTermination(1, TimeUnit.HOURS)).isTrue();
    }

    private void exchange(int port, RequestFuzzer fuzzer, FuzzedRequest request) {
        try (var http = new RawHttp(port)) {
            http.send(request.bytes());
            var response = http.response();
            statuses.computeIfAbsent(response.status(), any -> new AtomicInteger())
                    .incrementAndGet();
            var fault = fault(request, response);
            if (!fault.isEmpty()) {
                findings.add(fault + " for " + request + "\nresponse: " + response.text());
            } else if (response.status() < 300
                    && request.pathIsValid()
                    && !request.apiOperation().isStream()) {
                fuzzer.addCreated(request.apiOperation(), response.body());
            }
        } catch (RuntimeException e) {
            findings.add(e + " for " + request);
        }
    }

    private static String fault(FuzzedRequest request, RawResponse response) {
        var status = response.status();
        if (status == 0 || status >= 500) {
            return "status " + status;
        }
        if (response.header("X-Correlation-ID").isEmpty()) {
            return "no correlation id";
        }
        if (status == 304 || (status < 400 && (request.apiOperation().isStream() || !request.pathIsValid()))) {
            return "";
        }
        var body = response.body();
        var problems = new ArrayList<FieldProblem>();
        var validator = status < 400
                ? CONTRACT.responseValidator(request.apiOperation().id(), status)
                : CONTRACT.schemaValidator("Error");
        validator.validate(body, problems);
        if (!problems.isEmpty()) {
            return "not in the contract: " + problems;
        }
        return status < 400 || body.path("correlation_id").asText().equals(response.header("X-Correlation-ID"))
                ? ""
                : "another correlation id";
    }

    private void checkLog(Path log) throws IOException {
        try (var lines = Files.lines(log)) {
            lines.filter(line -> line.contains(BLOCKED_THREADS) || line.contains("\"level\":\"ERROR\""))
                    .forEach(line -> findings.add("logged: " + line));
        }
    }
}
