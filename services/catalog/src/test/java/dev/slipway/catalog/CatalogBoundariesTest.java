package dev.slipway.catalog;

import dev.slipway.testkit.ArchitectureRules;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

import java.nio.file.Path;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

class CatalogBoundariesTest {
    @TestFactory
    Stream<DynamicTest> service_followsArchitectureRules() {
        return ArchitectureRules.ofService("dev.slipway.catalog");
    }

    /** The type URI of in-toto statements is not a host. */
    @Test
    void code_namesNoArtifactHost() {
        assertThat(ArchitectureRules.findHostNames(Path.of("src/main/java"), "TrustedKeys.java"))
                .isEmpty();
    }

    @Test
    @Proves("2.22")
    void code_namesNoRole() {
        assertThat(ArchitectureRules.findRoleNames(Path.of("src/main/java"))).isEmpty();
    }
}
