package dev.slipway.tenants.deployment;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Migrates real tables along many random histories of definitions. */
class MigrationEvolutionSoakTest {
    private static final int HISTORIES = Integer.getInteger("slipway.soak.histories", 20);
    private static final int STEPS = 25;

    @ParameterizedTest
    @ValueSource(strings = {"isolated_db", "isolated_schema", "shared_schema"})
    void migrate_givesTheSchemaOfAFreshDeployment_andRollbackTheEarlierOne(String isolationLevel) {
        try (var fixture = new DeploymentFixture()) {
            var history = new MigrationHistory(fixture, isolationLevel);
            for (var seed = 0; seed < HISTORIES; seed++) {
                history.assertMigrates(seed, STEPS);
            }
        }
    }
}
