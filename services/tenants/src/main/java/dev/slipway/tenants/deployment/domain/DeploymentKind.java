package dev.slipway.tenants.deployment.domain;

/** Why a deployment runs. */
public enum DeploymentKind {
    /** The tenant's own bundle is deployed. */
    DEPLOY,
    INSTALL,
    UPGRADE,
    UNINSTALL
}
