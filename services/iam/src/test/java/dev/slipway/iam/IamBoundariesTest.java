package dev.slipway.iam;

import dev.slipway.testkit.ArchitectureRules;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

import java.nio.file.Path;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

class IamBoundariesTest {
    @TestFactory
    Stream<DynamicTest> service_keepsItsBoundaries() {
        return ArchitectureRules.ofService("dev.slipway.iam");
    }

    @Test
    @Proves("2.22")
    void sources_containNoRoleNames() {
        assertThat(ArchitectureRules.findRoleNames(Path.of("src/main/java"))).isEmpty();
    }
}
