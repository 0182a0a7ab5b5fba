package dev.slipway.tenants.deployment.domain;

import dev.slipway.tenants.metadata.domain.FieldDefinition;
import dev.slipway.tenants.metadata.domain.FieldType;
import dev.slipway.tenants.metadata.domain.IndexDefinition;
import dev.slipway.tenants.metadata.domain.ObjectDefinition;
import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Map;

/** Builds bundles for tests. */
final class Bundles {
    private Bundles() {}

    static FieldDefinition field(String name, FieldType type) {
        return new FieldDefinition(name, null, type, false, false, null, null);
    }

    static FieldDefinition required(String name, FieldType type) {
        return new FieldDefinition(name, null, type, true, false, null, null);
    }

    static FieldDefinition unique(String name, FieldType type) {
        return new FieldDefinition(name, null, type, false, true, null, null);
    }

    static FieldDefinition withDefault(String name, FieldType type, Object value) {
        return new FieldDefinition(name, null, type, true, false, value, null);
    }

    static FieldDefinition reference(String name, @Nullable String target) {
        return new FieldDefinition(name, null, FieldType.REFERENCE, false, false, null, target);
    }

    static IndexDefinition index(String name, String... fields) {
        return new IndexDefinition(name, List.of(fields), false);
    }

    static ObjectDefinition object(String name, FieldDefinition... fields) {
        return new ObjectDefinition(name, null, List.of(fields), List.of(), List.of());
    }

    static ObjectDefinition indexed(String name, IndexDefinition index, FieldDefinition... fields) {
        return new ObjectDefinition(name, null, List.of(fields), List.of(index), List.of());
    }

    static BundleContent bundle(ObjectDefinition... objects) {
        return new BundleContent(List.of(objects), List.of(), List.of(), List.of(), List.of());
    }

    static SeedRecord seed(String object, String externalId, String field, String value) {
        return new SeedRecord(object, externalId, Map.of(field, value));
    }
}
