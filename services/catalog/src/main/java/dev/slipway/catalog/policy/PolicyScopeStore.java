package dev.slipway.catalog.policy;

import dev.slipway.messaging.UnitOfWork;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.util.UUID;

/** The SQL of the plans of organizations and the departments of projects. A revision older than the stored one changes nothing. */
final class PolicyScopeStore {
    private static final String ORGANIZATION = """
            INSERT INTO organizations (id, plan, revision) VALUES ($1, $2, $3)
            ON CONFLICT (id) DO UPDATE SET plan = $2, revision = $3 WHERE organizations.revision < $3
            """;
    private static final String DEPARTMENT = """
            INSERT INTO departments (id, org_id, revision) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING
            """;
    private static final String PROJECT = """
            INSERT INTO projects (id, org_id, department_id, revision) VALUES ($1, $2, $3, $4)
            ON CONFLICT (id) DO UPDATE SET department_id = $3, revision = $4 WHERE projects.revision < $4
            """;

    private PolicyScopeStore() {}

    static void upsertOrganization(UnitOfWork unit, UUID orgId, String plan, long revision) {
        unit.write(ORGANIZATION, Tuple.of(orgId, plan, revision));
    }

    static void insertDepartment(UnitOfWork unit, UUID departmentId, UUID orgId, long revision) {
        unit.write(DEPARTMENT, Tuple.of(departmentId, orgId, revision));
    }

    static void upsertProject(UnitOfWork unit, UUID projectId, UUID orgId, @Nullable UUID departmentId, long revision) {
        unit.write(PROJECT, Tuple.of(projectId, orgId, departmentId, revision));
    }
}
