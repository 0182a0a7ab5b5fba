package dev.slipway.tenants;

import dev.slipway.testkit.ArchitectureRules;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

import java.nio.file.Path;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

class TenantsBoundariesTest {
    private static final String ROOT = "dev.slipway.tenants";

    /** As of every service, except that this one also has SQL where it creates and connects to databases of tenants. */
    @TestFactory
    Stream<DynamicTest> service_respectsBoundaries() {
        return ArchitectureRules.tests(
                ArchitectureRules.production(ROOT),
                ArchitectureRules.pureDomain(),
                ArchitectureRules.noClockInDomain(),
                ArchitectureRules.sqlOnlyIn(
                        "Store",
                        "Verticle",
                        "AdminConnections",
                        "TenantDatabases",
                        "TenantProvisioner",
                        "TenantAccess",
                        "TenantExporter",
                        "MigrationExecutor",
                        "TenantPools",
                        "TenantRouter"),
                ArchitectureRules.columnsByName(),
                ArchitectureRules.kafkaOnlyIn(),
                ArchitectureRules.noBlockingCalls(),
                ArchitectureRules.aggregatesDependOnlyOnDomains(ROOT),
                ArchitectureRules.noCycles(ROOT),
                ArchitectureRules.plainNames(),
                ArchitectureRules.environmentOnlyInMain(),
                ArchitectureRules.oneEnumText());
    }

    @Test
    void handlers_doNotContainRoleNames() {
        assertThat(ArchitectureRules.findRoleNames(Path.of("src/main/java"))).isEmpty();
    }
}
