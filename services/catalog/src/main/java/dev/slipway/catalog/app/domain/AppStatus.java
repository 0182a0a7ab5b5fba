package dev.slipway.catalog.app.domain;

import dev.slipway.contract.domain.TextEnum;

/** Status of an app. No version of a disabled app can be launched. */
public enum AppStatus implements TextEnum {
    ACTIVE,
    DEPRECATED,
    DISABLED
}
