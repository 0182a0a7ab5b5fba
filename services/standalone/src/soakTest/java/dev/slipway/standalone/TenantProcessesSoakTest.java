package dev.slipway.standalone;

import dev.slipway.contract.Json;
import dev.slipway.testkit.ApiClient;
import dev.slipway.testkit.FreePorts;
import dev.slipway.testkit.FreshDatabase;
import dev.slipway.testkit.PlatformProcess;
import dev.slipway.testkit.TestInfrastructure;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** Two processes with the tenants service, each behind a gateway of its own; they share only the database and Kafka. */
class TenantProcessesSoakTest {
    private static final String PREFIX = "t" + UUID.randomUUID().toString().substring(0, 8) + ".";
    private static final int ROUNDS = 20;
    /** The requests per minute of the plan of the tenant. */
    private static final int LIMIT = 600;

    @TempDir
    static Path directory;

    private static FreshDatabase database;
    private static PlatformProcess first;
    private static PlatformProcess second;
    private static List<ApiClient> callers;

    @BeforeAll
    static void start() {
        database = FreshDatabase.create();
        var port = FreePorts.find(1).get(0);
        first = process("first", "gateway,iam,catalog,tenants", Map.of("SLIPWAY_DEMO", "true"));
        second = process(
                "second",
                "gateway,tenants",
                Map.of("SLIPWAY_DEMO", "false", "SLIPWAY_HTTP_PORT", String.valueOf(port)));
        first.start();
        second.start();
        var token = first.demo().path("tokens").path("tenant_owner").asText();
        callers = List.of(first.as("tenant_owner"), new ApiClient("http://127.0.0.1:" + port, token));
    }

    private static PlatformProcess process(String name, String services, Map<String, String> more) {
        var settings = new HashMap<>(Map.of(
                "SLIPWAY_SERVICES",
                services,
                "SLIPWAY_KAFKA_BOOTSTRAP",
                TestInfrastructure.shared().kafkaBootstrap(),
                "SLIPWAY_DATABASE_URL",
                database.url(),
                "SLIPWAY_TOPIC_PREFIX",
                PREFIX,
                "SLIPWAY_TOPIC_PARTITIONS",
                "2",
                "SLIPWAY_RECORD_KEYS_DIRECTORY",
                directory.resolve("record-keys").toString()));
        settings.putAll(more);
        return new PlatformProcess(directory.resolve(name), settings);
    }

    @AfterAll
    static void stop() {
        first.close();
        second.close();
        database.close();
    }

    @Test
    void suspension_isSeenByBothProcesses_whicheverSuspends() {
        var tenant = createTenant("invalidation");
        var resumed = new ArrayList<Long>();
        for (int round = 0; round < ROUNDS; round++) {
            callers.forEach(caller -> assertThat(read(caller, tenant)).isEqualTo("200 ")); // both have it cached
            var suspending = callers.get(round % 2);

            tenant(suspending, "suspendTenant", tenant)
                    .body(Json.object().put("reason", "soak"))
                    .send()
                    .expect(200);

            callers.forEach(caller -> assertThat(read(caller, tenant)).isEqualTo("403 tenant_suspended"));
            tenant(suspending, "resumeTenant", tenant).send().expect(200);
            var started = System.nanoTime();
            eventually(() ->
                    callers.forEach(caller -> assertThat(read(caller, tenant)).isEqualTo("200 ")));
            resumed.add(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - started));
        }
        Collections.sort(resumed);
        System.out.printf(
                "invalidation: both processes serve a resumed tenant %d ms (median), %d ms (longest of %d) after the answer%n",
                resumed.get(ROUNDS / 2), resumed.get(ROUNDS - 1), ROUNDS);
    }

    @Test
    void rateLimit_holdsForBothProcessesTogether() throws Exception {
        var tenant = createTenant("rate");
        awaitStartOfMinute();
        var calls = new ArrayList<Callable<String>>();
        for (int i = 0; i < 2 * LIMIT; i++) {
            var caller = callers.get(i % 2);
            calls.add(() -> read(caller, tenant));
        }
        var threads = Executors.newFixedThreadPool(8);
        var answers = new HashMap<String, Integer>();
        var minute = Instant.now().truncatedTo(ChronoUnit.MINUTES);
        try {
            for (var answer : threads.invokeAll(calls)) {
                answers.merge(answer.get(), 1, Integer::sum);
            }
        } finally {
            threads.shutdown();
        }

        var minutes = minute.until(Instant.now(), ChronoUnit.MINUTES) + 1;
        assertThat(answers.keySet()).allMatch(answer -> answer.equals("200 ") || answer.startsWith("429 "));
        assertThat(answers.get("200 "))
                .isLessThanOrEqualTo((int) (LIMIT * minutes))
                .isGreaterThan(LIMIT / 2);
    }

    private static String createTenant(String name) {
        var owner = callers.get(0);
        var tenant = owner.call("createTenant")
                .path("org_id", DemoData.ORG)
                .body(Json.object()
                        .put("display_name", name)
                        .put("plan", "free")
                        .put("region", "eu-central")
                        .put("isolation_level", "isolated_schema"))
                .send()
                .expect(202)
                .text("id");
        eventually(() -> assertThat(
                        tenant(owner, "getTenant", tenant).send().expect(200).text("status"))
                .isEqualTo("active"));
        var bundle = Json.parseTrusted("""
                {"manifest": {"version": "1.0.0"}, "objects": [{"name": "account", "fields": [{"name": "name", "type": "text"}]}]}
                """.getBytes(StandardCharsets.UTF_8));
        var body = Json.object();
        body.set("bundle", bundle);
        tenant(owner, "createTenantDeployment", tenant).body(body).send().expect(202);
        callers.forEach(
                caller -> eventually(() -> assertThat(read(caller, tenant)).isEqualTo("200 ")));
        return tenant;
    }

    private static ApiClient.Call tenant(ApiClient caller, String operation, String tenant) {
        return caller.call(operation).path("org_id", DemoData.ORG).path("tenant_id", tenant);
    }

    private static String read(ApiClient caller, String tenant) {
        var response = caller.call("listTenantRecords")
                .path("tenant_id", tenant)
                .path("object", "account")
                .send();
        return response.status() + " " + response.text("code");
    }

    /** Waits until less than a second of the minute has passed, so that the requests probably fit in it. */
    private static void awaitStartOfMinute() {
        var next = Instant.now().truncatedTo(ChronoUnit.MINUTES).plus(1, ChronoUnit.MINUTES);
        while (Instant.now().isBefore(next)) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
        }
    }
}
