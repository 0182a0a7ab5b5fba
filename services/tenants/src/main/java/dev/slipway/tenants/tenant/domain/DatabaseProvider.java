package dev.slipway.tenants.tenant.domain;

/** The kind of database that stores the data of a tenant. */
public enum DatabaseProvider {
    POSTGRES,
    /** The memory of one process: for previews and tests, lost on restart. */
    MEMORY,
    /** Known to clients, but not available: no provider is configured. */
    TURSO
}
