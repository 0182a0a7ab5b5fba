package dev.slipway.standalone;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.slipway.messaging.RecordKeys;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1DaemonSet;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1NetworkPolicy;
import io.kubernetes.client.openapi.models.V1PersistentVolumeClaim;
import io.kubernetes.client.openapi.models.V1PodDisruptionBudget;
import io.kubernetes.client.openapi.models.V1Service;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.yaml.snakeyaml.Yaml;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

import static org.assertj.core.api.Assertions.assertThat;

/** Checks the Kubernetes and compose files against their schemas and against the settings of the platform. */
class DeploymentFilesTest {
    private static final Path ROOT = Path.of("../..");
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Pattern DIRECTORY = Pattern.compile("\"(SLIPWAY_[A-Z_]+_DIRECTORY)\"");

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
            var container = container(deployment);
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
                    .map(DeploymentFilesTest::container)
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
            var container = container(deployment);
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

    /** A home is lost with its pod, so everything that a setting stores elsewhere must be on a claimed volume or come from a secret. */
    @ParameterizedTest
    @ValueSource(strings = {"slipway.yaml", "slipway-separate.yaml"})
    void directorySettings_areOnVolumesThatOutliveThePod(String file) throws Exception {
        var claims = ofKind("infra/kubernetes/" + file, "PersistentVolumeClaim").keySet();
        var checked = new TreeSet<String>();
        for (var deployment : ofKind("infra/kubernetes/" + file, "Deployment").values()) {
            var environment = environment(container(deployment));
            for (var setting : directorySettings(environment.get("SLIPWAY_SERVICES"))) {
                assertThat(environment).containsKey(setting);
                var volume = volumeOf(deployment, environment.get(setting));
                assertThat(volume.keySet())
                        .as(setting)
                        .containsAnyOf("persistentVolumeClaim", "secret", "projected")
                        .doesNotContain("emptyDir");
                if (volume.has("persistentVolumeClaim")) {
                    assertThat(claims)
                            .contains(at(volume, "persistentVolumeClaim", "claimName")
                                    .getAsString());
                }
                checked.add(setting);
            }
        }
        assertThat(checked)
                .contains(
                        "SLIPWAY_TENANT_DUMP_DIRECTORY", "SLIPWAY_EVIDENCE_DIRECTORY", "SLIPWAY_RECORD_KEYS_DIRECTORY");
    }

    @ParameterizedTest
    @ValueSource(strings = {"slipway.yaml", "slipway-separate.yaml"})
    void everyDeployment_connectsToKafkaAsAPrincipalOfItsOwn(String file) throws Exception {
        var secrets = new TreeSet<String>();
        for (var deployment : ofKind("infra/kubernetes/" + file, "Deployment").values()) {
            var volume = volumeOf(deployment, environment(container(deployment)).get("SLIPWAY_KAFKA_CLIENT_FILE"));
            assertThat(secrets.add(at(volume, "secret", "secretName").getAsString()))
                    .isTrue();
        }
    }

    /** The commands in the comments create everything that the deployments refer to, and nothing else. */
    @ParameterizedTest
    @ValueSource(strings = {"slipway.yaml", "slipway-separate.yaml"})
    void commandsOfTheHeader_createTheReferencedSecretsAndConfigMaps(String file, @TempDir Path keys) throws Exception {
        var created = createdByHeader("infra/kubernetes/" + file);
        var referenced = new TreeSet<String>();
        var signers = signers(keys);
        for (var deployment : ofKind("infra/kubernetes/" + file, "Deployment").values()) {
            referenced.addAll(references(deployment, signers));
        }
        if (file.equals("slipway-separate.yaml")) {
            // Its header refers to the other file for the secret and the config map of this name.
            createdByHeader("infra/kubernetes/slipway.yaml").stream()
                    .filter(key -> key.matches("(secret|configmap) slipway .*"))
                    .forEach(created::add);
        }
        assertThat(created).isEqualTo(referenced);
    }

    @Test
    void prometheus_scrapesEveryProcessOfTheComposeFile() throws IOException {
        var services =
                at(resources("compose/docker-compose.yaml").get(0), "services").getAsJsonObject().entrySet().stream()
                        .filter(service ->
                                at(service.getValue(), "image").getAsString().equals("slipway:latest"))
                        .map(service -> service.getKey() + ":8081")
                        .toList();
        var targets = new TreeSet<String>();
        at(resources("compose/prometheus.yaml").get(0), "scrape_configs")
                .getAsJsonArray()
                .forEach(job -> at(job, "static_configs").getAsJsonArray().forEach(group -> at(group, "targets")
                        .getAsJsonArray()
                        .forEach(it -> targets.add(it.getAsString()))));
        assertThat(services).contains("process-adapter:8081");
        assertThat(targets).containsExactlyInAnyOrderElementsOf(services);
    }

    /** All files that name an image of Kafka or PostgreSQL use the version that the tests embed. */
    @Test
    void images_haveTheTestedVersions() throws IOException {
        var kafka = first("(?m)^kafka = \"([^\"]+)\"", "gradle/libs.versions.toml");
        var postgres = first("(?m)^postgresBinaries = \"([0-9]+)", "gradle/libs.versions.toml");
        var containerTests = "services/standalone/src/containerTest/java/dev/slipway/standalone/container/";
        for (var file : List.of(
                "compose/docker-compose.yaml",
                "libs/testkit/src/main/java/dev/slipway/testkit/TestInfrastructure.java",
                containerTests + "ComposeTest.java",
                containerTests + "TestInfrastructureTest.java")) {
            assertThat(all("apache/kafka:([0-9.]+)", file))
                    .as(file)
                    .isNotEmpty()
                    .containsOnly(kafka);
            assertThat(all("[ \"]postgres:([0-9.]+)", file))
                    .as(file)
                    .isNotEmpty()
                    .containsOnly(postgres);
        }
        assertThat(first("PostgreSQL \\| tested with ([0-9]+)", "docs/production.md"))
                .isEqualTo(postgres);
        assertThat(kafka).startsWith(first("Kafka \\| tested with ([0-9.]+[0-9])", "docs/production.md"));
    }

    /** Returns the settings of directories that the services or their libraries read. */
    private static Set<String> directorySettings(String services) throws IOException {
        var settings = new TreeSet<String>();
        var folders = new ArrayList<>(List.of("services/standalone"));
        for (var service : services.split(",", -1)) {
            folders.add("services/" + service);
        }
        for (var folder : folders) {
            try (var sources = Files.walk(ROOT.resolve(folder).resolve("src/main/java"))) {
                for (var source : sources.filter(Files::isRegularFile).toList()) {
                    DIRECTORY
                            .matcher(Files.readString(source))
                            .results()
                            .forEach(result -> settings.add(result.group(1)));
                }
            }
        }
        return settings;
    }

    /** Returns "kind name key" for each key that the commands in the comments at the top create. */
    private static Set<String> createdByHeader(String file) throws IOException {
        var header = Files.readString(ROOT.resolve(file)).split("(?m)^apiVersion", 2)[0];
        // A loop of the shell becomes its body, once per value.
        var commands = Pattern.compile("for service in ([a-z ]+); do (.*?)(; done)")
                .matcher(header)
                .replaceAll(loop -> Arrays.stream(loop.group(1).split(" ", -1))
                        .map(service -> loop.group(2).replace("$service", service))
                        .collect(Collectors.joining(" ")));
        var created = new TreeSet<String>();
        for (var command : commands.split("kubectl create ", -1)) {
            var words = Pattern.compile("^(secret|configmap)(?: generic)? ([a-z-]+) ")
                    .matcher(command);
            if (words.find()) {
                Pattern.compile("--from-(?:literal|file)=([a-z.-]+)")
                        .matcher(command)
                        .results()
                        .forEach(key -> created.add(words.group(1) + " " + words.group(2) + " " + key.group(1)));
            }
        }
        return created;
    }

    /** Returns "kind name key" for each key that a deployment reads as a variable or as a file. */
    private static Set<String> references(JsonElement deployment, List<String> signers) {
        var references = new TreeSet<String>();
        for (var variable : at(container(deployment), "env").getAsJsonArray()) {
            var source = variable.getAsJsonObject().getAsJsonObject("valueFrom");
            for (var kind : List.of("secret", "configMap")) {
                if (source != null && source.has(kind + "KeyRef")) {
                    var key = at(source, kind + "KeyRef");
                    references.add(kind.toLowerCase(Locale.ROOT) + " "
                            + at(key, "name").getAsString() + " "
                            + at(key, "key").getAsString());
                }
            }
        }
        var environment = environment(container(deployment));
        environment.forEach((name, value) -> {
            if (name.endsWith("_FILE")) {
                var secret = at(volumeOf(deployment, value), "secret", "secretName");
                references.add("secret " + secret.getAsString() + " "
                        + Path.of(value).getFileName().toString());
            }
        });
        references.addAll(recordKeys(deployment, environment, signers));
        return references;
    }

    /** Returns the services that need a private key to sign records: those for which one is created in an empty directory. */
    private static List<String> signers(Path empty) throws IOException {
        var unused = RecordKeys.open(empty, StandaloneConfig.SERVICES);
        try (var files = Files.list(empty)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".key"))
                    .map(name -> name.substring(0, name.length() - ".key".length()))
                    .sorted()
                    .toList();
        }
    }

    /** A process needs the public keys of all services that sign records, and the private ones of those that it runs. */
    private static Set<String> recordKeys(
            JsonElement deployment, Map<String, String> environment, List<String> signers) {
        var keys = new TreeSet<String>();
        var volume = volumeOf(deployment, environment.get("SLIPWAY_RECORD_KEYS_DIRECTORY"));
        var together = volume.has("secret");
        var mounted = volume.toString();
        for (var service : signers) {
            keys.add((together ? "secret" : "configmap") + " slipway-record-keys " + service + ".pub");
            if (List.of(environment.get("SLIPWAY_SERVICES").split(",", -1)).contains(service)) {
                var secret = together ? "slipway-record-keys" : "slipway-record-key-" + service;
                assertThat(mounted).contains('"' + secret + '"');
                keys.add("secret " + secret + " " + service + ".key");
            }
        }
        assertThat(mounted).contains("\"slipway-record-keys\"");
        return keys;
    }

    private static JsonElement container(JsonElement deployment) {
        return at(deployment, "spec", "template", "spec", "containers")
                .getAsJsonArray()
                .get(0);
    }

    /** Returns the volume that the path is on. Fails if it is on none. */
    private static JsonObject volumeOf(JsonElement deployment, String path) {
        for (var mount : at(container(deployment), "volumeMounts").getAsJsonArray()) {
            if (Path.of(path).startsWith(at(mount, "mountPath").getAsString())) {
                for (var volume :
                        at(deployment, "spec", "template", "spec", "volumes").getAsJsonArray()) {
                    if (at(volume, "name").equals(at(mount, "name"))) {
                        return volume.getAsJsonObject();
                    }
                }
            }
        }
        throw new AssertionError(path + " is on no volume");
    }

    private static void validate(JsonElement resource) throws IOException {
        var kind = at(resource, "kind").getAsString();
        switch (kind) {
            case "Deployment" -> V1Deployment.validateJsonElement(resource);
            case "DaemonSet" -> V1DaemonSet.validateJsonElement(resource);
            case "Service" -> V1Service.validateJsonElement(resource);
            case "ConfigMap" -> V1ConfigMap.validateJsonElement(resource);
            case "PersistentVolumeClaim" -> V1PersistentVolumeClaim.validateJsonElement(resource);
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
        return all(pattern, file).get(0);
    }

    private static List<String> all(String pattern, String file) throws IOException {
        return Pattern.compile(pattern)
                .matcher(Files.readString(ROOT.resolve(file)))
                .results()
                .map(result -> result.group(1))
                .toList();
    }
}
