package dev.slipway.tenants.metadata.domain;

import java.util.List;

/** An index of a table over one or more fields. */
public record IndexDefinition(String name, List<String> fields, boolean unique) {
    public IndexDefinition {
        fields = List.copyOf(fields);
    }
}
