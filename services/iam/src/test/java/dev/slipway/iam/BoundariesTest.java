package dev.slipway.iam;

import dev.slipway.testkit.ArchitectureRules;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

import java.nio.file.Path;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

class BoundariesTest {
    /** Every change of what decisions rest on raises one revision; all kinds of owners have the same credentials, and one mint. */
    @TestFactory
    Stream<DynamicTest> service_keepsItsBoundaries() {
        return ArchitectureRules.ofService(
                "dev.slipway.iam",
                "AuthzRecords",
                "UserStore",
                "IamSeed",
                "Revision",
                "RevisionStore",
                "RevocationStore",
                "Ceiling",
                "Owner",
                "Secrets",
                "CredentialStore",
                "Credential",
                "Credentials",
                "Machine",
                "MachineStore",
                "Machines",
                "SigningKeys",
                "SigningKeyStore",
                "ServiceAccount",
                "ServiceAccountStore",
                "OperatorStore",
                "Adapter",
                "AdapterStore");
    }

    @Test
    @Proves("2.22")
    void noHandler_readsARolesName() {
        assertThat(ArchitectureRules.roleNamesIn(Path.of("src/main/java"))).isEmpty();
    }
}
