package dev.slipway.catalog.registry.domain;

import java.util.Locale;

/** The registries. Scopes belong to IAM; the catalog only replicates them. */
public enum RegistryKind {
    PRODUCT,
    SCOPE,
    USAGE_UNIT,
    AUDIT_ACTION,
    NOTIFICATION_TEMPLATE,
    EVIDENCE_TYPE,
    ARTIFACT_TYPE,
    POLICY,
    RETENTION_CLASS,
    RUNTIME_BACKEND;

    public static RegistryKind of(String text) {
        return valueOf(text.toUpperCase(Locale.ROOT));
    }

    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
