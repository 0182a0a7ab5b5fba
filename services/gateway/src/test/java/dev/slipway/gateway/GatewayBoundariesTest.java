package dev.slipway.gateway;

import dev.slipway.testkit.ArchitectureRules;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

import java.nio.file.Path;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

class GatewayBoundariesTest {
    @TestFactory
    Stream<DynamicTest> service_respectsModuleBoundaries() {
        return ArchitectureRules.ofService("dev.slipway.gateway");
    }

    @Test
    @Proves("2.22")
    void handlers_doNotCompareRoleNames() {
        assertThat(ArchitectureRules.findRoleNames(Path.of("src/main/java"))).isEmpty();
    }
}
