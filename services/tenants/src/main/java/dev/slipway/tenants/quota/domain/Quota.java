package dev.slipway.tenants.quota.domain;

import dev.slipway.contract.domain.TextEnum;

/** The limits of a plan. */
public enum Quota implements TextEnum {
    MAX_USERS("users"),
    MAX_STORAGE_BYTES("bytes of storage"),
    API_RATE_LIMIT("data API requests per minute"),
    MAX_OBJECTS("objects"),
    MAX_RECORDS_PER_OBJECT("records per object"),
    MAX_DEPLOYMENTS_PER_DAY("deployments per day");

    private final String unit;

    Quota(String unit) {
        this.unit = unit;
    }

    /** Returns what is limited, for messages. */
    public String unit() {
        return unit;
    }
}
