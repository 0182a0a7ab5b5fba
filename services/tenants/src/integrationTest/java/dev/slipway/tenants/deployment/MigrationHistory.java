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

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;

import static org.assertj.core.api.Assertions.assertThat;

/** Migrates the tables of a tenant along a random history of definitions, and compares each step with a deployment to an empty tenant. */
final class MigrationHistory {
    private static final List<FieldType> PLAIN_TYPES = List.of(
            FieldType.TEXT, FieldType.NUMBER, FieldType.INTEGER, FieldType.BOOLEAN, FieldType.DATE, FieldType.DATETIME);

    private final DeploymentFixture fixture;
    private final Tenant evolving;
    private final Tenant empty;

    MigrationHistory(DeploymentFixture fixture, String isolationLevel) {
        this.fixture = fixture;
        evolving = fixture.tenants.createTenant(isolationLevel);
        empty = fixture.tenants.createTenant(isolationLevel);
    }

    static MigrationPlan migrate(
            DeploymentFixture fixture, Tenant tenant, UUID id, List<ObjectDefinition> from, List<ObjectDefinition> to) {
        var plan = MigrationPlanner.plan(from, to, MigrationExecutor.layout(tenant), Map.of());
        TenantsFixture.await(fixture.executor.migrate(tenant, id, plan));
        return plan;
    }

    /** Asserts that each migration gives the schema of a fresh deployment, and each rollback the earlier one. */
    void assertMigrates(long seed, int steps) {
        var random = new Random(seed);
        dropTables(evolving);
        var current = List.<ObjectDefinition>of();
        for (var step = 0; step < steps; step++) {
            var next = randomObjects(random);
            var before = fixture.schema(evolving);
            var id = Ids.next();

            var plan = migrate(fixture, evolving, id, current, next);
            assertThat(fixture.schema(evolving))
                    .as("seed %s, step %s", seed, step)
                    .isEqualTo(freshSchema(next));

            TenantsFixture.await(fixture.executor.rollBack(evolving, id, plan));
            assertThat(withoutConstraintsOfRestoredColumns(fixture.schema(evolving)))
                    .as("rollback of seed %s, step %s", seed, step)
                    .isEqualTo(withoutConstraintsOfRestoredColumns(before));
            TenantsFixture.await(fixture.executor.rollBack(evolving, id, plan)); // repeated after a crash

            // Continues without the rollback, in a database that has no columns restored without their properties.
            dropTables(evolving);
            assertThat(migrate(fixture, evolving, Ids.next(), List.of(), next).statements())
                    .isNotEmpty();
            current = next;
        }
    }

    private void dropTables(Tenant tenant) {
        var schema = "\"" + tenant.names().schema() + "\"";
        for (var object : List.of("a", "b", "c")) {
            fixture.query(
                    tenant,
                    "DROP TABLE IF EXISTS " + schema + ".\"" + tenant.names().table(object) + "\" CASCADE");
        }
    }

    private String freshSchema(List<ObjectDefinition> objects) {
        dropTables(empty);
        var plan = migrate(fixture, empty, Ids.next(), List.of(), objects);
        assertThat(plan.reversible()).isTrue();
        return fixture.schema(empty);
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
}
