package dev.slipway.standalone;

import com.tngtech.archunit.core.domain.JavaClass;
import dev.slipway.testkit.ArchitectureRules;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

class StandaloneBoundariesTest {
    private static final Set<String> IAM_CONTRACT = Set.of("iam.yaml", "auth.yaml", "decisions.yaml");
    private static final List<String> OTHERS =
            List.of("gateway", "catalog", "instances", "audit", "metering", "tenants");
    private static final Pattern OPERATION = Pattern.compile("operationId: (\\w+)");
    private static final Pattern SERVED = Pattern.compile("\\.serve(?:OnEveryLoop)?\\(\\s*\"(\\w+)\"");

    @TestFactory
    Stream<DynamicTest> service_respectsBoundaries() {
        return ArchitectureRules.ofService("dev.slipway.standalone");
    }

    @Test
    void modules_useOneEnumText() {
        ArchitectureRules.oneEnumText().check(ArchitectureRules.production("dev.slipway"));
    }

    /** Only this module depends on all services. The others use IAM through its contract and the authorization library. */
    @Test
    @Proves({"3.111", "3.119"})
    void services_doNotDependOnIam() throws IOException {
        var services = ArchitectureRules.production("dev.slipway");

        noClasses()
                .that()
                .resideOutsideOfPackages("dev.slipway.iam..", "dev.slipway.standalone..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("dev.slipway.iam..")
                .check(services);
        noClasses()
                .that()
                .resideOutsideOfPackages("dev.slipway.iam..", "dev.slipway.authz..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.vertx.ext.auth..")
                .check(services);
        var contract = "../../schemas/openapi";
        var iams = operationsIn(contract, OPERATION, IAM_CONTRACT::contains);
        assertThat(iams).contains("getMe", "openSession", "decide").doesNotContainAnyElementsOf(servedByOthers());
        assertThat(operationsIn("../iam/src/main/java", SERVED, name -> true))
                .contains("getMe", "openSession", "decide")
                .doesNotContainAnyElementsOf(operationsIn(contract, OPERATION, name -> !IAM_CONTRACT.contains(name)));
        assertThat(services.stream().map(JavaClass::getPackageName))
                .contains("dev.slipway.iam", "dev.slipway.gateway", "dev.slipway.catalog", "dev.slipway.instances")
                .contains("dev.slipway.audit", "dev.slipway.metering", "dev.slipway.tenants");
    }

    /**
     * Other services store replicated users and accounts for reference. Permissions are only in the tables and topics of IAM, and the
     * authorization library reads neither a database nor the network.
     */
    @Test
    @Proves("3.12")
    void iam_ownsPrincipalsRolesBindingsTokensScopesAndDecisions() throws IOException {
        var iams = operationsIn("../../schemas/openapi", OPERATION, IAM_CONTRACT::contains);
        assertThat(iams)
                .contains("getMe", "listProjectUsers", "createServiceAccount", "createSharedRuntimeOperator")
                .contains("createRole", "createProjectRoleBinding", "createOrganizationRoleBinding")
                .contains("exchangeServiceAccountToken", "revokeOwnToken", "rotateSigningKey")
                .contains("listScopes", "registerScope", "retireScope")
                .contains("decide", "explainDecision");
        var tables = Pattern.compile("CREATE TABLE (\\w+)");
        var owned = Pattern.compile(
                "(role|binding|credential|signing_key|revo.*token|revocation|action|scope|group_member|api_key|operator|authz)s?.*");
        assertThat(operationsIn("../iam/src/main/resources/db/migration", tables, name -> true))
                .filteredOn(table -> owned.matcher(table).matches())
                .hasSizeGreaterThan(5);
        for (var service : OTHERS) {
            var migrations = Path.of("../" + service + "/src/main/resources/db/migration");
            if (Files.exists(migrations)) {
                assertThat(operationsIn(migrations.toString(), tables, name -> true))
                        .as(service)
                        .noneMatch(table -> owned.matcher(table).matches());
            }
            assertThat(operationsIn(
                            "../" + service + "/src/main/java",
                            Pattern.compile("publish\\(\\s*Topics\\.(AUTHZ_STATE|IAM_STATE)"),
                            name -> true))
                    .as(service)
                    .isEmpty();
        }
        noClasses()
                .that()
                .resideInAPackage("dev.slipway.authz..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.vertx.sqlclient..", "io.vertx.core.eventbus..", "io.vertx.core.http..")
                .check(ArchitectureRules.production("dev.slipway.authz"));
    }

    private static Set<String> servedByOthers() throws IOException {
        var others = new TreeSet<String>();
        for (var service : OTHERS) {
            others.addAll(operationsIn("../" + service + "/src/main/java", SERVED, name -> true));
        }
        assertThat(others).contains("createAppInstance", "listApps");
        return others;
    }

    /** Returns the first group of every match in the files whose names are accepted. */
    private static Set<String> operationsIn(String directory, Pattern naming, Predicate<String> right)
            throws IOException {
        var found = new TreeSet<String>();
        try (var files = Files.walk(Path.of(directory)).filter(Files::isRegularFile)) {
            for (var file : files.filter(file -> right.test(file.getFileName().toString()))
                    .toList()) {
                naming.matcher(Files.readString(file)).results().forEach(match -> found.add(match.group(1)));
            }
        }
        return found;
    }

    /** Except the demo data, which contains role bindings, and the banner, which shows its tokens. */
    @Test
    @Proves("2.22")
    void handlers_doNotContainRoleNames() {
        assertThat(ArchitectureRules.findRoleNames(Path.of("src/main/java"), "DemoData.java", "ConsoleOutput.java"))
                .isEmpty();
    }
}
