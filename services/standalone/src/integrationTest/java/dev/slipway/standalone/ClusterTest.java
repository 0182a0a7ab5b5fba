package dev.slipway.standalone;

import dev.slipway.contract.Json;
import dev.slipway.testkit.ApiClient;
import dev.slipway.testkit.EventTap;
import dev.slipway.testkit.FreshDatabase;
import dev.slipway.testkit.PlatformProcess;
import dev.slipway.testkit.SimulatedAdapter;
import dev.slipway.testkit.TestInfrastructure;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer.OrderAnnotation;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** The services in several processes on one bus, of which one dies. */
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
    private static SimulatedAdapter adapter;
    private static ApiClient owner;

    @BeforeAll
    static void start() throws IOException {
        database = FreshDatabase.create();
        ports = freePorts(3);
        front = process("front", 0, "gateway,iam,catalog,audit,metering", true);
        one = process("one", 1, "instances", false);
        two = process("two", 2, "instances", false);
        front.launch();
        one.launch();
        front.awaitReady();
        one.awaitReady();
        owner = front.as("project_owner");
        adapter = SimulatedAdapter.start(new SimulatedAdapter.Place(
                front.demo().path("base_url").asText(),
                KAFKA,
                PREFIX,
                Demo.ADAPTER,
                front.home().resolve("adapter.secret"),
                directory.resolve("adapter")));
    }

    @AfterAll
    static void stop() {
        adapter.close();
        front.close();
        one.close();
        two.close();
        database.close();
    }

    private static PlatformProcess process(String name, int number, String services, boolean demo) {
        var settings = new HashMap<String, String>();
        settings.put("SLIPWAY_SERVICES", services);
        settings.put("SLIPWAY_DEMO", String.valueOf(demo));
        settings.put("SLIPWAY_KAFKA_BOOTSTRAP", KAFKA);
        settings.put("SLIPWAY_DATABASE_URL", database.url());
        settings.put("SLIPWAY_TOPIC_PREFIX", PREFIX);
        settings.put("SLIPWAY_TOPIC_PARTITIONS", "2");
        settings.put("SLIPWAY_REPLY_TIMEOUT", "PT3S");
        settings.put("SLIPWAY_CLUSTER_NAME", PREFIX);
        settings.put("SLIPWAY_CLUSTER_PORT", String.valueOf(ports.get(number)));
        settings.put(
                "SLIPWAY_CLUSTER",
                String.join(",", ports.stream().map(port -> "127.0.0.1:" + port).toList()));
        return new PlatformProcess(directory.resolve(name), settings);
    }

    private static List<Integer> freePorts(int count) throws IOException {
        var sockets = new ArrayList<ServerSocket>();
        for (var i = 0; i < count; i++) {
            sockets.add(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
        }
        var found = sockets.stream().map(ServerSocket::getLocalPort).toList();
        for (var socket : sockets) {
            socket.close();
        }
        return found;
    }

    private static ApiClient.Call create(ApiClient caller, Map<String, String> fields) {
        var body = Json.object().put("app_slug", Demo.APP).put("version", Demo.VERSION);
        fields.forEach(body::put);
        return caller.call("createAppInstance").path("project_id", Demo.PROJECT).body(body);
    }

    private static ApiClient.Call instance(String operation, String id) {
        return owner.call(operation).path("project_id", Demo.PROJECT).path("app_instance_id", id);
    }

    @Test
    @Order(1)
    void theContractHolds_acrossProcesses() {
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
                        .path("project_id", Demo.PROJECT)
                        .send()
                        .expect(200)
                        .body()
                        .path("items"))
                .hasSize(1);
        instance("deleteAppInstance", id).send().expect(202);
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

    @Test
    @Order(2)
    void nothingIsLostOrDoubled_whenOneOfTwoProcessesIsKilled() {
        two.start();
        var load = new Load(owner, 3, 1);
        try (load) {
            load.accept(20);
            one.process().kill(); // the elder: it publishes for both
            load.accept(20);
        }
        System.out.println("cluster: " + load.acceptedSoFar() + " launched; on the way " + load.refusals());
        try (var events = new EventTap(KAFKA, PREFIX)) {
            new Kept(owner, load).verify(events, adapter.world(), 1);
        }
        assertThat(database.query("SELECT count(*) FROM instances.outbox")).isEqualTo("0");
    }

    @Test
    @Order(3)
    void callersAreTold_whenNoProcessServesTheOperation() {
        two.process().kill();

        eventually(() -> assertThat(
                        create(owner, Map.of("display_name", "nobody")).send().text("code"))
                .isEqualTo("service_unavailable"));
        create(owner, Map.of("display_name", "nobody")).send().expect(503);
        owner.call("getMe").send().expect(200);
    }
}
