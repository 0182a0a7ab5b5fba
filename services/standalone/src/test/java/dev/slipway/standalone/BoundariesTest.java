package dev.slipway.standalone;

import com.tngtech.archunit.core.domain.JavaClass;
import dev.slipway.testkit.ArchitectureRules;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

import java.nio.file.Path;
import java.util.stream.Stream;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

class BoundariesTest {
    @TestFactory
    Stream<DynamicTest> service_keepsItsBoundaries() {
        return ArchitectureRules.ofService("dev.slipway.standalone");
    }

    /** This module alone knows all services, to start them; what they know of IAM is its contract and the authorization library. */
    @Test
    void noService_dependsOnIam() {
        var services = ArchitectureRules.production("dev.slipway");

        noClasses()
                .that()
                .resideOutsideOfPackages("dev.slipway.iam..", "dev.slipway.standalone..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("dev.slipway.iam..")
                .check(services);
        assertThat(services.stream().map(JavaClass::getPackageName))
                .contains("dev.slipway.iam", "dev.slipway.gateway", "dev.slipway.catalog", "dev.slipway.instances")
                .contains("dev.slipway.audit", "dev.slipway.metering");
    }

    /** These write and show the first bindings there are, before anybody could ask for anything. */
    @Test
    @Proves("2.22")
    void noHandler_readsARolesName() {
        assertThat(ArchitectureRules.roleNamesIn(Path.of("src/main/java"), "Demo.java", "Console.java"))
                .isEmpty();
    }
}
