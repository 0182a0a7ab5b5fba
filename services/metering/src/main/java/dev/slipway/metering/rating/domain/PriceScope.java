package dev.slipway.metering.rating.domain;

import dev.slipway.contract.domain.TextEnum;

/** To whom a price applies. A price for the organization precedes one for its plan, which precedes the default. */
public enum PriceScope implements TextEnum {
    DEFAULT,
    PLAN,
    ORGANIZATION
}
