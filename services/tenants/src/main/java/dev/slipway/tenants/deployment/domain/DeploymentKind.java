package dev.slipway.tenants.deployment.domain;

import dev.slipway.contract.domain.TextEnum;

/** The purpose of a deployment. */
public enum DeploymentKind implements TextEnum {
    /** The tenant's own bundle is deployed. */
    DEPLOY,
    INSTALL,
    UPGRADE,
    UNINSTALL
}
