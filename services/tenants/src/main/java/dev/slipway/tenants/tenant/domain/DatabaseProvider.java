package dev.slipway.tenants.tenant.domain;

import dev.slipway.contract.domain.TextEnum;

/** The kind of database that stores the data of a tenant. */
public enum DatabaseProvider implements TextEnum {
    POSTGRES,
    /** The memory of one process: for previews and tests, lost on restart. */
    MEMORY,
    /** Known to clients, but not available: no provider is configured. */
    TURSO
}
