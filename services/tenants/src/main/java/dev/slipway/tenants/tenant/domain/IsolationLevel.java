package dev.slipway.tenants.tenant.domain;

import dev.slipway.contract.domain.TextEnum;

/** The boundary between the data of a tenant and that of others. */
public enum IsolationLevel implements TextEnum {
    /** Tables in a schema that tenants share; row-level security separates the rows. */
    SHARED_SCHEMA,
    /** A schema and roles of its own in a database that tenants share. */
    ISOLATED_SCHEMA,
    /** A database and roles of its own. */
    ISOLATED_DB
}
