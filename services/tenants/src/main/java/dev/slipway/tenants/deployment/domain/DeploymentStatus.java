package dev.slipway.tenants.deployment.domain;

/** The states of a deployment. One that was undone ends as failed. */
public enum DeploymentStatus {
    VALIDATING,
    DIFFING,
    MIGRATING,
    REGISTERING,
    READY,
    FAILED,
    ROLLING_BACK
}
