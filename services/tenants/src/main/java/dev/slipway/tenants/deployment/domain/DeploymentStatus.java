package dev.slipway.tenants.deployment.domain;

import dev.slipway.contract.domain.TextEnum;

/** The states of a deployment. One that was undone ends as failed. */
public enum DeploymentStatus implements TextEnum {
    VALIDATING,
    DIFFING,
    MIGRATING,
    REGISTERING,
    READY,
    FAILED,
    ROLLING_BACK
}
