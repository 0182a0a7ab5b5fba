package dev.slipway.standalone;

import dev.slipway.testkit.ArchitectureRules;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

/** Apps, runtimes and those who run them meet the platform through its contract; no service knows one of them by name. */
class NoAppIsSpecialTest {
    private static final List<String> SERVICES = List.of("gateway", "iam", "catalog", "instances", "audit", "metering");
    private static final Pattern NAMED_APP = Pattern.compile(
            "\\b(slurm\\w*|sbatch|squeue|rke2|k8s|kubernetes|ray|lsf|pbs|scheduler|jupyter\\w*|vllm|" + Demo.APP
                    + ")\\b",
            Pattern.CASE_INSENSITIVE);

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
    @Proves("2.75")
    void noAdapter_canReachADatabase_norAService() {
        noClasses()
                .that()
                .resideInAnyPackage("dev.slipway.processadapter..", "dev.slipway.adapter..")
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
                .check(ArchitectureRules.production("dev.slipway.processadapter", "dev.slipway.adapter"));
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
