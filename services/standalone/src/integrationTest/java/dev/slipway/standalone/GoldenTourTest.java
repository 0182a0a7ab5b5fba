package dev.slipway.standalone;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
import dev.slipway.standalone.TourRecorder.SentCall;
import dev.slipway.testkit.ArtifactSigner;
import dev.slipway.testkit.DistributionServer;
import dev.slipway.testkit.EventTap.ObservedRecord;
import dev.slipway.testkit.Proves;
import dev.slipway.testkit.SimulatedAdapter;
import dev.slipway.testkit.TestCertificate;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Runs a tour through most operations of the contract and compares every response, event, state record and runtime command with the golden
 * files. Record them anew with {@code /gradlew :services:standalone:integrationTest --tests '*GoldenTourTest' -Dslipway.golden.record=true}.
 */
class GoldenTourTest {
    private static final Path GOLDEN = Path.of("src/integrationTest/resources/golden");
    /** Sent at intervals, not because of a change. */
    private static final Set<String> PERIODIC = Set.of(
            "state.heartbeat",
            "catalog.heartbeat",
            "billing.heartbeat",
            "authz.revision",
            "authz.signing_key",
            "consistency.claims.stated",
            "consistency.check.completed");

    private static final String OUTBOXES_ARE_EMPTY = """
            SELECT NOT EXISTS (SELECT 1 FROM iam.outbox) AND NOT EXISTS (SELECT 1 FROM catalog.outbox)
                AND NOT EXISTS (SELECT 1 FROM instances.outbox) AND NOT EXISTS (SELECT 1 FROM audit.outbox)
            """;

    /** A repeated publication, a dry run, and a launch that is repeated with its idempotency key. */
    private static final List<String> WITHOUT_CHANGE =
            List.of("tour-publishAppVersion-2", "tour-createAppInstance-1", "tour-createAppInstance-10");

    @TempDir
    private Path directory;

    @Test
    @Proves("1.08")
    void tour_isAudited_andMatchesTheGoldenFiles() throws IOException, InterruptedException {
        var signer = new ArtifactSigner();
        var certificate = TestCertificate.in(directory);
        try (var registry = new DistributionServer();
                var platform = new PlatformUnderTest(settings(registry, certificate, signer))) {
            registry.requireTokens(new DistributionServer.TokenRules(
                    "slipway", "test-registry", certificate.certificate(), Clock.systemUTC()));
            var mask = new TourMask();
            var tour = new TourRecorder(platform, mask);
            try (var adapter = SimulatedAdapter.start(platform.adapterIn(directory.resolve("adapter")))) {
                new TenancyTour(tour).run();
                new CredentialTour(tour).run();
                new CatalogTour(tour, registry, signer).run();
                new PolicyTour(tour).run();
                new InstanceTour(tour, adapter).run();
                new AdminTour(tour).run();
            }
            awaitAllRecords(platform);
            assertThat(platform.events().violations()).isEmpty();
            assertPrivilegedMutationsAudited(platform, tour);

            var files = new LinkedHashMap<String, String>();
            tour.chapters().forEach((name, text) -> files.put(name + ".txt", text.toString()));
            mask.stopNumbering();
            records(platform, mask)
                    .forEach((topic, lines) -> files.put(topic + ".txt", String.join("\n", lines) + "\n"));
            System.out.println("operations that the tour does not call: " + tour.operationsNotCalled());
            new GoldenFiles(GOLDEN).compareOrRecord(files);
        }
    }

    /** Every privileged mutation that succeeded has an audit record with its correlation id; every refused one names its correlation id. */
    private static void assertPrivilegedMutationsAudited(PlatformUnderTest platform, TourRecorder tour)
            throws IOException, InterruptedException {
        var privileged = privilegedAppOperations(platform);
        var audited = platform
                .events()
                .find(observedRecord -> observedRecord.type().equals("audit.recorded"))
                .stream()
                .map(observedRecord ->
                        observedRecord.event().path("correlation_id").asText())
                .collect(Collectors.toSet());
        var calls = tour.sent().stream()
                .filter(call -> privileged.contains(call.operationId()))
                .toList();
        var succeeded =
                calls.stream().filter(call -> call.response().status() < 300).toList();
        assertThat(succeeded)
                .extracting(SentCall::operationId)
                .contains(
                        "publishAppVersion",
                        "putAppEntitlement",
                        "putProjectPolicy",
                        "registerArtifact",
                        "promoteArtifact",
                        "createAppInstance",
                        "upgradeAppInstance",
                        "operateInstanceMember",
                        "deleteAppInstance");
        assertThat(succeeded)
                .extracting(SentCall::correlationId)
                .filteredOn(correlationId -> !audited.contains(correlationId))
                .containsExactlyInAnyOrderElementsOf(WITHOUT_CHANGE);
        assertThat(calls)
                .filteredOn(call -> call.response().status() >= 400)
                .isNotEmpty()
                .allSatisfy(call -> {
                    assertThat(call.response().text("code")).isNotEmpty();
                    assertThat(call.response().text("message")).isNotEmpty();
                    assertThat(call.response().text("correlation_id")).isEqualTo(call.correlationId());
                });
    }

    /** Reads from the published contract which operations of the apps domain are privileged. */
    private static Set<String> privilegedAppOperations(PlatformUnderTest platform)
            throws IOException, InterruptedException {
        var request = HttpRequest.newBuilder(URI.create(platform.baseUrl() + "/openapi.json"))
                .build();
        var contract = Json.parseStoredObject(HttpClient.newHttpClient()
                .send(request, HttpResponse.BodyHandlers.ofString())
                .body());
        return contract.path("paths")
                .valueStream()
                .flatMap(JsonNode::valueStream)
                .filter(operation -> operation.path("x-slipway-privileged").asBoolean()
                        && operation.path("x-slipway-action").asText().startsWith("apps."))
                .map(operation -> operation.path("operationId").asText())
                .collect(Collectors.toSet());
    }

    private Map<String, String> settings(
            DistributionServer registry, TestCertificate certificate, ArtifactSigner signer) throws IOException {
        var source = Json.object()
                .put("name", "shared")
                .put("host", registry.host())
                .put("namespace", "slipway/apps")
                .put("push", true)
                .put("token_service", "test-registry");
        return Map.of(
                "SLIPWAY_ARTIFACT_SOURCES", Json.text(Json.array().add(source)),
                "SLIPWAY_ARTIFACT_PRIVATE_HOSTS", registry.host(),
                "SLIPWAY_ARTIFACT_PLAIN_HOSTS", registry.host(),
                "SLIPWAY_ARTIFACT_TRUSTED_KEYS",
                        Files.writeString(directory.resolve("trusted.pem"), signer.publicKeyPem())
                                .toString(),
                "SLIPWAY_REGISTRY_TOKEN_KEY_FILE", certificate.keyFile().toString(),
                "SLIPWAY_REGISTRY_TOKEN_CERTIFICATE_FILE",
                        certificate.certificateFile().toString(),
                "SLIPWAY_STREAMS_PER_PRINCIPAL", "1");
    }

    /** Waits until everything that was committed is on its topic, and everything on the topics was read. */
    private static void awaitAllRecords(PlatformUnderTest platform) {
        eventually(
                () -> assertThat(platform.database().query(OUTBOXES_ARE_EMPTY)).isEqualTo("t"));
        var ends = endOffsets(platform);
        eventually(() -> ends.forEach((topic, end) -> assertThat(platform.events()
                        .find(observedRecord -> observedRecord.topic().equals(topic)))
                .as(topic)
                .hasSizeGreaterThanOrEqualTo(end.intValue())));
    }

    private static Map<String, Long> endOffsets(PlatformUnderTest platform) {
        var prefix = platform.topicPrefix();
        var ends = new TreeMap<String, Long>();
        try (var consumer = new KafkaConsumer<>(
                Map.<String, Object>of("bootstrap.servers", platform.kafkaBootstrap()),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer())) {
            var partitions = consumer.listTopics().entrySet().stream()
                    .filter(topic -> topic.getKey().startsWith(prefix))
                    .filter(topic -> isRecorded(topic.getKey().substring(prefix.length())))
                    .flatMap(topic -> topic.getValue().stream())
                    .map(partition -> new TopicPartition(partition.topic(), partition.partition()))
                    .toList();
            consumer.endOffsets(partitions)
                    .forEach((partition, end) ->
                            ends.merge(partition.topic().substring(prefix.length()), end, Long::sum));
        }
        return ends;
    }

    private static boolean isRecorded(String topic) {
        return topic.endsWith(".events") || topic.endsWith(".state") || topic.startsWith("runtime.commands.");
    }

    private static boolean isPeriodic(ObservedRecord observedRecord) {
        return PERIODIC.contains(observedRecord.type())
                || observedRecord.event().path("correlation_id").asText().startsWith("heartbeat-");
    }

    /** An adapter that asks for a token before IAM has replicated the instance is denied and asks again: how often depends on the load. */
    private static boolean isEarlyTokenRequest(ObservedRecord observedRecord) {
        return observedRecord.event().at("/payload/reason").asText().equals("task_unknown");
    }

    /** One line for each record: sorted by key, in the order of arrival under one key, except on the audit topic, which has no order. */
    private static Map<String, List<String>> records(PlatformUnderTest platform, TourMask mask) {
        var topics = new TreeMap<String, Map<String, List<String>>>();
        for (var observedRecord : platform.events()
                .find(observedRecord -> isRecorded(observedRecord.topic())
                        && !isPeriodic(observedRecord)
                        && !isEarlyTokenRequest(observedRecord))) {
            var lines = topics.computeIfAbsent(observedRecord.topic(), topic -> new LinkedHashMap<>())
                    .computeIfAbsent(observedRecord.key(), key -> new ArrayList<>());
            var line = line(observedRecord, mask);
            if (!observedRecord.topic().endsWith(".state")
                    || lines.isEmpty()
                    || !lines.get(lines.size() - 1).equals(line)) {
                lines.add(line);
            }
        }
        var sorted = new TreeMap<String, List<String>>();
        topics.forEach((topic, keys) -> sorted.put(
                topic,
                topic.equals("audit.events")
                        ? keys.values().stream().flatMap(List::stream).sorted().toList()
                        : keys.values().stream()
                                .map(lines -> String.join("\n", lines))
                                .sorted()
                                .toList()));
        return sorted;
    }

    private static String line(ObservedRecord observedRecord, TourMask mask) {
        var key = mask.text(observedRecord.key());
        var event = mask.json(observedRecord.event());
        if (observedRecord.key().startsWith("registry:scope:") && event.isObject()) {
            // The catalog applies IAM's changes in batches, under the correlation id of the first of a batch.
            ((ObjectNode) event).put("correlation_id", "<batch>");
        }
        var headers = new TreeSet<>(observedRecord.headers().keySet());
        return key + " " + observedRecord.type() + " " + headers + " "
                + (observedRecord.event().isMissingNode() ? "tombstone" : Json.text(event));
    }
}
