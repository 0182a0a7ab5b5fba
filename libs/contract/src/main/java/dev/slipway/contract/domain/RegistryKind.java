package dev.slipway.contract.domain;

/** The registries, in the order in which their seeds are stored. Scopes belong to IAM; the catalog only replicates them. */
public enum RegistryKind implements TextEnum {
    ARTIFACT_TYPE,
    AUDIT_ACTION,
    EVIDENCE_TYPE,
    NOTIFICATION_TEMPLATE,
    POLICY,
    PRODUCT,
    RETENTION_CLASS,
    RUNTIME_BACKEND,
    SCOPE,
    USAGE_UNIT
}
