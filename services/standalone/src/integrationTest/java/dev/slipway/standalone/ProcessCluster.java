package dev.slipway.standalone;

import dev.slipway.contract.Json;
import dev.slipway.embedded.EmbeddedPostgres;
import dev.slipway.testkit.ApiClient;
import dev.slipway.testkit.ChildProcess;
import dev.slipway.testkit.EventTap;
import dev.slipway.testkit.FreePorts;
import dev.slipway.testkit.PlatformProcess;
import dev.slipway.testkit.SimulatedAdapter;
import dev.slipway.testkit.SimulatedAdapter.InstanceFiles;

import java.nio.file.Path;
import java.util.Map;

import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** The platform, an adapter, Kafka and PostgreSQL as separate processes that can be killed and restarted. */
final class ProcessCluster implements AutoCloseable {
    private final Path directory;
    private final int kafkaPort = FreePorts.find(1).get(0);
    private final EmbeddedPostgres postgres;
    private final PlatformProcess platform;
    private final ApiClient owner;
    private final ApiClient tenantOwner;
    private final EventTap events;
    private ChildProcess kafka;
    private ChildProcess adapter;

    /** The processes. */
    enum ProcessKind {
        PLATFORM,
        ADAPTER,
        KAFKA,
        POSTGRES
    }

    ProcessCluster(Path directory) {
        this.directory = directory;
        postgres = EmbeddedPostgres.start(
                directory.resolve("postgres"), Path.of(System.getProperty("java.io.tmpdir"), "slipway-postgres"), 0);
        kafka = startKafka();
        platform = new PlatformProcess(
                directory.resolve("platform"),
                Map.of(
                        "SLIPWAY_KAFKA_BOOTSTRAP", bootstrap(),
                        "SLIPWAY_DATABASE_URL", postgres.uri(),
                        "SLIPWAY_DEMO", "true",
                        "SLIPWAY_TOPIC_PARTITIONS", "2",
                        "SLIPWAY_SERVICES", "iam,catalog,instances,audit,metering,gateway"));
        platform.start();
        owner = platform.as("project_owner"); // with its first token: that one stays good
        tenantOwner = platform.as("tenant_owner");
        allowSharedRuntimes(platform.as("platform_superadmin"));
        adapter = startAdapter();
        events = new EventTap(bootstrap(), "");
    }

    /** Kills the process and starts it again. */
    void kill(ProcessKind processKind) {
        switch (processKind) {
            case PLATFORM -> {
                platform.process().kill();
                platform.start();
            }
            case ADAPTER -> {
                adapter.kill();
                adapter = startAdapter();
            }
            case KAFKA -> {
                kafka.kill();
                kafka = startKafka();
            }
            case POSTGRES -> {
                postgres.kill();
                postgres.restart();
            }
        }
    }

    /** Returns the owner of the demo project. */
    ApiClient owner() {
        return owner;
    }

    ApiClient tenantOwner() {
        return tenantOwner;
    }

    EventTap events() {
        return events;
    }

    InstanceFiles instanceFiles() {
        return new InstanceFiles(directory.resolve("adapter").resolve("world"));
    }

    @Override
    public void close() {
        events.close();
        adapter.close();
        platform.close();
        kafka.close();
        postgres.close();
    }

    private static void allowSharedRuntimes(ApiClient admin) {
        var body = Json.object();
        body.putObject("values")
                .putArray("allowed_control_plane_scopes")
                .add("project")
                .add("tenant");
        body.putObject("hard_denies");
        admin.call("putGlobalPolicy")
                .body(body)
                .header(
                        "If-Match",
                        admin.call("getGlobalPolicy").send().expect(200).header("ETag"))
                .send()
                .expect(200);
    }

    private String bootstrap() {
        return "127.0.0.1:" + kafkaPort;
    }

    private ChildProcess startKafka() {
        var started = child(
                KafkaProcessMain.class.getName(), directory.resolve("kafka").toString(), String.valueOf(kafkaPort));
        return awaitOutput(started, "takes records");
    }

    private ChildProcess startAdapter() {
        var started = child(
                SimulatedAdapter.class.getName(),
                platform.demo().path("base_url").asText(),
                bootstrap(),
                "",
                DemoData.ADAPTER.toString(),
                platform.home().resolve("adapter.secret").toString(),
                directory.resolve("adapter").toString());
        return awaitOutput(started, "takes commands");
    }

    private ChildProcess child(String... program) {
        return new ChildProcess(directory, Map.of(), System.getProperty("java.class.path"), program);
    }

    private static ChildProcess awaitOutput(ChildProcess process, String text) {
        eventually(() -> assertThat(process.output()).contains(text));
        return process;
    }
}
