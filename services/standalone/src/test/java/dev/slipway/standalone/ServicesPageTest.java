package dev.slipway.standalone;

import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.testkit.ArchitectureRules;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

/** Checks docs/services.md against the code, contracts, metrics, alerts and tests that it names. */
class ServicesPageTest {
    private static final Path ROOT = Path.of("../..");
    private static final Pattern QUOTED = Pattern.compile("`([^`]+)`");
    private static final Pattern LINK = Pattern.compile("\\]\\(([^)#]+)\\)");
    private static final Pattern BENCHMARK = Pattern.compile("\"([^\"]+)\"");
    private static final Pattern OPERATION = Pattern.compile("operationId: (\\w+)");
    private static final Pattern SERVED = Pattern.compile("\\.serve(?:OnEveryLoop)?\\(\\s*\"(\\w+)\"");
    private static final List<String> ROWS = List.of(
            "Owner",
            "Owns",
            "Contract",
            "When it fails",
            "Target",
            "Shown by",
            "Tested by",
            "Read on",
            "Deployed apart");
    /** Adapters are not services: they are run by the operator of the runtime. */
    private static final Set<String> SERVICES = StandaloneConfig.SERVICES.stream()
            .filter(name -> !name.endsWith("-adapter"))
            .collect(Collectors.toSet());

    private final String page = read("docs/services.md");
    private final Map<String, Map<String, String>> services = services(page);

    @Test
    void services_haveOwnerContractFailureBehaviourTargetAndEvidence_thatExist() {
        var tests = tests();
        assertThat(services.keySet()).isEqualTo(SERVICES);
        services.forEach((service, rows) -> {
            assertThat(rows.keySet()).as(service).containsExactlyElementsOf(ROWS);
            assertThat(rows.values()).as(service).noneMatch(String::isBlank);
            assertOwned(service, quoted(rows.get("Owner")));
            assertThat(tests).as(service).containsAll(quoted(rows.get("Tested by")));
            assertThat(quoted(rows.get("Shown by"), "slipway_|vertx_"))
                    .as(service)
                    .isNotEmpty();
            assertThat(quoted(rows.get("Shown by"), "Slipway"))
                    .as(service)
                    .isNotEmpty()
                    .allMatch(alert -> read("infra/alerts.yaml").contains("alert: " + alert + "\n"));
            assertThat(all(BENCHMARK, rows.get("Target"))).as(service).allMatch(row -> read("docs/benchmarks.md")
                    .contains("| " + row));
        });
        assertThat(all(LINK, page))
                .allMatch(link -> Files.exists(ROOT.resolve("docs").resolve(link)));
        var codes = Arrays.stream(ErrorCode.values()).map(ErrorCode::code).toList();
        var settings = read("README.md");
        for (var name : quoted(page)) {
            if (name.startsWith("SLIPWAY_")) {
                assertThat(settings).contains("`" + name + "`");
            } else if (name.matches("[a-z]+(_[a-z]+)+|timeout") && !name.matches("(slipway|vertx)_.*")) {
                assertThat(codes).contains(name);
            }
        }
    }

    /** Each file of the contract is served by exactly one service. */
    @Test
    @Proves("3.92")
    void services_shareOnlyContracts() {
        var claimed = new ArrayList<String>();
        services.forEach((service, rows) -> {
            var contract = quoted(rows.get("Contract"));
            var served = served(service);
            for (var file : openApi()) {
                if (contract.contains(file)) {
                    claimed.add(file);
                    assertThat(served).as("%s serves %s", service, file).containsAnyElementsOf(operations(file));
                } else {
                    assertThat(served)
                            .as("%s serves nothing of %s", service, file)
                            .doesNotContainAnyElementsOf(operations(file));
                }
            }
            assertThat(contract).as("%s lists the topics it writes", service).containsAll(written(service));
            contract.stream().filter(name -> !claimed.contains(name)).forEach(topic -> assertThat(
                            read("schemas/asyncapi/slipway.yaml"))
                    .contains("address: " + topic + "\n"));
        });
        assertThat(claimed).doesNotHaveDuplicates().containsExactlyInAnyOrderElementsOf(openApi());
        var classes = ArchitectureRules.production("dev.slipway");
        for (var service : SERVICES) {
            noClasses()
                    .that()
                    .resideOutsideOfPackages("dev.slipway." + service + "..", "dev.slipway.standalone..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAPackage("dev.slipway." + service + "..")
                    .as("only the module that starts it uses a class of " + service)
                    .check(classes);
        }
    }

    /** A service that the deployment files run separately needs a decision with the reason. */
    @Test
    @Proves("3.93")
    void deploymentFiles_runAllServicesInOneProcess_unlessADecisionExists() throws IOException {
        try (var modules = Files.list(ROOT.resolve("services"))) {
            assertThat(modules.filter(module -> Files.exists(module.resolve("build.gradle")))
                            .map(module -> module.getFileName().toString())
                            .filter(module -> !module.endsWith("-adapter") && !module.equals("standalone")))
                    .containsExactlyInAnyOrderElementsOf(SERVICES);
        }
        var separate = new TreeSet<String>();
        services.forEach((service, rows) -> {
            if (!rows.get("Deployed apart").equals("no")) {
                separate.add(service);
                assertThat(all(LINK, rows.get("Deployed apart")))
                        .as("%s is deployed separately: the decision with the reason", service)
                        .anyMatch(link -> link.startsWith("adr/"));
            }
        });
        for (var file : List.of("infra/kubernetes/slipway.yaml", "compose/docker-compose.yaml")) {
            var deployed = all(Pattern.compile("SLIPWAY_SERVICES(?:, value)?: '?([a-z,-]+)"), read(file)).stream()
                    .map(value -> List.of(value.split(",")))
                    .filter(value -> !value.equals(List.of("process-adapter")))
                    .toList();
            assertThat(deployed)
                    .as("%s runs the platform once, and once more for each separately deployed service", file)
                    .hasSize(1 + separate.size())
                    .anySatisfy(value -> assertThat(value)
                            .containsAll(SERVICES.stream()
                                    .filter(name -> !separate.contains(name))
                                    .toList()));
        }
    }

    /** Checks that the products registry names the owner, and that the product has actions. */
    private static void assertOwned(String service, List<String> owner) {
        var products =
                Json.parseTrusted(read("schemas/registries/products.json").getBytes(StandardCharsets.UTF_8));
        var actions = read("schemas/registries/actions.json");
        assertThat(owner).as(service).hasSizeGreaterThan(1);
        for (var product : owner.subList(1, owner.size())) {
            assertThat(StreamSupport.stream(products.spliterator(), false)
                            .filter(entry -> entry.path("id").asText().equals(product)))
                    .as("%s is registered as %s", service, product)
                    .singleElement()
                    .satisfies(entry -> {
                        assertThat(entry.path("owner").asText()).isEqualTo(owner.get(0));
                        assertThat(entry.path("lifecycle").asText()).isEqualTo("active");
                    });
            assertThat(actions).contains("\"product\": \"" + product + "\"");
        }
    }

    /** Returns the names of all test classes. */
    private static Set<String> tests() {
        var found = new TreeSet<String>();
        for (var folder : List.of("libs", "services")) {
            try (var files = Files.find(ROOT.resolve(folder), 12, (file, is) -> file.toString()
                    .matches(".*/src/(test|\\w+Test)/java/.*Test\\.java"))) {
                files.forEach(file -> found.add(file.getFileName().toString().replace(".java", "")));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return found;
    }

    private static Set<String> served(String service) {
        var found = new TreeSet<String>();
        try (var files = Files.walk(ROOT.resolve("services/" + service + "/src/main/java"))) {
            files.filter(Files::isRegularFile)
                    .forEach(file ->
                            found.addAll(all(SERVED, read(ROOT.relativize(file).toString()))));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return found;
    }

    private static List<String> operations(String file) {
        return all(OPERATION, read("schemas/openapi/" + file));
    }

    /** Returns the contract files that define operations. */
    private static List<String> openApi() {
        try (var files = Files.list(ROOT.resolve("schemas/openapi"))) {
            return files.map(file -> file.getFileName().toString())
                    .filter(file -> !operations(file).isEmpty())
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the topics that the service writes according to the contract. */
    private static List<String> written(String service) {
        var channels = Pattern.compile("address: ([a-z.]+)\\n(?:(?!address:)[\\s\\S])*?x-writers: (\\w+)");
        return channels.matcher(read("schemas/asyncapi/slipway.yaml"))
                .results()
                .filter(channel -> channel.group(2).equals(service))
                .map(channel -> channel.group(1))
                .toList();
    }

    private static Map<String, Map<String, String>> services(String page) {
        var found = new LinkedHashMap<String, Map<String, String>>();
        for (var section : page.split("(?m)^## ", -1)) {
            if (section.contains("\n| Owner |")) {
                var rows = new LinkedHashMap<String, String>();
                Pattern.compile("(?m)^\\| ([A-Z][^|]+) \\| (.+) \\|$")
                        .matcher(section)
                        .results()
                        .forEach(row -> rows.put(row.group(1), row.group(2)));
                found.put(section.lines().findFirst().orElseThrow(), rows);
            }
        }
        return found;
    }

    /** Returns the texts between backquotes. */
    private static List<String> quoted(String text) {
        return all(QUOTED, text);
    }

    /** Returns the texts between backquotes with the given beginning. */
    private static List<String> quoted(String text, String beginning) {
        var begins = Pattern.compile("^(?:" + beginning + ")");
        return quoted(text).stream().filter(word -> begins.matcher(word).find()).toList();
    }

    private static List<String> all(Pattern pattern, String text) {
        return pattern.matcher(text)
                .results()
                .map((MatchResult match) -> match.group(1))
                .toList();
    }

    private static String read(String file) {
        try {
            return Files.readString(ROOT.resolve(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
