package dev.slipway.catalog.policy;

import dev.slipway.contract.Envelope;
import dev.slipway.contract.Json;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.util.UUID;

/** Stores the plan of organizations and the department of projects from IAM's snapshots. Older snapshots are ignored. */
public final class PolicyScopeStore {
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

    private record ScopeSnapshot(
            UUID orgId,
            @Nullable UUID departmentId,
            @Nullable UUID projectId,
            @Nullable String plan,
            long revision) {}

    public void apply(UnitOfWork unit, Envelope event) {
        switch (event.eventType()) {
            case "iam.organization.snapshot" -> {
                var snapshot = parse(event);
                var plan = snapshot.plan;
                unit.write(ORGANIZATION, Tuple.of(snapshot.orgId, plan == null ? "" : plan, snapshot.revision));
            }
            case "iam.department.snapshot" -> {
                var snapshot = parse(event);
                unit.write(DEPARTMENT, Tuple.of(snapshot.departmentId, snapshot.orgId, snapshot.revision));
            }
            case "iam.project.snapshot" -> {
                var snapshot = parse(event);
                unit.write(
                        PROJECT,
                        Tuple.of(snapshot.projectId, snapshot.orgId, snapshot.departmentId, snapshot.revision));
            }
            default -> {
                // Other snapshots do not affect policy.
            }
        }
    }

    private static ScopeSnapshot parse(Envelope event) {
        return Json.toRecord(event.payload(), ScopeSnapshot.class);
    }
}
