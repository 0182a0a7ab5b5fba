package dev.slipway.standalone;

import dev.slipway.contract.Json;
import dev.slipway.testkit.ApiClient.ApiResponse;
import dev.slipway.testkit.PlatformProcess;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

import static dev.slipway.testkit.Eventually.eventually;
import static dev.slipway.testkit.Eventually.eventuallyGet;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Attacks a platform through its embedded broker, whose principals have the ACLs of docs/production.md: without a login, as the demo's
 * principal, and as principals that may write to a topic but have no key to sign its records.
 */
class BrokerAttackTest {
    /** The demo's project_viewer. */
    private static final String VIEWER = "01900000-0000-7000-8000-000000000308";

    @TempDir
    private static Path directory;

    private static PlatformProcess platform;

    @BeforeAll
    static void start() {
        // It makes its own record keys, whose permissions are tested.
        var recordKeys = directory.resolve("home/record-keys").toString();
        platform = new PlatformProcess(directory, Map.of("SLIPWAY_RECORD_KEYS_DIRECTORY", recordKeys));
        platform.start();
    }

    @AfterAll
    static void stop() {
        platform.close();
    }

    /** Every service and the adapter work with their own principal and its ACLs. */
    @Test
    void instanceRuns_andHasTimeline_withAclsOfEveryService() {
        var launched = launchAndAwaitRunning();

        eventually(() -> assertThat(platform.as("project_owner")
                        .call("getCorrelation")
                        .path("correlation_id", launched.header("X-Correlation-ID"))
                        .send()
                        .expect(200)
                        .body()
                        .toString())
                .contains("apps.instance.requested", "apps.instance.running", "createAppInstance"));
    }

    @Test
    void client_isRefused_withoutLogin() {
        assertThatThrownBy(() -> write(Map.of(), "authz.state", "key", new byte[] {1}))
                .hasRootCauseInstanceOf(TimeoutException.class);
    }

    @Test
    void demoPrincipal_readsEvents_andCannotWrite() {
        var demo = platform.demo().path("kafka");
        var client = Map.of(
                "security.protocol", demo.path("security_protocol").asText(),
                "sasl.mechanism", demo.path("mechanism").asText(),
                "sasl.jaas.config",
                        "org.apache.kafka.common.security.scram.ScramLoginModule required username=\""
                                + demo.path("user").asText() + "\" password=\""
                                + demo.path("password").asText() + "\";");

        assertThat(countRecords(client, "catalog.events")).isPositive();
        assertThatThrownBy(() -> countRecords(client, "authz.state")).isInstanceOf(TopicAuthorizationException.class);
        for (var topic : List.of("catalog.events", "authz.state", "runtime.commands.bare_metal", "runtime.reports")) {
            assertThatThrownBy(() -> write(client, topic, "key", new byte[] {1}))
                    .as(topic)
                    .rootCause()
                    .isInstanceOf(AuthorizationException.class);
        }
    }

    @Test
    void adapterPrincipal_writesReportsOnly() {
        var adapter = platform.kafkaClient("adapter-slurm");

        for (var topic : List.of("instances.events", "usage.events", "authz.state", "runtime.commands.slurm")) {
            assertThatThrownBy(() -> write(adapter, topic, "key", new byte[] {1}))
                    .as(topic)
                    .rootCause()
                    .isInstanceOf(AuthorizationException.class);
        }
        assertThatThrownBy(() -> countRecords(adapter, "runtime.commands.bare_metal"))
                .isInstanceOf(TopicAuthorizationException.class);
    }

    @Test
    void adapterOfARegisteredBackend_getsItsOwnLogin() throws Exception {
        var calls = platform.as("platform_superadmin");
        var path =
                calls.call("putRegistryEntry").path("kind", "runtime_backend").path("entry_id", "nomad");
        path.body(Json.object()
                        .set("body", Json.object().put("display_name", "Nomad").put("owner", "acme")))
                .send()
                .expect(200);
        calls.call("moveRegistryEntry")
                .path("kind", "runtime_backend")
                .path("entry_id", "nomad")
                .body(Json.object().put("lifecycle", "active"))
                .send()
                .expect(200);
        eventually(() -> assertThat(platform.home().resolve("kafka-clients/adapter-nomad.properties"))
                .exists());
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(
                        platform.home().resolve("kafka-clients/adapter-nomad.properties"))))
                .isEqualTo("rw-------");
        var adapter = platform.kafkaClient("adapter-nomad");

        eventually(() ->
                assertThat(countRecords(adapter, "runtime.commands.nomad")).isZero());
        write(adapter, "runtime.reports", "key", new byte[] {1});
        assertThatThrownBy(() -> countRecords(adapter, "runtime.commands.bare_metal"))
                .isInstanceOf(TopicAuthorizationException.class);
        assertThatThrownBy(() -> write(adapter, "runtime.commands.nomad", "key", new byte[] {1}))
                .rootCause()
                .isInstanceOf(AuthorizationException.class);
    }

    @Test
    void forgedPermission_grantsNothing_andMalformedRecordStopsNothing() throws Exception {
        var iam = platform.kafkaClient("iam");
        platform.as("project_viewer").call("listAdapters").send().expect(403);
        var rejected = rejected("authz.state");
        var genuine = find("authz.state", "\"platform_superadmin\"", "authz.binding");
        var forged = genuine.replaceAll("\"principal_id\":\"[^\"]+\"", "\"principal_id\":\"" + VIEWER + "\"")
                .replaceAll("\"binding_id\":\"[^\"]+\"", "\"binding_id\":\"" + UUID.randomUUID() + "\"")
                .replaceAll("\"revision\":[0-9]+", "\"revision\":1000000");

        write(iam, "authz.state", "binding:forged", forged.getBytes(StandardCharsets.UTF_8));
        write(iam, "authz.state", "key", "not json".getBytes(StandardCharsets.UTF_8));

        eventually(() -> assertThat(rejected("authz.state")).isGreaterThanOrEqualTo(rejected + 2));
        platform.as("project_viewer").call("listAdapters").send().expect(403);
        assertThat(platform.process().terminate()).isEqualTo(143);
        platform.start();
        platform.as("project_viewer").call("listAdapters").send().expect(403);
        platform.as("tenant_owner")
                .call("createProject")
                .path("org_id", DemoData.ORG)
                .body(Json.object().put("slug", "after-attack").put("display_name", "After the attack"))
                .send()
                .expect(201);
        assertThat(platform.log()).contains("skipped records that the owner of the topic has not signed");
    }

    @Test
    void forgedUsage_isNotCounted() throws Exception {
        var genuine = launchAndAwaitRunning().text("id");
        var invented = UUID.randomUUID().toString();
        var event = find("instances.events", "apps.instance.running", genuine).replace(genuine, invented);

        write(platform.kafkaClient("instances"), "instances.events", invented, event.getBytes(StandardCharsets.UTF_8));

        eventually(() -> assertThat(rejected("instances.events")).isPositive());
        eventually(() -> assertThat(usage()).contains(genuine).doesNotContain(invented));
    }

    @Test
    void secrets_areReadableByOwnerOnly() throws Exception {
        for (var name : List.of("kafka", "postgres", "kafka-clients", "record-keys", "tokens")) {
            assertThat(permissions(name)).as(name).isEqualTo("rwx------");
        }
        for (var name : List.of("demo.json", "kafka-clients/iam.properties", "record-keys/iam.key", "adapter.secret")) {
            assertThat(permissions(name)).as(name).isEqualTo("rw-------");
        }
        var commands = ProcessHandle.of(platform.process().pid())
                .orElseThrow()
                .descendants()
                .toList();
        var password =
                Files.readString(platform.home().resolve("postgres/password")).strip();
        assertThat(commands).isNotEmpty().allSatisfy(child -> assertThat(
                        Files.readString(Path.of("/proc", String.valueOf(child.pid()), "cmdline")))
                .doesNotContain(password));
    }

    private static String permissions(String name) throws Exception {
        return PosixFilePermissions.toString(
                Files.getPosixFilePermissions(platform.home().resolve(name)));
    }

    private static ApiResponse launchAndAwaitRunning() {
        var owner = platform.as("project_owner");
        var launched = owner.call("createAppInstance")
                .path("project_id", DemoData.PROJECT)
                .body(PlatformUnderTest.launchBody("attacked"))
                .send()
                .expect(202);
        eventually(() -> assertThat(owner.call("getAppInstance")
                        .path("project_id", DemoData.PROJECT)
                        .path("app_instance_id", launched.text("id"))
                        .send()
                        .expect(200)
                        .text("status"))
                .isEqualTo("running"));
        return launched;
    }

    private static String usage() {
        return platform.as("project_owner")
                .call("getProjectUsage")
                .path("project_id", DemoData.PROJECT)
                .send()
                .expect(200)
                .body()
                .toString();
    }

    private static double rejected(String topic) {
        return eventuallyGet(() -> HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create(platform.managementUrl() + "/metrics"))
                                .build(),
                        BodyHandlers.ofString())
                .body()
                .lines()
                .filter(line -> line.startsWith("slipway_records_rejected_total") && line.contains('"' + topic + '"'))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
                .sum());
    }

    private static void write(Map<String, String> client, String topic, String key, byte[] value) throws Exception {
        var settings = settings(client);
        settings.put("max.block.ms", client.isEmpty() ? "3000" : "30000"); // a refused connection is retried until then
        try (var producer = new KafkaProducer<>(settings, new StringSerializer(), new ByteArraySerializer())) {
            producer.send(new ProducerRecord<>(topic, key, value)).get(40, TimeUnit.SECONDS);
        }
    }

    private static long countRecords(Map<String, String> client, String topic) {
        return read(client, topic).size();
    }

    /** Returns the first record of the topic that contains all words. */
    private static String find(String topic, String... words) {
        return eventuallyGet(() -> read(platform.kafkaClient("operator"), topic).stream()
                .filter(value -> Arrays.stream(words).allMatch(value::contains))
                .findFirst()
                .orElseThrow());
    }

    private static List<String> read(Map<String, String> client, String topic) {
        try (var consumer = new KafkaConsumer<>(settings(client), new StringDeserializer(), new StringDeserializer())) {
            var partitions = consumer.partitionsFor(topic, Duration.ofSeconds(30)).stream()
                    .map(partition -> new TopicPartition(topic, partition.partition()))
                    .toList();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            var ends = consumer.endOffsets(partitions);
            var values = new ArrayList<String>();
            while (partitions.stream().anyMatch(each -> consumer.position(each) < ends.get(each))) {
                consumer.poll(Duration.ofMillis(200)).forEach(record -> values.add(String.valueOf(record.value())));
            }
            return values;
        }
    }

    private static Map<String, Object> settings(Map<String, String> client) {
        var settings = new HashMap<String, Object>(client);
        settings.put(
                "bootstrap.servers", platform.demo().path("kafka_bootstrap").asText());
        return settings;
    }
}
