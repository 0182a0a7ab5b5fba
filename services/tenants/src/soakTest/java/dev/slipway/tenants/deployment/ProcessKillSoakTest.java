package dev.slipway.tenants.deployment;

import dev.slipway.tenants.deployment.KillScenarios.Phase;
import dev.slipway.tenants.tenant.domain.ProvisioningStep.Name;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Kills a process with SIGKILL at every step of provisioning, deployment, rollback and destruction. {@code slipway.soak.levels} chooses levels. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ProcessKillSoakTest {
    private static final List<String> LEVELS =
            List.of(System.getProperty("slipway.soak.levels", "isolated_db,isolated_schema,shared_schema")
                    .split(","));
    private static final List<String> STATUSES = List.of("validating", "diffing", "migrating", "registering");

    private KillScenarios scenarios;

    @BeforeAll
    void start(@TempDir Path directory) {
        scenarios = new KillScenarios(directory);
    }

    @AfterAll
    void stop() {
        scenarios.close();
    }

    @TestFactory
    Stream<DynamicTest> provisioning_continues() {
        return LEVELS.stream().flatMap(level -> Stream.of(Name.values()).flatMap(step -> Stream.of(Phase.values())
                .map(phase -> DynamicTest.dynamicTest(
                        level + " " + step + " " + phase, () -> scenarios.provision(level, step, phase)))));
    }

    @TestFactory
    Stream<DynamicTest> deployment_becomesReady() {
        return LEVELS.stream().flatMap(level -> STATUSES.stream().flatMap(status -> Stream.of(Phase.values())
                .map(phase -> DynamicTest.dynamicTest(
                        level + " " + status + " " + phase, () -> scenarios.deploy(level, status, phase)))));
    }

    @TestFactory
    Stream<DynamicTest> index_isBuiltAgain() {
        return LEVELS.stream().map(level -> DynamicTest.dynamicTest(level, () -> scenarios.buildIndex(level)));
    }

    @TestFactory
    Stream<DynamicTest> rollback_ends() {
        return LEVELS.stream().flatMap(level -> Stream.of(Phase.values())
                .map(phase -> DynamicTest.dynamicTest(level + " " + phase, () -> scenarios.rollBack(level, phase))));
    }

    @TestFactory
    Stream<DynamicTest> destruction_ends() {
        return LEVELS.stream()
                .flatMap(level -> Stream.of(
                        DynamicTest.dynamicTest(
                                level + " dump", () -> scenarios.destroy(level, "INSERT", "tenant_dumps")),
                        DynamicTest.dynamicTest(
                                level + " delete", () -> scenarios.destroy(level, "DELETE", "tenants"))));
    }
}
