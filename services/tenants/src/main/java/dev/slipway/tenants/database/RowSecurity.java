package dev.slipway.tenants.database;

import dev.slipway.tenants.tenant.domain.DatabaseNames;
import dev.slipway.tenants.tenant.domain.Tenant;

import java.util.List;

import static dev.slipway.tenants.tenant.domain.SqlText.identifier;
import static dev.slipway.tenants.tenant.domain.SqlText.literal;

/**
 * Row-level security of tables in the shared schema. Every row belongs to the tenant that the setting {@code app.current_tenant} names, and
 * is accessible only while the list of active tenants contains it.
 */
public final class RowSecurity {
    /** The setting that names the tenant of a connection. */
    public static final String CURRENT_TENANT = "app.current_tenant";

    /** The table of the tenants whose rows can be accessed. */
    static final String ACCESS_TABLE = "slipway_tenant_access";

    private static final String IS_OWN_ROW = "tenant_id = current_setting('" + CURRENT_TENANT + "')::uuid";
    private static final String ACCESS_FUNCTION = "slipway_require_access()";
    /** As a subquery, the function is called once per statement and not once per row. */
    private static final String HAS_ACCESS = "(SELECT " + ACCESS_FUNCTION + ")";

    private RowSecurity() {}

    /**
     * Returns the statement that creates the function which the policies call. It fails without access: a caller with an outdated cache would
     * otherwise see an empty table.
     */
    static String createFunction(String schema) {
        return """
                CREATE OR REPLACE FUNCTION %1$s.%2$s RETURNS boolean LANGUAGE plpgsql STABLE AS $$
                BEGIN
                  IF EXISTS (SELECT FROM %1$s.%3$s WHERE tenant_id = current_setting('%4$s')::uuid) THEN
                    RETURN true;
                  END IF;
                  RAISE EXCEPTION 'the tenant has no access' USING ERRCODE = 'insufficient_privilege';
                END $$
                """.formatted(schema, ACCESS_FUNCTION, ACCESS_TABLE, CURRENT_TENANT);
    }

    /** Returns the statements that protect a new table of the tenant; empty if the tenant has a schema or database of its own. */
    public static List<String> statements(Tenant tenant, String table) {
        if (!tenant.names().isShared()) {
            return List.of();
        }
        var name = identifier(table);
        var own = "(" + IS_OWN_ROW + ")";
        var accessible = "(" + IS_OWN_ROW + " AND " + HAS_ACCESS + ")";
        return List.of(
                "ALTER TABLE " + name + " ADD COLUMN tenant_id uuid NOT NULL DEFAULT current_setting('" + CURRENT_TENANT
                        + "')::uuid CHECK (tenant_id = " + literal(tenant.id().toString()) + ")",
                "ALTER TABLE " + name + " ENABLE ROW LEVEL SECURITY",
                "ALTER TABLE " + name + " FORCE ROW LEVEL SECURITY",
                // The owner changes tables and exports data, also while access is denied.
                "CREATE POLICY owner_rows ON " + name + " TO " + DatabaseNames.SHARED_OWNER + " USING " + own
                        + " WITH CHECK " + own,
                "CREATE POLICY tenant_rows ON " + name + " TO " + DatabaseNames.SHARED_ROLE + " USING " + accessible
                        + " WITH CHECK " + accessible);
    }
}
