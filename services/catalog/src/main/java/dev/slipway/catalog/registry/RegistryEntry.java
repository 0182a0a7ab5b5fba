package dev.slipway.catalog.registry;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.catalog.registry.domain.Lifecycle;

/**
 * An entry of a registry in one of its versions. What the kinds differ in is the body.
 *
 * @param state a text of {@link Lifecycle}
 */
public record RegistryEntry(String kind, String id, int version, String state, ObjectNode body) {
    /** What products share. Scopes are IAM's; the catalog shows them, and changes none. */
    public static final String PRODUCT = "product";

    public static final String SCOPE = "scope";
    public static final String USAGE_UNIT = "usage_unit";
    public static final String AUDIT_ACTION = "audit_action";
    public static final String NOTIFICATION_TEMPLATE = "notification_template";
    public static final String EVIDENCE_TYPE = "evidence_type";
    public static final String ARTIFACT_TYPE = "artifact_type";
    public static final String POLICY = "policy";
    public static final String RETENTION_CLASS = "retention_class";

    public Lifecycle lifecycle() {
        return Lifecycle.of(state);
    }

    /** The next version, with another body. */
    RegistryEntry saying(ObjectNode other) {
        return new RegistryEntry(kind, id, version + 1, state, other);
    }

    /** The next version, elsewhere in its life. */
    RegistryEntry in(Lifecycle next) {
        return new RegistryEntry(kind, id, version + 1, next.text(), body);
    }
}
