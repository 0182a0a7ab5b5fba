package dev.slipway.tenants.deployment.domain;

import dev.slipway.tenants.deployment.domain.MigrationStatement.Lock;
import dev.slipway.tenants.metadata.domain.FieldDefinition;
import dev.slipway.tenants.metadata.domain.IndexDefinition;
import dev.slipway.tenants.metadata.domain.ObjectDefinition;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Plans the DDL that migrates a tenant's tables to a bundle. Statements are ordered by phase: constraints and indexes that are in the way are
 * dropped first, then tables and columns are created and changed, then constraints are added, then columns and tables are dropped. Run backwards,
 * the rollback statements restore the schema.
 */
public final class MigrationPlanner {
    private static final long CATALOG_CHANGE_MS = 5;
    private static final long RECORDS_PER_MS = 50;

    private final TableLayout layout;
    private final Map<String, Long> recordCounts;
    private final Map<Phase, List<PlannedStatement>> phases = new EnumMap<>(Phase.class);

    private enum Phase {
        DROP_FOREIGN_KEYS,
        DROP_CONSTRAINTS,
        CREATE_TABLES,
        ADD_COLUMNS,
        CHANGE_COLUMNS,
        ADD_UNIQUE,
        ADD_FOREIGN_KEYS,
        CREATE_INDEXES,
        DROP_COLUMNS,
        DROP_TABLES,
        CREATE_INDEXES_CONCURRENTLY
    }

    private record PlannedStatement(
            String sql, @Nullable String rollbackSql, boolean reversible, Lock lock, long durationMs) {}

    private MigrationPlanner(TableLayout layout, Map<String, Long> recordCounts) {
        this.layout = layout;
        this.recordCounts = recordCounts;
    }

    /**
     * Plans a migration.
     *
     * @param recordCounts the number of records by object, for the estimate
     */
    public static MigrationPlan plan(
            List<ObjectDefinition> deployed,
            List<ObjectDefinition> wanted,
            TableLayout layout,
            Map<String, Long> recordCounts) {
        var planner = new MigrationPlanner(layout, recordCounts);
        var before = byName(deployed);
        var after = byName(wanted);
        after.forEach((name, object) -> {
            var old = before.get(name);
            if (old == null) {
                planner.create(object);
            } else {
                planner.change(old, object);
            }
        });
        before.forEach((name, object) -> {
            if (!after.containsKey(name)) {
                planner.drop(object);
            }
        });
        return MigrationPlan.of(planner.statements());
    }

    private List<MigrationStatement> statements() {
        var statements = new ArrayList<MigrationStatement>();
        phases.forEach((phase, planned) -> planned.forEach(next -> statements.add(new MigrationStatement(
                statements.size() + 1,
                next.sql,
                next.reversible,
                next.rollbackSql,
                phase != Phase.CREATE_INDEXES_CONCURRENTLY,
                next.lock,
                next.durationMs))));
        return statements;
    }

    private void create(ObjectDefinition object) {
        var name = object.name();
        add(Phase.CREATE_TABLES, layout.createTable(object), layout.dropTable(name), Lock.NONE);
        layout.protectRows(name).forEach(sql -> add(Phase.CREATE_TABLES, sql, null, Lock.NONE));
        for (var field : object.fields()) {
            addUnique(name, field, Lock.NONE);
            addForeignKey(name, field);
        }
        object.indexes()
                .forEach(index -> add(
                        Phase.CREATE_INDEXES,
                        layout.createIndex(name, index),
                        layout.dropIndex(name, index),
                        Lock.NONE));
    }

    private void drop(ObjectDefinition object) {
        var name = object.name();
        for (var field : object.fields()) {
            dropForeignKey(name, field);
            dropUnique(name, field);
        }
        object.indexes().forEach(index -> dropIndex(name, index));
        var restore = new ArrayList<>(List.of(layout.createTable(object)));
        restore.addAll(layout.protectRows(name));
        addIrreversible(Phase.DROP_TABLES, layout.dropTable(name), String.join(";\n", restore));
    }

    private void change(ObjectDefinition old, ObjectDefinition object) {
        var name = object.name();
        for (var field : object.fields()) {
            old.field(field.name())
                    .ifPresentOrElse(oldField -> changeColumn(name, oldField, field), () -> addColumn(name, field));
        }
        for (var field : old.fields()) {
            if (object.field(field.name()).isEmpty()) {
                dropColumn(name, field);
            }
        }
        changeIndexes(name, old.indexes(), object.indexes());
    }

    private void addColumn(String object, FieldDefinition field) {
        add(
                Phase.ADD_COLUMNS,
                layout.addColumn(object, field),
                layout.dropColumn(object, field.name()),
                Lock.ACCESS_EXCLUSIVE);
        addUnique(object, field, Lock.ACCESS_EXCLUSIVE);
        addForeignKey(object, field);
    }

    private void dropColumn(String object, FieldDefinition field) {
        dropForeignKey(object, field);
        dropUnique(object, field);
        addIrreversible(
                Phase.DROP_COLUMNS, layout.dropColumn(object, field.name()), layout.addOptionalColumn(object, field));
    }

    private void changeColumn(String object, FieldDefinition old, FieldDefinition field) {
        var referenceChanges = !Objects.equals(old.reference(), field.reference());
        if (referenceChanges) {
            dropForeignKey(object, old);
        }
        if (old.unique() && !field.unique()) {
            dropUnique(object, old);
        }
        if (old.type() != field.type()) {
            changeType(object, old, field);
        } else if (!Objects.equals(old.defaultValue(), field.defaultValue())) {
            add(
                    Phase.CHANGE_COLUMNS,
                    layout.setDefault(object, field),
                    layout.setDefault(object, old),
                    Lock.ACCESS_EXCLUSIVE);
        }
        if (old.required() != field.required()) {
            addScan(
                    Phase.CHANGE_COLUMNS,
                    object,
                    layout.setRequired(object, field),
                    layout.setRequired(object, old),
                    Lock.ACCESS_EXCLUSIVE);
        }
        if (!old.unique()) {
            addUnique(object, field, Lock.ACCESS_EXCLUSIVE);
        }
        if (referenceChanges) {
            addForeignKey(object, field);
        }
    }

    /** A default of the old type would prevent the conversion, so it is removed before and set afterwards. */
    private void changeType(String object, FieldDefinition old, FieldDefinition field) {
        if (old.defaultValue() != null) {
            add(
                    Phase.CHANGE_COLUMNS,
                    layout.dropDefault(object, old.name()),
                    layout.setDefault(object, old),
                    Lock.ACCESS_EXCLUSIVE);
        }
        addPlanned(
                Phase.CHANGE_COLUMNS,
                new PlannedStatement(
                        layout.setType(object, old, field),
                        layout.setType(object, field, old),
                        DiffCalculator.isWidening(old.type(), field.type()),
                        Lock.ACCESS_EXCLUSIVE,
                        scanMs(object)));
        if (field.defaultValue() != null) {
            add(
                    Phase.CHANGE_COLUMNS,
                    layout.setDefault(object, field),
                    layout.dropDefault(object, field.name()),
                    Lock.ACCESS_EXCLUSIVE);
        }
    }

    private void changeIndexes(String object, List<IndexDefinition> old, List<IndexDefinition> wanted) {
        old.stream().filter(index -> !wanted.contains(index)).forEach(index -> dropIndex(object, index));
        wanted.stream()
                .filter(index -> !old.contains(index))
                .forEach(index -> addScan(
                        Phase.CREATE_INDEXES_CONCURRENTLY,
                        object,
                        layout.createIndexConcurrently(object, index),
                        layout.dropIndexIfExists(object, index),
                        Lock.SHARE_UPDATE_EXCLUSIVE));
    }

    private void dropIndex(String object, IndexDefinition index) {
        add(
                Phase.DROP_CONSTRAINTS,
                layout.dropIndex(object, index),
                layout.createIndex(object, index),
                Lock.ACCESS_EXCLUSIVE);
    }

    private void addUnique(String object, FieldDefinition field, Lock lock) {
        if (field.unique()) {
            addScan(Phase.ADD_UNIQUE, object, layout.addUnique(object, field), layout.dropUnique(object, field), lock);
        }
    }

    private void dropUnique(String object, FieldDefinition field) {
        if (field.unique()) {
            add(
                    Phase.DROP_CONSTRAINTS,
                    layout.dropUnique(object, field),
                    layout.addUnique(object, field),
                    Lock.ACCESS_EXCLUSIVE);
        }
    }

    private void addForeignKey(String object, FieldDefinition field) {
        var target = field.reference();
        if (target != null) {
            addScan(
                    Phase.ADD_FOREIGN_KEYS,
                    object,
                    layout.addForeignKey(object, field, target),
                    layout.dropForeignKey(object, field),
                    Lock.SHARE_ROW_EXCLUSIVE);
        }
    }

    private void dropForeignKey(String object, FieldDefinition field) {
        var target = field.reference();
        if (target != null) {
            add(
                    Phase.DROP_FOREIGN_KEYS,
                    layout.dropForeignKey(object, field),
                    layout.addForeignKey(object, field, target),
                    Lock.ACCESS_EXCLUSIVE);
        }
    }

    private void add(Phase phase, String sql, @Nullable String rollbackSql, Lock lock) {
        addPlanned(phase, new PlannedStatement(sql, rollbackSql, true, lock, CATALOG_CHANGE_MS));
    }

    /** Adds a statement that reads every record of the object. */
    private void addScan(Phase phase, String object, String sql, String rollbackSql, Lock lock) {
        addPlanned(phase, new PlannedStatement(sql, rollbackSql, true, lock, scanMs(object)));
    }

    private void addIrreversible(Phase phase, String sql, String rollbackSql) {
        addPlanned(phase, new PlannedStatement(sql, rollbackSql, false, Lock.ACCESS_EXCLUSIVE, CATALOG_CHANGE_MS));
    }

    private void addPlanned(Phase phase, PlannedStatement statement) {
        phases.computeIfAbsent(phase, first -> new ArrayList<>()).add(statement);
    }

    private long scanMs(String object) {
        return CATALOG_CHANGE_MS + recordCounts.getOrDefault(object, 0L) / RECORDS_PER_MS;
    }

    private static Map<String, ObjectDefinition> byName(List<ObjectDefinition> objects) {
        var byName = new LinkedHashMap<String, ObjectDefinition>();
        objects.forEach(object -> byName.put(object.name(), object));
        return byName;
    }
}
