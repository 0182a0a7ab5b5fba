package dev.slipway.tenants.deployment.domain;

/** The purpose of a deployment. */
public enum DeploymentKind {
    /** The tenant's own bundle is deployed. */
    DEPLOY,
    INSTALL,
    UPGRADE,
    UNINSTALL
}
