package dev.slipway.standalone;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import dev.slipway.contract.Contract;
import dev.slipway.contract.EventSchemas;
import dev.slipway.contract.Json;
import dev.slipway.contract.Operation;
import dev.slipway.contract.Operation.Scope;
import dev.slipway.contract.Problem.FieldProblem;
import dev.slipway.contract.RoleRegistry;
import dev.slipway.messaging.Topics;
import dev.slipway.testkit.ArchitectureRules;
import dev.slipway.testkit.Proves;
import io.vertx.core.eventbus.EventBus;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

/** Apps, runtimes and those who run them meet the platform through its contract; no service knows one of them by name. */
class NoAppIsSpecialTest {
    private static final List<String> SERVICES = List.of("gateway", "iam", "catalog", "instances", "audit", "metering");
    private static final Pattern NAMED_APP = Pattern.compile(
            "\\b(slurm\\w*|sbatch|squeue|rke2|k8s|kubernetes|ray|lsf|pbs|scheduler|jupyter\\w*|vllm|" + Demo.APP
                    + ")\\b",
            Pattern.CASE_INSENSITIVE);
    private static final Pattern VENDOR =
            Pattern.compile("(?i)slurm|sbatch|rke2|k8s|kubernetes|\\bray\\b|\\blsf\\b|\\bpbs\\b");
    private static final Pattern MACHINES = Pattern.compile(
            "(?i)\\b(maas|ipmi|bmc|pxe|redfish|pty|tty|xterm|hypervisor|rack)\\b|terminal(s|session)\\b");
    private static final String HTTP_CLIENTS =
            "io\\.vertx\\.core\\.http\\.HttpClient.*|io\\.vertx\\.ext\\.web\\.client\\..*|java\\.net\\.http\\..*|java\\.net\\.URLConnection";
    /** What is bundled of what anybody could write. */
    private static final JavaClasses INTEGRATIONS =
            ArchitectureRules.production("dev.slipway.processadapter", "dev.slipway.adapter");

    @Test
    @Proves({"1.19", "2.21"})
    void noService_hasCodeForAnAppOrARuntimeByName() throws IOException {
        for (var service : SERVICES) {
            for (var file : files("../" + service + "/src/main/java")) {
                assertThat(NAMED_APP.matcher(Files.readString(file)).results().map(match -> match.group()))
                        .as("%s: what is special about an app is in its manifest, and in its adapter", file)
                        .isEmpty();
            }
        }
        assertThat(NAMED_APP.matcher("if (backend.equals(\"slurm\"))").find()).isTrue();
    }

    @Test
    @Proves({"1.15", "2.75"})
    void noAdapter_canReachADatabase_norAService() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "io.vertx.sqlclient..",
                        "io.vertx.pgclient..",
                        "java.sql..",
                        "org.flywaydb..",
                        "dev.slipway.service..",
                        "dev.slipway.iam..",
                        "dev.slipway.catalog..",
                        "dev.slipway.instances..",
                        "dev.slipway.audit..",
                        "dev.slipway.metering..")
                .check(INTEGRATIONS);
        // What an adapter is told of the platform is where its API and its broker are.
        assertThat(INTEGRATIONS.get("dev.slipway.adapter.AdapterConfig").getFields())
                .extracting(JavaField::getName)
                .contains("baseUrl", "kafkaBootstrap")
                .noneMatch(name -> name.toLowerCase(Locale.ROOT).contains("database"));
    }

    /** A third party has the SDK; so what the bundled adapter has beside it is Java, Vert.x and what the SDK itself is made of. */
    @Test
    @Proves("2.72")
    void bundledAdapter_isWrittenOnWhatAnybodyHas() {
        classes()
                .that()
                .resideInAPackage("dev.slipway.processadapter..")
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage(
                                "dev.slipway.processadapter..",
                                "dev.slipway.adapter..",
                                "dev.slipway.contract..",
                                "dev.slipway.telemetry..",
                                "dev.slipway.settings..")
                        .or(resideOutsideOfPackage("dev.slipway..")))
                .check(INTEGRATIONS);
    }

    /** Commands and reports on Kafka, and the API: the bus that carries requests between services is nobody's contract. */
    @Test
    @Proves("C.13")
    void adapters_dependOnCommandsAndReports_withPublishedSchemas_andOnNoBus() throws IOException {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.vertx.core.eventbus..", "com.hazelcast..", "dev.slipway.gateway..")
                .check(INTEGRATIONS);
        var published = EventSchemas.load().types();
        var asyncApi = Files.readString(Path.of("../../schemas/asyncapi/slipway.yaml"));
        for (var kind : List.of("deploy", "upgrade", "rollback", "member", "operate", "cancel", "delete")) {
            assertThat(published).contains("runtime.command." + kind + ".v1");
        }
        var topics = Pattern.compile("Topics\\.([A-Z]\\w+)");
        var said = Pattern.compile("\"(runtime\\.(?:command|report)\\.[a-z]+)\"");
        for (var file : files("../../libs/adapter-sdk/src/main/java")) {
            assertThat(topics.matcher(Files.readString(file)).results().map(topic -> topic.group(1)))
                    .as("%s: what adapters write to", file)
                    .allMatch("RUNTIME_REPORTS"::equals);
            said.matcher(Files.readString(file)).results().forEach(type -> {
                assertThat(published).contains(type.group(1) + ".v1");
                assertThat(asyncApi).contains(type.group(1) + ":");
            });
        }
        assertThat(asyncApi).doesNotContainPattern("(?i)event.?bus|hazelcast");
        assertThat(Contract.load().document().toString()).doesNotContainPattern("(?i)event.?bus|hazelcast");
    }

    /** The gateway asks services what users ask; who must know of a change hears it from a topic. */
    @Test
    @Proves("1.13")
    void noService_callsAnother() {
        var services = ArchitectureRules.production(SERVICES.stream()
                .filter(name -> !name.equals("gateway"))
                .map(name -> "dev.slipway." + name)
                .toArray(String[]::new));
        var askNobody = noClasses()
                .should()
                .callMethodWhere(describe(
                        "asks over the bus",
                        (JavaMethodCall call) -> call.getTarget().getOwner().isEquivalentTo(EventBus.class)
                                && Set.of("request", "send", "sender", "publisher")
                                        .contains(call.getTarget().getName())));
        askNobody.check(services);
        assertThat(askNobody
                        .evaluate(ArchitectureRules.production("dev.slipway.gateway"))
                        .hasViolation())
                .as("the rule sees who does")
                .isTrue();
        noClasses()
                .that()
                .resideOutsideOfPackages("dev.slipway.catalog.source..", "dev.slipway.iam.issuer..")
                .should()
                .dependOnClassesThat()
                .haveNameMatching(HTTP_CLIENTS)
                .as("only registries of artifacts and issuers of tokens, which are others', are called by HTTP")
                .check(services);
    }

    /** Whatever stands behind an instance is told as data, and its interfaces are its own: no request is handed on to it. */
    @Test
    @Proves("2.16")
    void api_isTheContractAlone_withOneEnvelopeForErrors_andLeadsToNoAdapter() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .haveNameMatching(HTTP_CLIENTS)
                .as("neither the gateway nor the instances service calls anything by HTTP")
                .check(ArchitectureRules.production("dev.slipway.gateway", "dev.slipway.instances"));
        var contract = Contract.load();
        var envelope = Json.trusted(
                "{'code': 'not_found', 'message': 'x', 'correlation_id': 'x', 'details': {}}".replace('\'', '"'));
        assertThat(contract.operations()).isNotEmpty().allSatisfy(operation -> {
            assertThat(operation.path()).matches("(/api/v1/|/\\.well-known/).*").doesNotContain("*");
            for (var status : List.of(400, 404, 409, 500, 503)) {
                var problems = new ArrayList<FieldProblem>();
                contract.responseCheck(operation.id(), status).check(envelope, problems);
                assertThat(problems).isEmpty();
                contract.responseCheck(operation.id(), status)
                        .check(Json.object().put("error", "x"), problems);
                assertThat(problems).isNotEmpty();
            }
        });
    }

    @Test
    @Proves("0.03")
    void instances_areReachedInTheirProject_andNowhereElse() {
        var collection = "/projects/{project_id}/app-instances";
        var ofInstances = Contract.load().operations().stream()
                .filter(operation -> operation.path().contains("app-instances")
                        || operation.path().contains("app_instance_id"))
                .toList();

        assertThat(ofInstances)
                .extracting(Operation::id)
                .contains("createAppInstance", "listAppInstances", "getAppInstance", "deleteAppInstance");
        assertThat(ofInstances).allSatisfy(operation -> {
            assertThat(operation.path()).startsWith((operation.isTwin() ? "/api/v1/admin" : "/api/v1") + collection);
            assertThat(operation.scope()).isEqualTo(Scope.PROJECT);
        });
    }

    /** Vendors are values of one field; nothing that a path, a field or a grant means depends on one, and no app is named at all. */
    @Test
    @Proves({"1.18", "2.74"})
    void contract_namesRuntimesAsValuesOfOneField_andNoApp() {
        var contract = Contract.load();
        var document = contract.document().deepCopy();
        assertThat(document.findValues("runtime_backend")).isNotEmpty();
        document.findParents("runtime_backend").forEach(parent -> ((ObjectNode) parent).remove("runtime_backend"));
        var backend = "RuntimeBackend";
        ((ObjectNode) document.at("/components/schemas")).remove(backend);
        assertThat(names(document)).noneMatch(name -> VENDOR.matcher(name).find());
        assertThat(contract.operations()).allSatisfy(operation -> assertThat(operation.path() + operation.action())
                .doesNotContainPattern(VENDOR)
                .doesNotContainPattern("\\b" + Demo.APP + "\\b"));
        var registry = RoleRegistry.load();
        assertThat(registry.actions())
                .noneMatch(action -> VENDOR.matcher(action).find());
        assertThat(registry.roles())
                .noneMatch(role -> NAMED_APP.matcher(role.name()).find());
        for (var backendTopic : Topics.RUNTIME_BACKENDS) {
            assertThat(Topics.runtimeCommands(backendTopic)).endsWith("." + backendTopic);
        }
    }

    /** The names of all fields, and all values that could be one of several. */
    private static List<String> names(JsonNode node) {
        var found = new ArrayList<String>();
        node.properties().forEach(field -> {
            found.add(field.getKey());
            if (field.getKey().equals("enum")) {
                field.getValue().forEach(value -> found.add(value.asText()));
            }
        });
        node.forEach(child -> found.addAll(names(child)));
        return found;
    }

    @Test
    @Proves("3.06")
    void platform_hasNoCodeForMachinesTerminalsOrHardware() throws IOException {
        for (var service : SERVICES) {
            for (var file : files("../" + service + "/src/main")) {
                assertThat(MACHINES.matcher(Files.readString(file)).results().map(match -> match.group()))
                        .as("%s: machines are a product's", file)
                        .isEmpty();
            }
        }
        assertThat(Contract.load().operations())
                .extracting(Operation::path)
                .noneMatch(path -> path.matches(".*/(machines|nodes|hosts|terminals|skus|allocations|hardware)(/.*)?"));
        assertThat(MACHINES.matcher("openTerminal(pty)").find()).isTrue();
    }

    /** They run as the owner of the service's schema, so another's could not be touched either: this says it before they run. */
    @Test
    @Proves("1.104")
    void noMigration_namesAnotherSchema() throws IOException {
        var anothers = Pattern.compile("\\b(" + String.join("|", SERVICES) + "|public|pg_catalog)\\.\\w+");
        var seen = 0;
        for (var service : SERVICES) {
            var directory = Path.of("../" + service + "/src/main/resources/db/migration");
            if (Files.exists(directory)) {
                for (var file : files(directory.toString())) {
                    seen++;
                    var statements = Files.readString(file).replaceAll("--.*", "");
                    assertThat(anothers.matcher(statements).results().map(match -> match.group()))
                            .as("%s", file)
                            .isEmpty();
                }
            }
        }
        assertThat(seen).isGreaterThan(20);
    }

    private static List<Path> files(String directory) throws IOException {
        try (var files = Files.walk(Path.of(directory))) {
            return files.filter(Files::isRegularFile).toList();
        }
    }
}
