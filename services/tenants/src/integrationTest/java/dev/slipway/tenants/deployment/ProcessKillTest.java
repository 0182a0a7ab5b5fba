package dev.slipway.tenants.deployment;

import dev.slipway.tenants.deployment.KillScenarios.Phase;
import dev.slipway.tenants.tenant.domain.ProvisioningStep.Name;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;

/** Kills a real process with SIGKILL at some points; {@code ProcessKillSoakTest} does it at all of them. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ProcessKillTest {
    private KillScenarios scenarios;

    @BeforeAll
    void start(@TempDir Path directory) {
        scenarios = new KillScenarios(directory);
    }

    @AfterAll
    void stop() {
        scenarios.close();
    }

    @Test
    void provisioning_continues_whenTheDatabaseWasCreatedAndNotRecorded() {
        scenarios.provision("isolated_db", Name.CREATE_DATABASE, Phase.END);
    }

    @Test
    void deployment_becomesReady_whenTheMigrationWasCommittedAndNotRecorded() {
        scenarios.deploy("isolated_schema", "migrating", Phase.END);
    }

    @Test
    void rollback_ends_whenItWasCommittedAndNotRecorded() {
        scenarios.rollBack("shared_schema", Phase.END);
    }
}
