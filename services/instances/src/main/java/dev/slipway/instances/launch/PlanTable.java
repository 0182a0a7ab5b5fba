package dev.slipway.instances.launch;

/** The tables of stored plans. A plan belongs to the project or the organization that requested it. */
public enum PlanTable {
    APP_INSTANCES("app_instance_plans", "project_id"),
    SHARED_RUNTIMES("shared_runtime_plans", "org_id");

    private final String table;
    private final String ownerColumn;

    PlanTable(String table, String ownerColumn) {
        this.table = table;
        this.ownerColumn = ownerColumn;
    }

    /** Returns a statement with the names of this table in place of <code>{plans}</code> and <code>{owner}</code>. */
    String sql(String template) {
        return template.replace("{plans}", table).replace("{owner}", ownerColumn);
    }
}
