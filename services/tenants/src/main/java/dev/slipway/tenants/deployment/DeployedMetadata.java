package dev.slipway.tenants.deployment;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.domain.TextEnum;
import dev.slipway.tenants.deployment.domain.BundleContent;
import dev.slipway.tenants.deployment.domain.NamedDocument;
import dev.slipway.tenants.metadata.domain.ObjectDefinition;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The metadata that is deployed to a tenant.
 *
 * @param retained objects of uninstalled apps whose tables remain
 */
record DeployedMetadata(
        List<DeployedObject> objects, List<DeployedDocument> documents, List<ObjectDefinition> retained) {
    /** An object and the app that it belongs to. */
    record DeployedObject(String appName, ObjectDefinition definition) {}

    /** A view, flow or permission set, and the app that it belongs to. */
    record DeployedDocument(String appName, DocumentKind kind, ObjectNode definition) {}

    /** The kinds of documents. */
    enum DocumentKind implements TextEnum {
        VIEW,
        FLOW,
        PERMISSION
    }

    /** The metadata of one app, as a rollback restores it. */
    record AppMetadata(
            List<ObjectDefinition> objects,
            List<ObjectNode> views,
            List<ObjectNode> flows,
            List<ObjectNode> permissions,
            List<ObjectDefinition> retained) {}

    /** Returns the metadata of an app, and of the retained tables that a bundle with these objects continues with. */
    AppMetadata of(String appName, List<ObjectDefinition> bundleObjects) {
        var named = bundleObjects.stream().map(ObjectDefinition::name).collect(Collectors.toSet());
        return new AppMetadata(
                objects.stream()
                        .filter(object -> object.appName.equals(appName))
                        .map(DeployedObject::definition)
                        .toList(),
                documents(appName, DocumentKind.VIEW),
                documents(appName, DocumentKind.FLOW),
                documents(appName, DocumentKind.PERMISSION),
                retained.stream()
                        .filter(object -> named.contains(object.name()))
                        .toList());
    }

    private List<ObjectNode> documents(String appName, DocumentKind kind) {
        return documents.stream()
                .filter(document -> document.kind == kind && document.appName.equals(appName))
                .map(DeployedDocument::definition)
                .toList();
    }

    /** Returns the objects that belong to other apps than the given one. */
    List<ObjectDefinition> elsewhere(String appName) {
        return objects.stream()
                .filter(object -> !object.appName.equals(appName))
                .map(DeployedObject::definition)
                .toList();
    }

    /** Returns the number of objects that the tenant would have with these instead of the app's present ones. */
    int objectCountWith(String appName, List<ObjectDefinition> bundleObjects) {
        return elsewhere(appName).size() + bundleObjects.size();
    }

    /** Returns the content that a bundle is compared with. */
    static BundleContent comparable(AppMetadata app) {
        return new BundleContent(
                Stream.concat(app.objects.stream(), app.retained.stream()).toList(),
                documents(app.views),
                documents(app.flows),
                documents(app.permissions),
                List.of());
    }

    private static List<NamedDocument> documents(List<ObjectNode> nodes) {
        return BundleJson.documents(nodes);
    }

    /** Returns the names of the objects of an app. */
    static Set<String> names(List<ObjectDefinition> objects) {
        return objects.stream().map(ObjectDefinition::name).collect(Collectors.toSet());
    }
}
