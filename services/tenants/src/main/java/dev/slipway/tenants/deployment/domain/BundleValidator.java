package dev.slipway.tenants.deployment.domain;

import dev.slipway.tenants.metadata.domain.FieldDefinition;
import dev.slipway.tenants.metadata.domain.FieldType;
import dev.slipway.tenants.metadata.domain.IndexDefinition;
import dev.slipway.tenants.metadata.domain.ObjectDefinition;
import dev.slipway.tenants.tenant.domain.DatabaseNames;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** Validates the content of a bundle. Names become identifiers of the database, so their form and length are limited. */
public final class BundleValidator {
    public static final int MAX_OBJECTS = 1_000;
    public static final int MAX_FIELDS_PER_OBJECT = 200;
    public static final int MAX_INDEXES_PER_OBJECT = 20;
    public static final int MAX_SEED_RECORDS = 10_000;

    private static final int MAX_NAME_LENGTH = DatabaseNames.MAX_OBJECT_NAME_LENGTH;

    private static final int MAX_ISSUES = 100;
    private static final Pattern NAME = Pattern.compile("[a-z_][a-z0-9_]*");

    private final Map<String, ObjectDefinition> elsewhere;
    private final List<ValidationIssue> issues = new ArrayList<>();
    private final Map<String, ObjectDefinition> objects = new HashMap<>();

    private BundleValidator(List<ObjectDefinition> elsewhere) {
        this.elsewhere = new HashMap<>();
        elsewhere.forEach(object -> this.elsewhere.put(object.name(), object));
    }

    /**
     * Validates a bundle.
     *
     * @param elsewhere the objects of other bundles that are deployed to the tenant, to which fields of this bundle may refer
     */
    public static ValidationResult validate(BundleContent bundle, List<ObjectDefinition> elsewhere) {
        var validator = new BundleValidator(elsewhere);
        validator.validateObjects(bundle.objects());
        validator.validateReferencesFromElsewhere();
        validator.validateDocuments("views", bundle.views());
        validator.validateDocuments("flows", bundle.flows());
        validator.validateDocuments("permissions", bundle.permissions());
        validator.validateSeeds(bundle.seedData());
        if (!bundle.flows().isEmpty()) {
            validator.add(ValidationIssue.info(
                    "/flows", "flows_not_executed", "Flows are stored and versioned, but not executed."));
        }
        return ValidationResult.of(validator.issues);
    }

    private void add(ValidationIssue issue) {
        if (issues.size() < MAX_ISSUES) {
            issues.add(issue);
        }
    }

    private void error(String path, String code, String message) {
        add(ValidationIssue.error(path, code, message));
    }

    private void validateObjects(List<ObjectDefinition> definitions) {
        if (definitions.size() > MAX_OBJECTS) {
            error("/objects", "too_many_objects", "A bundle has at most " + MAX_OBJECTS + " objects.");
            return;
        }
        for (var i = 0; i < definitions.size(); i++) {
            var object = definitions.get(i);
            var path = "/objects/" + i;
            validateName(path + "/name", object.name());
            if (objects.putIfAbsent(object.name(), object) != null) {
                error(path + "/name", "duplicate_name", "The bundle defines " + object.name() + " twice.");
            }
            if (elsewhere.containsKey(object.name())) {
                error(
                        path + "/name",
                        "object_conflict",
                        "The object " + object.name() + " belongs to another app of this tenant. Choose another name.");
            }
        }
        for (var i = 0; i < definitions.size(); i++) {
            validateFields("/objects/" + i, definitions.get(i));
            validateIndexes("/objects/" + i, definitions.get(i));
        }
    }

    /** An object that another bundle refers to must stay. */
    private void validateReferencesFromElsewhere() {
        for (var object : elsewhere.values()) {
            for (var field : object.fields()) {
                var target = field.reference();
                if (target != null && !objects.containsKey(target) && !elsewhere.containsKey(target)) {
                    error(
                            "/objects",
                            "object_in_use",
                            "The field " + field.name() + " of the object " + object.name() + " refers to " + target
                                    + ", which this bundle no longer defines.");
                }
            }
        }
    }

    private void validateName(String path, String name) {
        if (!NAME.matcher(name).matches() || name.startsWith("_slipway") || name.startsWith("slipway_")) {
            error(
                    path,
                    "invalid_name",
                    "A name consists of lower-case letters, digits and underscores, does not start with a digit, and does not start with "
                            + "_slipway or slipway_.");
        } else if (name.length() > MAX_NAME_LENGTH) {
            error(path, "name_too_long", "A name has at most " + MAX_NAME_LENGTH + " characters.");
        }
    }

    private void validateFields(String objectPath, ObjectDefinition object) {
        if (object.fields().size() > MAX_FIELDS_PER_OBJECT) {
            error(
                    objectPath + "/fields",
                    "too_many_fields",
                    "An object has at most " + MAX_FIELDS_PER_OBJECT + " fields.");
            return;
        }
        var names = new HashSet<String>();
        for (var i = 0; i < object.fields().size(); i++) {
            var field = object.fields().get(i);
            var path = objectPath + "/fields/" + i;
            validateName(path + "/name", field.name());
            if (ObjectDefinition.SYSTEM_COLUMNS.contains(field.name())) {
                error(path + "/name", "reserved_name", "Every object has a field " + field.name() + " of its own.");
            }
            if (!names.add(field.name())) {
                error(path + "/name", "duplicate_name", "The object has two fields " + field.name() + ".");
            }
            validateField(path, field);
        }
    }

    private void validateField(String path, FieldDefinition field) {
        if (field.type() == FieldType.REFERENCE) {
            validateReference(path, field);
        } else if (field.reference() != null) {
            error(path + "/reference", "unexpected_reference", "Only a field of the type reference names an object.");
        }
        if (field.unique() && field.type() == FieldType.JSON) {
            error(path + "/unique", "unique_json", "A field of the type json cannot be unique.");
        }
        var defaultValue = field.defaultValue();
        if (defaultValue != null && (field.type() == FieldType.REFERENCE || field.type() == FieldType.JSON)) {
            error(
                    path + "/default_value",
                    "unexpected_default",
                    "A field of the type " + field.type().text() + " has no default value.");
        } else if (defaultValue != null && !field.type().accepts(defaultValue)) {
            error(
                    path + "/default_value",
                    "default_type",
                    "The default value is not a " + field.type().text() + ".");
        }
    }

    private void validateReference(String path, FieldDefinition field) {
        var target = field.reference();
        if (target == null) {
            error(path + "/reference", "missing_reference", "A field of the type reference names an object.");
        } else if (!objects.containsKey(target) && !elsewhere.containsKey(target)) {
            error(path + "/reference", "unknown_object", "There is no object " + target + ".");
        }
    }

    private void validateIndexes(String objectPath, ObjectDefinition object) {
        if (object.indexes().size() > MAX_INDEXES_PER_OBJECT) {
            error(
                    objectPath + "/indexes",
                    "too_many_indexes",
                    "An object has at most " + MAX_INDEXES_PER_OBJECT + " indexes.");
        }
        var names = new HashSet<String>();
        for (var i = 0; i < object.indexes().size(); i++) {
            var path = objectPath + "/indexes/" + i;
            var index = object.indexes().get(i);
            validateName(path + "/name", index.name());
            if (!names.add(index.name())) {
                error(path + "/name", "duplicate_name", "The object has two indexes " + index.name() + ".");
            }
            validateIndexFields(path + "/fields", object, index);
        }
    }

    private void validateIndexFields(String path, ObjectDefinition object, IndexDefinition index) {
        if (index.fields().isEmpty()) {
            error(path, "empty_index", "An index names at least one field.");
        }
        for (var i = 0; i < index.fields().size(); i++) {
            var name = index.fields().get(i);
            var field = object.field(name);
            if (field.isEmpty() && !ObjectDefinition.SYSTEM_COLUMNS.contains(name)) {
                error(path + "/" + i, "unknown_field", "The object " + object.name() + " has no field " + name + ".");
            } else if (field.isPresent() && field.get().type() == FieldType.JSON) {
                error(path + "/" + i, "json_index", "A field of the type json cannot be part of an index.");
            }
        }
    }

    private void validateDocuments(String kind, List<NamedDocument> documents) {
        var names = new HashSet<String>();
        for (var i = 0; i < documents.size(); i++) {
            var document = documents.get(i);
            var path = "/" + kind + "/" + i;
            validateName(path + "/name", document.name());
            if (!names.add(document.name())) {
                error(path + "/name", "duplicate_name", "The bundle defines " + document.name() + " twice.");
            }
            var object = document.object();
            if (object != null && !objects.containsKey(object) && !elsewhere.containsKey(object)) {
                error(path + "/object", "unknown_object", "There is no object " + object + ".");
            }
        }
    }

    private void validateSeeds(List<SeedRecord> seeds) {
        if (seeds.size() > MAX_SEED_RECORDS) {
            error("/seed_data", "too_many_records", "A bundle has at most " + MAX_SEED_RECORDS + " seed records.");
            return;
        }
        var ids = new HashSet<String>();
        for (var i = 0; i < seeds.size(); i++) {
            var seed = seeds.get(i);
            var path = "/seed_data/" + i;
            var object = objects.get(seed.object());
            if (object == null) {
                error(path + "/object", "unknown_object", "The bundle defines no object " + seed.object() + ".");
                continue;
            }
            if (!ids.add(seed.object() + "/" + seed.externalId())) {
                error(path + "/external_id", "duplicate_record", "The bundle has two records with this external id.");
            }
            validateSeedValues(path, object, seed);
        }
    }

    private void validateSeedValues(String path, ObjectDefinition object, SeedRecord seed) {
        seed.values().forEach((name, value) -> {
            var field = object.field(name);
            if (field.isEmpty()) {
                error(
                        path + "/values/" + name,
                        "unknown_field",
                        "The object " + object.name() + " has no field " + name + ".");
            } else if (!acceptsSeed(field.get(), value)) {
                error(
                        path + "/values/" + name,
                        "value_type",
                        "The value is not a " + field.get().type().text() + ".");
            }
        });
        for (var field : object.fields()) {
            if (field.required()
                    && field.defaultValue() == null
                    && !seed.values().containsKey(field.name())) {
                error(path + "/values", "missing_value", "The required field " + field.name() + " has no value.");
            }
        }
    }

    /** A seed record refers to another one by its external id, because ids are assigned on insertion. */
    private static boolean acceptsSeed(FieldDefinition field, Object value) {
        return field.type() == FieldType.REFERENCE
                ? value instanceof String
                : field.type().accepts(value);
    }
}
