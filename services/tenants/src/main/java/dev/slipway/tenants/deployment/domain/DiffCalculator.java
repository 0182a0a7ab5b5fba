package dev.slipway.tenants.deployment.domain;

import dev.slipway.tenants.deployment.domain.MetadataChange.ChangeType;
import dev.slipway.tenants.deployment.domain.MetadataChange.EntityType;
import dev.slipway.tenants.metadata.domain.FieldDefinition;
import dev.slipway.tenants.metadata.domain.FieldType;
import dev.slipway.tenants.metadata.domain.IndexDefinition;
import dev.slipway.tenants.metadata.domain.ObjectDefinition;
import dev.slipway.tenants.metadata.domain.ObjectPermission;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;

/** Compares what is deployed with a bundle. */
public final class DiffCalculator {
    private final List<MetadataChange> changes = new ArrayList<>();

    /** The properties of an object besides its fields and indexes. */
    private record ObjectProperties(@Nullable String label, List<ObjectPermission> permissions) {
        static ObjectProperties of(ObjectDefinition object) {
            return new ObjectProperties(object.label(), object.permissions());
        }
    }

    private DiffCalculator() {}

    public static DeployDiff diff(BundleContent deployed, BundleContent bundle) {
        var calculator = new DiffCalculator();
        calculator.compareObjects(deployed.objects(), bundle.objects());
        calculator.compareDocuments(EntityType.VIEW, deployed.views(), bundle.views());
        calculator.compareDocuments(EntityType.FLOW, deployed.flows(), bundle.flows());
        calculator.compareDocuments(EntityType.PERMISSION, deployed.permissions(), bundle.permissions());
        return DeployDiff.of(calculator.changes);
    }

    private void compareObjects(List<ObjectDefinition> deployed, List<ObjectDefinition> wanted) {
        var before = byName(deployed, ObjectDefinition::name);
        var after = byName(wanted, ObjectDefinition::name);
        after.forEach((name, object) -> {
            var old = before.get(name);
            if (old == null) {
                added(EntityType.OBJECT, name, null, object, null);
            } else {
                compareObject(old, object);
            }
        });
        before.forEach((name, object) -> {
            if (!after.containsKey(name)) {
                removed(EntityType.OBJECT, name, null, object, "The table and its records are deleted.");
            }
        });
    }

    private void compareObject(ObjectDefinition old, ObjectDefinition object) {
        if (!Objects.equals(old.label(), object.label()) || !old.permissions().equals(object.permissions())) {
            modified(
                    EntityType.OBJECT,
                    object.name(),
                    null,
                    ObjectProperties.of(old),
                    ObjectProperties.of(object),
                    null);
        }
        var fieldsBefore = byName(old.fields(), FieldDefinition::name);
        var fieldsAfter = byName(object.fields(), FieldDefinition::name);
        fieldsAfter.forEach((name, field) -> {
            var oldField = fieldsBefore.get(name);
            if (oldField == null) {
                added(EntityType.FIELD, name, object.name(), field, reasonAgainstAdding(field));
            } else if (!oldField.equals(field)) {
                modified(EntityType.FIELD, name, object.name(), oldField, field, reasonAgainstChange(oldField, field));
            }
        });
        fieldsBefore.forEach((name, field) -> {
            if (!fieldsAfter.containsKey(name)) {
                removed(EntityType.FIELD, name, object.name(), field, "The values of the field are deleted.");
            }
        });
        compareIndexes(old, object);
    }

    private void compareIndexes(ObjectDefinition old, ObjectDefinition object) {
        var before = byName(old.indexes(), IndexDefinition::name);
        var after = byName(object.indexes(), IndexDefinition::name);
        after.forEach((name, index) -> {
            var oldIndex = before.get(name);
            var reason = index.unique() ? "Records with equal values make the migration fail." : null;
            if (oldIndex == null) {
                added(EntityType.INDEX, name, object.name(), index, reason);
            } else if (!oldIndex.equals(index)) {
                modified(EntityType.INDEX, name, object.name(), oldIndex, index, reason);
            }
        });
        before.forEach((name, index) -> {
            if (!after.containsKey(name)) {
                removed(EntityType.INDEX, name, object.name(), index, null);
            }
        });
    }

    private void compareDocuments(EntityType type, List<NamedDocument> deployed, List<NamedDocument> wanted) {
        var before = byName(deployed, NamedDocument::name);
        var after = byName(wanted, NamedDocument::name);
        after.forEach((name, document) -> {
            var old = before.get(name);
            if (old == null) {
                added(type, name, null, document.digest(), null);
            } else if (!old.equals(document)) {
                modified(type, name, null, old.digest(), document.digest(), null);
            }
        });
        before.forEach((name, document) -> {
            if (!after.containsKey(name)) {
                removed(
                        type,
                        name,
                        null,
                        document.digest(),
                        type == EntityType.VIEW ? "Clients of the view no longer find it." : null);
            }
        });
    }

    private static @Nullable String reasonAgainstAdding(FieldDefinition field) {
        if (field.required() && field.defaultValue() == null) {
            return "Existing records have no value for the required field.";
        }
        return field.unique() && field.defaultValue() != null
                ? "Existing records get the same default value in a unique field."
                : null;
    }

    private static @Nullable String reasonAgainstChange(FieldDefinition old, FieldDefinition field) {
        if (old.type() != field.type() && !isWidening(old.type(), field.type())) {
            return "Existing values may not be convertible to the new type.";
        }
        if (old.type() == FieldType.REFERENCE && !Objects.equals(old.reference(), field.reference())) {
            return "Existing references point to records of the old object.";
        }
        if (!old.required() && field.required()) {
            return "Existing records without a value make the migration fail.";
        }
        return !old.unique() && field.unique() ? "Records with equal values make the migration fail." : null;
    }

    /** Returns whether every value of the old type has a value of the new type. */
    static boolean isWidening(FieldType from, FieldType to) {
        return switch (from) {
            case INTEGER -> to == FieldType.NUMBER || to == FieldType.TEXT;
            case NUMBER, BOOLEAN, DATETIME, JSON -> to == FieldType.TEXT;
            case DATE -> to == FieldType.DATETIME || to == FieldType.TEXT;
            case TEXT, REFERENCE -> false;
        };
    }

    private void added(
            EntityType type, String name, @Nullable String parent, Object value, @Nullable String breakingReason) {
        add(type, name, parent, ChangeType.ADDED, null, value, breakingReason);
    }

    private void modified(
            EntityType type,
            String name,
            @Nullable String parent,
            Object old,
            Object value,
            @Nullable String breakingReason) {
        add(type, name, parent, ChangeType.MODIFIED, old, value, breakingReason);
    }

    private void removed(
            EntityType type, String name, @Nullable String parent, Object old, @Nullable String breakingReason) {
        add(type, name, parent, ChangeType.REMOVED, old, null, breakingReason);
    }

    private void add(
            EntityType type,
            String name,
            @Nullable String parent,
            ChangeType changeType,
            @Nullable Object old,
            @Nullable Object value,
            @Nullable String breakingReason) {
        changes.add(
                new MetadataChange(type, name, parent, changeType, old, value, breakingReason != null, breakingReason));
    }

    private static <T> Map<String, T> byName(List<T> items, Function<T, String> name) {
        var byName = new LinkedHashMap<String, T>();
        items.forEach(item -> byName.put(name.apply(item), item));
        return byName;
    }
}
