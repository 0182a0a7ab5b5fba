package dev.slipway.tenants.deployment.domain;

import dev.slipway.tenants.metadata.domain.ObjectDefinition;

import java.util.List;

/** The content of a bundle, or of everything that is deployed. */
public record BundleContent(
        List<ObjectDefinition> objects,
        List<NamedDocument> views,
        List<NamedDocument> flows,
        List<NamedDocument> permissions,
        List<SeedRecord> seedData) {
    public static final BundleContent EMPTY = new BundleContent(List.of(), List.of(), List.of(), List.of(), List.of());

    public BundleContent {
        objects = List.copyOf(objects);
        views = List.copyOf(views);
        flows = List.copyOf(flows);
        permissions = List.copyOf(permissions);
        seedData = List.copyOf(seedData);
    }
}
