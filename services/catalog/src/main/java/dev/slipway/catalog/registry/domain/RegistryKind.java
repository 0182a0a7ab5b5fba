package dev.slipway.catalog.registry.domain;

import dev.slipway.contract.domain.TextEnum;

/** The registries. Scopes belong to IAM; the catalog only replicates them. */
public enum RegistryKind implements TextEnum {
    PRODUCT,
    SCOPE,
    USAGE_UNIT,
    AUDIT_ACTION,
    NOTIFICATION_TEMPLATE,
    EVIDENCE_TYPE,
    ARTIFACT_TYPE,
    POLICY,
    RETENTION_CLASS,
    RUNTIME_BACKEND
}
