package dev.slipway.tenants.tenant.domain;

/** Where the data of a tenant is stored. */
public enum DatabaseProvider {
    POSTGRES,
    /** The memory of one process: for previews and tests, lost on restart. */
    MEMORY,
    /** Known to clients, but not available: no provider is configured. */
    TURSO
}
