package dev.slipway.standalone;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.gson.JsonElement;
import com.google.gson.JsonParser;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1DaemonSet;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1NetworkPolicy;
import io.kubernetes.client.openapi.models.V1PodDisruptionBudget;
import io.kubernetes.client.openapi.models.V1Service;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.yaml.snakeyaml.Yaml;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.StreamSupport;

import static org.assertj.core.api.Assertions.assertThat;

/** Checks the Kubernetes and compose files against their schemas and against the settings of the platform. */
class DeploymentFilesTest {
    private static final Path ROOT = Path.of("../..");
    private static final ObjectMapper JSON = new ObjectMapper();

    @ParameterizedTest
    @ValueSource(strings = {"slipway.yaml", "slipway-separate.yaml", "otel-collector.yaml"})
    void kubernetesFile_matchesSchema(String file) throws Exception {
        for (var resource : resources("infra/kubernetes/" + file)) {
            validate(resource);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"slipway.yaml", "slipway-separate.yaml"})
    void deployments_haveProbesLimitsPullPolicyAndServiceName(String file) throws Exception {
        for (var deployment : ofKind("infra/kubernetes/" + file, "Deployment").values()) {
            var container = at(deployment, "spec", "template", "spec", "containers")
                    .getAsJsonArray()
                    .get(0);
            assertThat(container.getAsJsonObject().keySet())
                    .contains("startupProbe", "livenessProbe", "readinessProbe", "resources", "securityContext");
            assertThat(at(container, "imagePullPolicy").getAsString()).isEqualTo("IfNotPresent");
            var name = at(deployment, "metadata", "name").getAsString();
            assertThat(environment(container)).containsEntry("OTEL_SERVICE_NAME", name);
            assertThat(ofKind("infra/kubernetes/" + file, "PodDisruptionBudget"))
                    .containsKey(name);
        }
        assertThat(ofKind("infra/kubernetes/" + file, "NetworkPolicy")).isNotEmpty();
    }

    @Test
    void iamDeployments_requireAnIssuerAndAnAdministrator() throws Exception {
        for (var file : List.of("slipway.yaml", "slipway-separate.yaml")) {
            var required = ofKind("infra/kubernetes/" + file, "Deployment").values().stream()
                    .map(deployment -> at(deployment, "spec", "template", "spec", "containers")
                            .getAsJsonArray()
                            .get(0))
                    .filter(container -> List.of(environment(container)
                                    .get("SLIPWAY_SERVICES")
                                    .split(",", -1))
                            .contains("iam"))
                    .toList();
            assertThat(required).as(file).singleElement().satisfies(container -> assertThat(environment(container))
                    .containsEntry("SLIPWAY_OIDC_ISSUERS", "configMapKeyRef")
                    .containsEntry("SLIPWAY_FIRST_ADMINISTRATOR", "configMapKeyRef")
                    .containsEntry("SLIPWAY_KEY_ENCRYPTION_KEY", "secretKeyRef"));
        }
    }

    @Test
    void separateDeployments_runEveryServiceOnce() throws Exception {
        var services = new TreeSet<String>();
        ofKind("infra/kubernetes/slipway-separate.yaml", "Deployment").values().forEach(deployment -> {
            var container = at(deployment, "spec", "template", "spec", "containers")
                    .getAsJsonArray()
                    .get(0);
            var environment = environment(container);
            assertThat(services.add(environment.get("SLIPWAY_SERVICES"))).isTrue();
            assertThat(environment)
                    .containsKeys(
                            "SLIPWAY_CLUSTER", "SLIPWAY_CLUSTER_CERTIFICATE_FILE", "SLIPWAY_RECORD_KEYS_DIRECTORY");
        });
        assertThat(services)
                .containsExactlyInAnyOrderElementsOf(StandaloneConfig.SERVICES.stream()
                        .filter(service -> !service.endsWith("-adapter"))
                        .toList());
    }

    /** The compose file and Testcontainers use the Kafka version that the tests embed. */
    @Test
    void kafkaImages_haveTheTestedVersion() throws IOException {
        var tested = first("(?m)^kafka = \"([^\"]+)\"", "gradle/libs.versions.toml");
        assertThat(first("image: apache/kafka:(\\S+)", "compose/docker-compose.yaml"))
                .isEqualTo(tested);
        assertThat(first(
                        "apache/kafka:([0-9.]+)",
                        "libs/testkit/src/main/java/dev/slipway/testkit/TestInfrastructure.java"))
                .isEqualTo(tested);
    }

    private static void validate(JsonElement resource) throws IOException {
        var kind = at(resource, "kind").getAsString();
        switch (kind) {
            case "Deployment" -> V1Deployment.validateJsonElement(resource);
            case "DaemonSet" -> V1DaemonSet.validateJsonElement(resource);
            case "Service" -> V1Service.validateJsonElement(resource);
            case "ConfigMap" -> V1ConfigMap.validateJsonElement(resource);
            case "PodDisruptionBudget" -> V1PodDisruptionBudget.validateJsonElement(resource);
            case "NetworkPolicy" -> V1NetworkPolicy.validateJsonElement(resource);
            default -> throw new AssertionError("no schema for " + kind);
        }
    }

    private static List<JsonElement> resources(String file) throws IOException {
        var documents = new Yaml().loadAll(Files.readString(ROOT.resolve(file)));
        return StreamSupport.stream(documents.spliterator(), false)
                .map(document -> {
                    try {
                        return JsonParser.parseString(JSON.writeValueAsString(document));
                    } catch (IOException e) {
                        throw new AssertionError(e);
                    }
                })
                .toList();
    }

    private static Map<String, JsonElement> ofKind(String file, String kind) throws IOException {
        var found = new TreeMap<String, JsonElement>();
        for (var resource : resources(file)) {
            if (at(resource, "kind").getAsString().equals(kind)) {
                found.put(at(resource, "metadata", "name").getAsString(), resource);
            }
        }
        return found;
    }

    /** Each variable with its value, or with the kind of its source. */
    private static Map<String, String> environment(JsonElement container) {
        var environment = new TreeMap<String, String>();
        for (var variable : at(container, "env").getAsJsonArray()) {
            var object = variable.getAsJsonObject();
            environment.put(
                    object.get("name").getAsString(),
                    object.has("value")
                            ? object.get("value").getAsString()
                            : object.getAsJsonObject("valueFrom")
                                    .keySet()
                                    .iterator()
                                    .next());
        }
        return environment;
    }

    private static JsonElement at(JsonElement element, String... path) {
        var found = element;
        for (var name : path) {
            found = found.getAsJsonObject().get(name);
        }
        return found;
    }

    private static String first(String pattern, String file) throws IOException {
        return Pattern.compile(pattern)
                .matcher(Files.readString(ROOT.resolve(file)))
                .results()
                .findFirst()
                .orElseThrow()
                .group(1);
    }
}
