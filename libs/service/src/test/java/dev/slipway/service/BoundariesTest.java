package dev.slipway.service;

import dev.slipway.testkit.ArchitectureRules;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

import java.util.stream.Stream;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

/** All libraries that a service is built on, as this one brings them along. */
class BoundariesTest {
    private static final String[] LIBRARIES = {
        "dev.slipway.contract",
        "dev.slipway.telemetry",
        "dev.slipway.messaging",
        "dev.slipway.authz",
        "dev.slipway.service"
    };

    @TestFactory
    Stream<DynamicTest> libraries_keepTheirBoundaries() {
        return ArchitectureRules.tests(
                ArchitectureRules.production(LIBRARIES),
                ArchitectureRules.kafkaOnlyIn("dev.slipway.messaging.."),
                ArchitectureRules.nobodyWaits(),
                ArchitectureRules.plainNames(),
                ArchitectureRules.environmentOnlyInMain(),
                ArchitectureRules.noCycles("dev.slipway"),
                noClasses()
                        .that()
                        .resideOutsideOfPackages("dev.slipway.messaging..", "dev.slipway.service..")
                        .should()
                        .dependOnClassesThat()
                        .resideInAnyPackage("io.vertx.sqlclient..", "io.vertx.pgclient..")
                        .as("SQL is in messaging and service"),
                noClasses()
                        .that()
                        .resideInAPackage("dev.slipway.contract..")
                        .should()
                        .dependOnClassesThat()
                        .resideInAnyPackage("io.vertx..", "org.apache.kafka..", "io.opentelemetry..")
                        .as("the contract knows no transport"));
    }
}
