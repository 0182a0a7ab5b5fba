package dev.slipway.tenants.deployment;

import dev.slipway.contract.Ids;
import dev.slipway.tenants.TenantsFixture;
import dev.slipway.tenants.metadata.domain.FieldDefinition;
import dev.slipway.tenants.metadata.domain.FieldType;
import dev.slipway.tenants.metadata.domain.ObjectDefinition;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/** Migrates real tables along a random history of definitions; the soak test follows more and longer ones. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class MigrationEvolutionTest {
    private static final int STEPS = 5;

    private DeploymentFixture fixture;

    @BeforeAll
    void start() {
        fixture = new DeploymentFixture();
    }

    @AfterAll
    void stop() {
        fixture.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"isolated_schema", "shared_schema"})
    @Proves("4.32")
    void migrate_givesTheSchemaOfAFreshDeployment_andRollbackTheEarlierOne(String isolationLevel) {
        new MigrationHistory(fixture, isolationLevel).assertMigrates(20261118, STEPS);
    }

    @Test
    void migrate_convertsValues_whenTypesWiden() {
        var tenant = fixture.tenants.createTenant("isolated_schema");
        var narrow = List.of(object(field("n", FieldType.INTEGER), field("d", FieldType.DATE)));
        var wide = List.of(object(field("n", FieldType.TEXT), field("d", FieldType.DATETIME)));
        var first = MigrationHistory.migrate(fixture, tenant, Ids.next(), List.of(), narrow);
        fixture.query(tenant, "INSERT INTO a (n, d) VALUES (42, '2026-02-03')");

        var id = Ids.next();
        var plan = MigrationHistory.migrate(fixture, tenant, id, narrow, wide);

        assertThat(first.reversible() && plan.reversible()).isTrue();
        assertThat(fixture.query(tenant, "SELECT n || ' ' || (d AT TIME ZONE 'UTC') FROM a"))
                .isEqualTo("42 2026-02-03 00:00:00");
        TenantsFixture.await(fixture.executor.rollBack(tenant, id, plan));
        assertThat(fixture.query(tenant, "SELECT n + 1 || ' ' || d FROM a")).isEqualTo("43 2026-02-03");
    }

    private static ObjectDefinition object(FieldDefinition... fields) {
        return new ObjectDefinition("a", null, List.of(fields), List.of(), List.of());
    }

    private static FieldDefinition field(String name, FieldType type) {
        return new FieldDefinition(name, null, type, false, false, null, null);
    }
}
