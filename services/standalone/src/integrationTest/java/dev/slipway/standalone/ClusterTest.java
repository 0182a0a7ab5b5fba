package dev.slipway.standalone;

import dev.slipway.contract.Json;
import dev.slipway.service.KeyCipher;
import dev.slipway.testkit.ApiClient;
import dev.slipway.testkit.ApiClient.Call;
import dev.slipway.testkit.EventTap;
import dev.slipway.testkit.FreePorts;
import dev.slipway.testkit.FreshDatabase;
import dev.slipway.testkit.PlatformProcess;
import dev.slipway.testkit.PreparedRecordKeys;
import dev.slipway.testkit.Proves;
import dev.slipway.testkit.SimulatedAdapter;
import dev.slipway.testkit.TestInfrastructure;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer.OrderAnnotation;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;

import static dev.slipway.testkit.Eventually.eventually;
import static dev.slipway.testkit.Eventually.eventuallyGet;
import static org.assertj.core.api.Assertions.assertThat;

/** Tests several processes on one event bus, one of which is killed. */
@TestMethodOrder(OrderAnnotation.class) // each goes on with the processes that the one before has left
class ClusterTest {
    private static final String PREFIX = "c" + UUID.randomUUID().toString().substring(0, 8) + ".";
    private static final String KAFKA = TestInfrastructure.shared().kafkaBootstrap();

    @TempDir
    static Path directory;

    private static FreshDatabase database;
    private static List<Integer> ports;
    private static PlatformProcess front;
    private static PlatformProcess one;
    private static PlatformProcess two;
    private static PlatformProcess audit;
    private static SimulatedAdapter adapter;
    private static ApiClient owner;

    @BeforeAll
    static void start() {
        database = FreshDatabase.create();
        ports = FreePorts.find(5);
        front = process("front", 0, "gateway,iam,catalog,metering", true);
        one = process("one", 1, "instances,gateway", false);
        two = process("two", 2, "instances", false);
        audit = process("audit", 4, "audit", false);
        front.launch();
        one.launch();
        audit.launch();
        front.awaitReady();
        one.awaitReady();
        audit.awaitReady();
        owner = front.as("project_owner");
        adapter = SimulatedAdapter.start(new SimulatedAdapter.AdapterSettings(
                front.demo().path("base_url").asText(),
                KAFKA,
                PREFIX,
                DemoData.ADAPTER,
                front.home().resolve("adapter.secret"),
                directory.resolve("adapter")));
    }

    @AfterAll
    static void stop() {
        adapter.close();
        front.close();
        one.close();
        two.close();
        audit.close();
        database.close();
    }

    private static PlatformProcess process(String name, int number, String services, boolean demo) {
        var settings = new HashMap<String, String>();
        settings.put("SLIPWAY_SERVICES", services);
        settings.put("SLIPWAY_DEMO", String.valueOf(demo));
        settings.put("SLIPWAY_KAFKA_BOOTSTRAP", KAFKA);
        settings.put("SLIPWAY_DATABASE_URL", database.url());
        settings.put("SLIPWAY_TOPIC_PREFIX", PREFIX);
        settings.put(
                "SLIPWAY_RECORD_KEYS_DIRECTORY",
                PreparedRecordKeys.in(directory.resolve("record-keys")).toString());
        settings.put("SLIPWAY_TOPIC_PARTITIONS", "2");
        settings.put("SLIPWAY_REPLY_TIMEOUT", "PT8S");
        if (services.equals("audit")) {
            settings.put("SLIPWAY_KEY_ENCRYPTION_KEY", KeyCipher.generateKey());
        }
        if (services.equals("instances,gateway")) {
            settings.put("SLIPWAY_HTTP_PORT", String.valueOf(ports.get(3)));
        }
        settings.put("SLIPWAY_CLUSTER_NAME", PREFIX);
        settings.put("SLIPWAY_CLUSTER_PORT", String.valueOf(ports.get(number)));
        settings.put(
                "SLIPWAY_CLUSTER",
                String.join(
                        ",",
                        Stream.of(0, 1, 2, 4)
                                .map(ports::get)
                                .map(port -> "127.0.0.1:" + port)
                                .toList()));
        return new PlatformProcess(directory.resolve(name), settings);
    }

    private static Call create(ApiClient caller, Map<String, String> fields) {
        var body = Json.object().put("app_slug", DemoData.APP).put("version", DemoData.VERSION);
        fields.forEach(body::put);
        return caller.call("createAppInstance")
                .path("project_id", DemoData.PROJECT)
                .body(body);
    }

    private static Call instance(String operation, String id) {
        return owner.call(operation).path("project_id", DemoData.PROJECT).path("app_instance_id", id);
    }

    @Test
    @Order(1)
    void start_writesNoErrors_whenProcessJoinsCluster() {
        assertThat(front.process().errors()).isEmpty();
        assertThat(one.process().errors()).isEmpty();
    }

    @Test
    @Order(1)
    void api_followsContract_whenServicesRunInSeveralProcesses() {
        var named = Map.of("display_name", "clustered");
        var id = create(owner, named)
                .header("Idempotency-Key", "c1")
                .send()
                .expect(202)
                .text("id");

        assertThat(create(owner, named)
                        .header("Idempotency-Key", "c1")
                        .send()
                        .expect(202)
                        .text("id"))
                .isEqualTo(id);
        eventually(() -> assertThat(
                        instance("getAppInstance", id).send().expect(200).text("status"))
                .isEqualTo("running"));
        assertThat(owner.call("listAppInstances")
                        .path("project_id", DemoData.PROJECT)
                        .send()
                        .expect(200)
                        .body()
                        .path("items"))
                .hasSize(1);
        try (var events = instance("watchAppInstance", id).stream()) {
            assertThat(events.next().path("event").asText()).isEqualTo("snapshot");
            instance("deleteAppInstance", id).send().expect(202);
            var seen = events.next();
            while (!seen.path("event").asText().equals("apps.instance.deleted")) {
                seen = events.next();
            }
        }
        eventually(() ->
                assertThat(instance("getAppInstance", id).send().text("status")).isEqualTo("deleted"));

        assertThat(create(owner, Map.of("display_name", "other"))
                        .header("Idempotency-Key", "c1")
                        .send()
                        .expect(409)
                        .text("code"))
                .isEqualTo("idempotency_conflict");
        assertThat(create(owner, Map.of("display_name", "x", "version", "9.9.9"))
                        .send()
                        .expect(404)
                        .text("code"))
                .isEqualTo("app_version_not_found");
        create(owner, Map.of()).send().expect(400);
        create(front.as("project_viewer"), named).send().expect(403);
        create(front.as("other_tenant_owner"), named).send().expect(404);
        create(owner.as(null), named).send().expect(401);
        instance("getAppInstance", UUID.randomUUID().toString()).send().expect(404);
    }

    /** Audit, evidence and status are in a process of their own, which is killed in between. */
    @Test
    @Order(1)
    @Proves({"3.102", "3.122"})
    void evidence_survivesAKill_andDecidesTheRelease_inAProcessOfItsOwn() {
        var admin = front.as("platform_superadmin");
        var release = admin.call("createRelease")
                .body(EvidenceTest.candidate("apps", "7.0.0"))
                .send()
                .expect(201)
                .text("id");
        for (var subject : List.of("scan", "authz", "secret", "audit")) {
            var item = EvidenceTest.item(
                    "security_scan", subject, "passed", Map.of("tool", "trivy", "report_ref", "ci/18"));
            admin.call("addEvidence")
                    .path("release_id", release)
                    .body(item)
                    .send()
                    .expect(201);
        }
        var before = readEvidence(admin, release);

        audit.process().kill();
        audit.start();

        assertThat(eventuallyGet(() -> readEvidence(admin, release))).isEqualTo(before);
        var gates = admin.call("getRelease")
                .path("release_id", release)
                .send()
                .expect(200)
                .body()
                .path("gates");
        assertThat(gates)
                .filteredOn(gate -> gate.path("verdict").asText().equals("pass"))
                .extracting(gate -> gate.path("gate").asText())
                .contains("security_evidence")
                .doesNotContain("acceptance");
        var status = front.as("platform_ops");
        assertThat(status.call("getReleaseReadiness").send().expect(200).body().path("candidates"))
                .anyMatch(candidate -> candidate.path("candidate_id").asText().equals(release)
                        && !candidate.path("ready").asBoolean());
        eventually(() -> assertThat(status.call("listStatusComponents")
                        .send()
                        .expect(200)
                        .body()
                        .path("items"))
                .filteredOn(component -> component.path("component_id").asText().equals("audit"))
                .singleElement()
                .satisfies(component ->
                        assertThat(component.path("rollout_status").asText()).isEqualTo("ready")));
        eventually(() -> assertThat(admin.call("getPlatformAuditCheckpoint")
                        .send()
                        .expect(200)
                        .text("note"))
                .contains("/audit/platform"));
    }

    private static String readEvidence(ApiClient admin, String release) {
        return Json.text(admin.call("listEvidence")
                .path("release_id", release)
                .send()
                .expect(200)
                .body()
                .path("items"));
    }

    @Test
    @Order(2)
    void call_isRejectedByEveryService_whenAccessIsRevoked() {
        for (var access : new RevocableAccesses(front).all()) {
            eventually(() -> assertThat(answers(access.token())).doesNotContain("401 token_invalid"));
            access.end().send().expect(200);
            var ended = System.nanoTime();
            eventually(() -> assertThat(answers(access.token()))
                    .allSatisfy(answer -> assertThat(answer).isIn("401 token_invalid", "401 token_revoked")));
            System.out.printf(
                    "revocation: %s refused by all services through both processes %d ms after the answer%n",
                    access.name(), (System.nanoTime() - ended) / 1_000_000);
        }
    }

    /** Returns the responses of one operation per service, through the gateway of each process. */
    private static List<String> answers(String token) {
        var answers = new ArrayList<String>();
        for (var gateway : List.of(front.demo().path("base_url").asText(), "http://127.0.0.1:" + ports.get(3))) {
            var caller = new ApiClient(gateway, token);
            for (var call : List.of(
                    caller.call("getMe"),
                    caller.call("listApps").header("X-Project-ID", DemoData.PROJECT.toString()),
                    caller.call("listAppInstances"),
                    caller.call("getCorrelation").path("correlation_id", "c-1"),
                    caller.call("getProjectUsage"))) {
                var apiResponse = call.path("project_id", DemoData.PROJECT).send();
                answers.add(apiResponse.status() + " " + apiResponse.text("code"));
            }
        }
        return answers;
    }

    @Test
    @Order(3)
    void launch_isAppliedOnce_whenOneOfTwoProcessesIsKilled() {
        two.start();
        var launchLoad = new LaunchLoad(owner, 3, 80, 1);
        try (launchLoad) {
            launchLoad.accept(20);
            one.process().kill(); // the elder: it publishes for both
            launchLoad.accept(20);
        }
        System.out.println("cluster: " + launchLoad.acceptedCount() + " launched; on the way " + launchLoad.refusals());
        try (var events = new EventTap(KAFKA, PREFIX)) {
            new RecoveryAssertions(owner, launchLoad).verify(events, adapter.instanceFiles(), 1);
        }
        assertThat(database.query("SELECT count(*) FROM instances.outbox")).isEqualTo("0");
    }

    @Test
    @Order(4)
    void call_returnsServiceUnavailable_whenNoProcessServesOperation() {
        two.process().kill();

        eventually(() -> assertThat(owner.call("listAppInstances")
                        .path("project_id", DemoData.PROJECT)
                        .send()
                        .text("code"))
                .isEqualTo("service_unavailable"));
        assertThat(create(owner, Map.of("display_name", "nobody"))
                        .send()
                        .expect(503)
                        .text("code"))
                .isEqualTo("service_unavailable");
        owner.call("getMe").send().expect(200);
    }
}
