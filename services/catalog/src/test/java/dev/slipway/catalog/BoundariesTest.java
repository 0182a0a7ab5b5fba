package dev.slipway.catalog;

import dev.slipway.testkit.ArchitectureRules;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

import java.nio.file.Path;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

class BoundariesTest {
    /**
     * Every part looks its ids up in the registries, asks what policy leaves and has its part of the seed; a version has a manifest, and
     * artifacts are read from their sources, with secrets.
     */
    @TestFactory
    Stream<DynamicTest> service_keepsItsBoundaries() {
        return ArchitectureRules.ofService(
                "dev.slipway.catalog",
                "RegistryStore",
                "RegistryEntry",
                "ArtifactSource",
                "ArtifactSources",
                "SourceException",
                "Location",
                "Secrets",
                "CatalogSeed",
                "ManifestCheck",
                "ManifestProblem",
                "PolicyStore",
                "Levels",
                "PolicyJson",
                "Launchability",
                "InstanceCounts");
    }

    /** The type of a statement looks like an address, and is none. */
    @Test
    void noSourceOfArtifacts_isNamedInCode() {
        assertThat(ArchitectureRules.hostNamesIn(Path.of("src/main/java"), "TrustedKeys.java"))
                .isEmpty();
    }

    @Test
    @Proves("2.22")
    void noHandler_readsARolesName() {
        assertThat(ArchitectureRules.roleNamesIn(Path.of("src/main/java"))).isEmpty();
    }
}
