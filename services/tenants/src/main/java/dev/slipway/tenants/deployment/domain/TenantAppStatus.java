package dev.slipway.tenants.deployment.domain;

import org.jspecify.annotations.Nullable;

/** The state of an app in a tenant, which follows from its deployments. */
public enum TenantAppStatus {
    INSTALLING,
    INSTALLED,
    UPGRADING,
    UNINSTALLING,
    UNINSTALLED,
    FAILED;

    /**
     * Returns the state of an app.
     *
     * @param latest its newest deployment
     * @param effective its newest deployment that is ready; null if there is none
     */
    public static TenantAppStatus of(Deployment latest, @Nullable Deployment effective) {
        return switch (latest.status()) {
            case READY, FAILED -> ofEffective(effective);
            case VALIDATING, DIFFING, MIGRATING, REGISTERING, ROLLING_BACK ->
                switch (latest.kind()) {
                    case DEPLOY, INSTALL -> INSTALLING;
                    case UPGRADE -> UPGRADING;
                    case UNINSTALL -> UNINSTALLING;
                };
        };
    }

    private static TenantAppStatus ofEffective(@Nullable Deployment effective) {
        if (effective == null) {
            return FAILED;
        }
        return effective.kind() == DeploymentKind.UNINSTALL ? UNINSTALLED : INSTALLED;
    }
}
