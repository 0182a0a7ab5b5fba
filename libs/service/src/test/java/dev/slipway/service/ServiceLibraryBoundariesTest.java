package dev.slipway.service;

import dev.slipway.testkit.ArchitectureRules;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

import java.util.stream.Stream;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

/** Boundaries of the libraries that services are built on. */
class ServiceLibraryBoundariesTest {
    private static final String[] LIBRARIES = {
        "dev.slipway.contract",
        "dev.slipway.telemetry",
        "dev.slipway.messaging",
        "dev.slipway.authz",
        "dev.slipway.service"
    };

    @TestFactory
    Stream<DynamicTest> libraries_respectBoundaries() {
        return ArchitectureRules.tests(
                ArchitectureRules.production(LIBRARIES),
                ArchitectureRules.kafkaOnlyIn("dev.slipway.messaging.."),
                ArchitectureRules.columnsByName(),
                ArchitectureRules.noBlockingCalls(),
                ArchitectureRules.plainNames(),
                ArchitectureRules.environmentOnlyInMain(),
                ArchitectureRules.oneEnumText(),
                ArchitectureRules.noCycles("dev.slipway"),
                noClasses()
                        .that()
                        .resideOutsideOfPackages("dev.slipway.messaging..", "dev.slipway.service..")
                        .should()
                        .dependOnClassesThat()
                        .resideInAnyPackage("io.vertx.sqlclient..", "io.vertx.pgclient..")
                        .as("SQL is only in messaging and service"),
                noClasses()
                        .that()
                        .resideInAPackage("dev.slipway.contract..")
                        .should()
                        .dependOnClassesThat()
                        .resideInAnyPackage("io.vertx..", "org.apache.kafka..", "io.opentelemetry..")
                        .as("the contract does not depend on a transport"));
    }
}
