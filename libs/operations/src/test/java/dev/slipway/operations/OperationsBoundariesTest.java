package dev.slipway.operations;

import dev.slipway.testkit.ArchitectureRules;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

import java.util.stream.Stream;

class OperationsBoundariesTest {
    @TestFactory
    Stream<DynamicTest> library_respectsItsBoundaries() {
        return ArchitectureRules.ofService("dev.slipway.operations");
    }
}
