package dev.slipway.tenants.deployment;

import dev.slipway.contract.Ids;
import dev.slipway.tenants.TenantsFixture;
import dev.slipway.tenants.deployment.domain.MigrationPlan;
import dev.slipway.tenants.deployment.domain.MigrationPlanner;
import dev.slipway.tenants.metadata.domain.FieldDefinition;
import dev.slipway.tenants.metadata.domain.FieldType;
import dev.slipway.tenants.metadata.domain.IndexDefinition;
import dev.slipway.tenants.metadata.domain.ObjectDefinition;
import dev.slipway.tenants.tenant.domain.Tenant;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;

import static org.assertj.core.api.Assertions.assertThat;

/** Migrates real tables along random histories of definitions. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class MigrationEvolutionTest {
    private static final int STEPS = 5;
    private static final List<FieldType> PLAIN_TYPES = List.of(
            FieldType.TEXT, FieldType.NUMBER, FieldType.INTEGER, FieldType.BOOLEAN, FieldType.DATE, FieldType.DATETIME);

    private DeploymentFixture fixture;

    @BeforeAll
    void start() {
        fixture = new DeploymentFixture();
    }

    @AfterAll
    void stop() {
        fixture.close();
    }

    private MigrationPlan migrate(Tenant tenant, UUID id, List<ObjectDefinition> from, List<ObjectDefinition> to) {
        var plan = MigrationPlanner.plan(from, to, MigrationExecutor.layout(tenant), Map.of());
        TenantsFixture.await(fixture.executor.migrate(tenant, id, plan));
        return plan;
    }

    @ParameterizedTest
    @ValueSource(strings = {"isolated_schema", "shared_schema"})
    @Proves("4.32")
    void migrate_givesTheSchemaOfAFreshDeployment_andRollbackTheEarlierOne(String isolationLevel) {
        var random = new Random(20261118);
        var evolving = fixture.tenants.createTenant(isolationLevel);
        var current = List.<ObjectDefinition>of();
        for (var step = 0; step < STEPS; step++) {
            var next = randomObjects(random);
            var before = fixture.schema(evolving);
            var id = Ids.next();

            var plan = migrate(evolving, id, current, next);
            assertThat(fixture.schema(evolving)).as("step %s", step).isEqualTo(freshSchema(isolationLevel, next));

            TenantsFixture.await(fixture.executor.rollBack(evolving, id, plan));
            assertThat(withoutConstraintsOfRestoredColumns(fixture.schema(evolving)))
                    .as("rollback of step %s", step)
                    .isEqualTo(withoutConstraintsOfRestoredColumns(before));
            TenantsFixture.await(fixture.executor.rollBack(evolving, id, plan)); // repeated after a crash

            current = restart(evolving, step, next);
        }
    }

    /** Continues from a definition without rollback, in a database that has no columns restored without their properties. */
    private List<ObjectDefinition> restart(Tenant tenant, int step, List<ObjectDefinition> next) {
        var schema = "\"" + tenant.names().schema() + "\"";
        for (var object : List.of("a", "b", "c")) {
            fixture.query(
                    tenant,
                    "DROP TABLE IF EXISTS " + schema + ".\"" + tenant.names().table(object) + "\" CASCADE");
        }
        var unused = migrate(tenant, Ids.next(), List.of(), next);
        assertThat(unused.statements()).as("step %s", step).isNotEmpty();
        return next;
    }

    private String freshSchema(String isolationLevel, List<ObjectDefinition> objects) {
        var fresh = fixture.tenants.createTenant(isolationLevel);
        var plan = migrate(fresh, Ids.next(), List.of(), objects);
        assertThat(plan.reversible()).isTrue();
        return fixture.schema(fresh);
    }

    /** A dropped column comes back without its values, so it is neither required nor has it a default. */
    private static String withoutConstraintsOfRestoredColumns(String schema) {
        return schema.replaceAll("(?m)^(\\w+\\.f\\d \\S+(?: with time zone)?) (YES|NO) .*$", "$1");
    }

    private static List<ObjectDefinition> randomObjects(Random random) {
        var objects = new ArrayList<ObjectDefinition>();
        for (var name : List.of("a", "b", "c")) {
            if (random.nextInt(4) > 0) {
                objects.add(randomObject(random, name));
            }
        }
        return objects.isEmpty() ? List.of(randomObject(random, "a")) : withoutDanglingReferences(objects);
    }

    private static ObjectDefinition randomObject(Random random, String name) {
        var fields = new ArrayList<FieldDefinition>();
        for (var i = 0; i < 5; i++) {
            if (random.nextBoolean()) {
                fields.add(randomField(random, "f" + i));
            }
        }
        var indexes = fields.isEmpty() || random.nextBoolean()
                ? List.<IndexDefinition>of()
                : List.of(new IndexDefinition(
                        "by_first", List.of(fields.get(0).name(), "created_at"), random.nextBoolean()));
        return new ObjectDefinition(name, null, fields, indexes, List.of());
    }

    private static FieldDefinition randomField(Random random, String name) {
        if (random.nextInt(4) == 0) {
            var target = List.of("a", "b", "c").get(random.nextInt(3));
            return new FieldDefinition(name, null, FieldType.REFERENCE, false, random.nextBoolean(), null, target);
        }
        var type = PLAIN_TYPES.get(random.nextInt(PLAIN_TYPES.size()));
        var defaultValue = random.nextBoolean() ? defaultOf(type) : null;
        return new FieldDefinition(name, null, type, random.nextBoolean(), random.nextInt(4) == 0, defaultValue, null);
    }

    private static Object defaultOf(FieldType type) {
        return switch (type) {
            case TEXT -> "it's";
            case NUMBER, INTEGER -> 7;
            case BOOLEAN -> true;
            case DATE -> "2026-01-31";
            case DATETIME -> "2026-01-31T12:00:00Z";
            case JSON, REFERENCE -> throw new IllegalArgumentException("has no default");
        };
    }

    private static List<ObjectDefinition> withoutDanglingReferences(List<ObjectDefinition> objects) {
        var names = objects.stream().map(ObjectDefinition::name).toList();
        return objects.stream()
                .map(object -> new ObjectDefinition(
                        object.name(),
                        null,
                        object.fields().stream()
                                .map(field -> field.reference() == null || names.contains(field.reference())
                                        ? field
                                        : new FieldDefinition(
                                                field.name(), null, FieldType.TEXT, false, field.unique(), null, null))
                                .toList(),
                        object.indexes(),
                        List.of()))
                .toList();
    }

    @Test
    void migrate_convertsValues_whenTypesWiden() {
        var tenant = fixture.tenants.createTenant("isolated_schema");
        var narrow = List.of(object(field("n", FieldType.INTEGER), field("d", FieldType.DATE)));
        var wide = List.of(object(field("n", FieldType.TEXT), field("d", FieldType.DATETIME)));
        var first = migrate(tenant, Ids.next(), List.of(), narrow);
        fixture.query(tenant, "INSERT INTO a (n, d) VALUES (42, '2026-02-03')");

        var id = Ids.next();
        var plan = migrate(tenant, id, narrow, wide);

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
