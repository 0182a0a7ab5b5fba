package dev.slipway.metering;

import dev.slipway.testkit.ArchitectureRules;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

import java.nio.file.Path;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

class MeteringBoundariesTest {
    @TestFactory
    Stream<DynamicTest> service_respectsBoundaries() {
        return ArchitectureRules.ofService("dev.slipway.metering");
    }

    @Test
    @Proves("2.22")
    void handlers_doNotContainRoleNames() {
        assertThat(ArchitectureRules.findRoleNames(Path.of("src/main/java"))).isEmpty();
    }
}
