package dev.slipway.instances;

import dev.slipway.testkit.ArchitectureRules;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

import java.nio.file.Path;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

class InstancesBoundariesTest {
    @TestFactory
    Stream<DynamicTest> service_keepsItsBoundaries() {
        return ArchitectureRules.ofService("dev.slipway.instances");
    }

    @Test
    @Proves("2.22")
    void noHandler_readsARolesName() {
        assertThat(ArchitectureRules.findRoleNames(Path.of("src/main/java"))).isEmpty();
    }
}
