package dev.slipway.tenants.tenant.domain;

import java.util.UUID;

/**
 * The names of a tenant's schema, roles and tables. All names consist of lower-case letters, digits and '_', and are derived from the tenant id.
 *
 * @param owner the role that owns the tables and changes them; it cannot log in
 * @param role the role that reads and writes the tables
 * @param tablePrefix the beginning of the table names in a shared schema, otherwise empty
 */
public record DatabaseNames(String database, String schema, String owner, String role, String tablePrefix) {
    /** The longest identifier in PostgreSQL, in bytes. */
    public static final int MAX_IDENTIFIER_LENGTH = 63;

    /** The longest object name, so that the table name fits with any prefix. */
    public static final int MAX_OBJECT_NAME_LENGTH = 45;

    /** The beginning of the names of tables that the platform needs beside those of objects. */
    public static final String PLATFORM_TABLE_PREFIX = "_slipway";

    public static final String SHARED_SCHEMA = "shared";
    public static final String SHARED_OWNER = "slipway_tenants_shared_owner";
    public static final String SHARED_ROLE = "slipway_tenants_shared";

    private static final String OWN_DATABASE_SCHEMA = "app";

    /**
     * Returns the names of a tenant.
     *
     * @param sharedDatabase the database of the tenants that have none of their own
     */
    public static DatabaseNames of(UUID tenantId, IsolationLevel isolationLevel, String sharedDatabase) {
        var name = "tenant_" + tenantId.toString().replace("-", "");
        return switch (isolationLevel) {
            case ISOLATED_DB -> new DatabaseNames(name, OWN_DATABASE_SCHEMA, name + "_owner", name, "");
            case ISOLATED_SCHEMA -> new DatabaseNames(sharedDatabase, name, name + "_owner", name, "");
            case SHARED_SCHEMA ->
                new DatabaseNames(
                        sharedDatabase,
                        SHARED_SCHEMA,
                        SHARED_OWNER,
                        SHARED_ROLE,
                        "t%016x_".formatted(tenantId.getLeastSignificantBits()));
        };
    }

    /** Returns the table of an object, without quotes. */
    public String table(String objectName) {
        return tablePrefix + objectName;
    }

    public boolean isShared() {
        return schema.equals(SHARED_SCHEMA);
    }
}
