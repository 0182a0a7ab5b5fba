package dev.slipway.catalog.policy;

import dev.slipway.contract.Envelope;
import dev.slipway.contract.Json;
import dev.slipway.messaging.UnitOfWork;
import org.jspecify.annotations.Nullable;

import java.util.Objects;
import java.util.UUID;

/** Maintains the plan of organizations and the department of projects from IAM's snapshots. */
public final class PolicyScopeConsumer {
    private PolicyScopeConsumer() {}

    private record OrganizationSnapshot(
            UUID orgId, @Nullable String plan, long revision) {}

    private record DepartmentSnapshot(UUID departmentId, UUID orgId, long revision) {}

    private record ProjectSnapshot(
            UUID projectId, UUID orgId, @Nullable UUID departmentId, long revision) {}

    public static void apply(UnitOfWork unit, Envelope event) {
        switch (event.eventType()) {
            case "iam.organization.snapshot" -> {
                var s = Json.toRecord(event.payload(), OrganizationSnapshot.class);
                PolicyScopeStore.upsertOrganization(unit, s.orgId, Objects.requireNonNullElse(s.plan, ""), s.revision);
            }
            case "iam.department.snapshot" -> {
                var s = Json.toRecord(event.payload(), DepartmentSnapshot.class);
                PolicyScopeStore.insertDepartment(unit, s.departmentId, s.orgId, s.revision);
            }
            case "iam.project.snapshot" -> {
                var s = Json.toRecord(event.payload(), ProjectSnapshot.class);
                PolicyScopeStore.upsertProject(unit, s.projectId, s.orgId, s.departmentId, s.revision);
            }
            default -> {
                // Other snapshots do not affect policy.
            }
        }
    }
}
