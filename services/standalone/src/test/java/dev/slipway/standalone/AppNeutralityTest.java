package dev.slipway.standalone;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import dev.slipway.contract.ApiOperation;
import dev.slipway.contract.ApiOperation.Scope;
import dev.slipway.contract.Contract;
import dev.slipway.contract.EventSchemas;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem.FieldProblem;
import dev.slipway.contract.RoleRegistry;
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

/** The platform has no code for a specific app, runtime or adapter: they use its contract. */
class AppNeutralityTest {
    private static final List<String> SERVICES =
            List.of("gateway", "iam", "catalog", "instances", "audit", "metering", "tenants");
    private static final Pattern NAMED_APP = Pattern.compile(
            "\\b(slurm\\w*|sbatch|squeue|rke2|k8s|kubernetes|ray|lsf|pbs|scheduler|jupyter\\w*|vllm|" + DemoData.APP
                    + ")\\b",
            Pattern.CASE_INSENSITIVE);
    private static final Pattern VENDOR =
            Pattern.compile("(?i)slurm|sbatch|rke2|k8s|kubernetes|\\bray\\b|\\blsf\\b|\\bpbs\\b");
    private static final Pattern MACHINES = Pattern.compile(
            "(?i)\\b(maas|ipmi|bmc|pxe|redfish|pty|tty|xterm|hypervisor|rack)\\b|terminal(s|session)\\b");
    private static final String HTTP_CLIENTS =
            "io\\.vertx\\.core\\.http\\.HttpClient.*|io\\.vertx\\.ext\\.web\\.client\\..*|java\\.net\\.http\\..*|java\\.net\\.URLConnection";
    /** The adapter and SDK of this repository; third parties could write them. */
    private static final JavaClasses INTEGRATIONS =
            ArchitectureRules.production("dev.slipway.processadapter", "dev.slipway.adapter");

    @Test
    @Proves("2.21")
    void servicesAndTheirLibraries_doNotNameAppsOrRuntimes() throws IOException {
        var folders =
                new ArrayList<>(SERVICES.stream().map(name -> "../" + name).toList());
        for (var library : List.of("contract", "service", "operations", "messaging", "authz", "policy")) {
            folders.add("../../libs/" + library);
        }
        for (var folder : folders) {
            for (var file : files(folder + "/src/main/java")) {
                assertThat(NAMED_APP.matcher(Files.readString(file)).results().map(match -> match.group()))
                        .as("%s: the specifics of an app belong in its manifest and its adapter", file)
                        .isEmpty();
            }
        }
        assertThat(NAMED_APP.matcher("if (backend.equals(\"slurm\"))").find()).isTrue();
    }

    @Test
    @Proves({"1.15", "2.75"})
    void adapters_doNotDependOnDatabasesOrServices() {
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
                        "dev.slipway.metering..",
                        "dev.slipway.tenants..")
                .check(INTEGRATIONS);
        // An adapter knows only the addresses of the API and the broker.
        assertThat(INTEGRATIONS.get("dev.slipway.adapter.AdapterConfig").getFields())
                .extracting(JavaField::getName)
                .contains("baseUrl", "kafkaBootstrap")
                .noneMatch(name -> name.toLowerCase(Locale.ROOT).contains("database"));
    }

    /** The bundled adapter uses the SDK and its dependencies, like an adapter of a third party. */
    @Test
    @Proves("2.72")
    void bundledAdapter_dependsOnTheSdkOnly() {
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

    /** Adapters use commands and reports on Kafka and the API. The event bus is internal. */
    @Test
    @Proves("C.13")
    void adapters_useCommandsAndReportsWithPublishedSchemas_butNotTheEventBus() throws IOException {
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
                    .as("%s: topics that adapters write to", file)
                    .allMatch("RUNTIME_REPORTS"::equals);
            said.matcher(Files.readString(file)).results().forEach(type -> {
                assertThat(published).contains(type.group(1) + ".v1");
                assertThat(asyncApi).contains(type.group(1) + ":");
            });
        }
        assertThat(asyncApi).doesNotContainPattern("(?i)event.?bus|hazelcast");
        assertThat(Contract.load().document().toString()).doesNotContainPattern("(?i)event.?bus|hazelcast");
    }

    /** Only the gateway sends requests to services. Services learn about changes from topics. */
    @Test
    @Proves("1.13")
    void services_doNotCallEachOther() {
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
                .as("the rule finds the caller")
                .isTrue();
        noClasses()
                .that()
                .resideOutsideOfPackages("dev.slipway.catalog.artifact.source..", "dev.slipway.iam.issuer..")
                .and()
                .doNotHaveSimpleName("WitnessClient")
                .should()
                .dependOnClassesThat()
                .haveNameMatching(HTTP_CLIENTS)
                .as("only artifact registries, token issuers and witnesses of the audit log are called by HTTP")
                .check(services);
    }

    /** Endpoints of an instance are data. The platform forwards no request to them. */
    @Test
    @Proves("2.16")
    void api_consistsOfTheContract_andCallsNoAdapter() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .haveNameMatching(HTTP_CLIENTS)
                .as("the gateway and the instances service call nothing by HTTP")
                .check(ArchitectureRules.production("dev.slipway.gateway", "dev.slipway.instances"));
        var contract = Contract.load();
        var envelope = Json.parseStoredObject(
                "{'code': 'not_found', 'message': 'x', 'correlation_id': 'x', 'details': {}}".replace('\'', '"'));
        assertThat(contract.operations()).isNotEmpty().allSatisfy(apiOperation -> {
            assertThat(apiOperation.path())
                    .matches("(/api/v1/|/\\.well-known/).*")
                    .doesNotContain("*");
            for (var status : List.of(400, 404, 409, 500, 503)) {
                var problems = new ArrayList<FieldProblem>();
                contract.responseValidator(apiOperation.id(), status).validate(envelope, problems);
                assertThat(problems).isEmpty();
                contract.responseValidator(apiOperation.id(), status)
                        .validate(Json.object().put("error", "x"), problems);
                assertThat(problems).isNotEmpty();
            }
        });
    }

    @Test
    @Proves("0.03")
    void instances_haveProjectScopedPathsOnly() {
        var collection = "/projects/{project_id}/app-instances";
        var ofInstances = Contract.load().operations().stream()
                .filter(apiOperation -> apiOperation.path().contains("app-instances")
                        || apiOperation.path().contains("app_instance_id"))
                .toList();

        assertThat(ofInstances)
                .extracting(ApiOperation::id)
                .contains("createAppInstance", "listAppInstances", "getAppInstance", "deleteAppInstance");
        assertThat(ofInstances).allSatisfy(apiOperation -> {
            assertThat(apiOperation.path())
                    .startsWith((apiOperation.isAdminVariant() ? "/api/v1/admin" : "/api/v1") + collection);
            assertThat(apiOperation.scope()).isEqualTo(Scope.PROJECT);
        });
    }

    /** Vendors appear only as values of one field, and apps not at all. */
    @Test
    @Proves("1.18")
    void contract_namesRuntimesOnlyAsValuesOfOneField_andNoApps() {
        var contract = Contract.load();
        var document = contract.document().deepCopy();
        assertThat(document.findValues("runtime_backend")).isNotEmpty();
        document.findParents("runtime_backend").forEach(parent -> ((ObjectNode) parent).remove("runtime_backend"));
        var backend = "RuntimeBackend";
        ((ObjectNode) document.at("/components/schemas")).remove(backend);
        assertThat(names(document)).noneMatch(name -> VENDOR.matcher(name).find());
        assertThat(contract.operations())
                .allSatisfy(apiOperation -> assertThat(apiOperation.path() + apiOperation.action())
                        .doesNotContainPattern(VENDOR)
                        .doesNotContainPattern("\\b" + DemoData.APP + "\\b"));
        var registry = RoleRegistry.load();
        assertThat(registry.actions())
                .noneMatch(action -> VENDOR.matcher(action).find());
        assertThat(registry.roles())
                .noneMatch(role -> NAMED_APP.matcher(role.name()).find());
    }

    /** Returns the names of all fields and the values of all enums. */
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
                        .as("%s: machines belong to products", file)
                        .isEmpty();
            }
        }
        assertThat(Contract.load().operations())
                .extracting(ApiOperation::path)
                .noneMatch(path -> path.matches(".*/(machines|nodes|hosts|terminals|skus|allocations|hardware)(/.*)?"));
        assertThat(MACHINES.matcher("openTerminal(pty)").find()).isTrue();
    }

    /** Migrations run as the owner of one schema and would fail at runtime; this test finds them earlier. */
    @Test
    @Proves("1.104")
    void migrations_doNotNameOtherSchemas() throws IOException {
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
