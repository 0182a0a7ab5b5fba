package dev.slipway.iam.tenancy.organization;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
import dev.slipway.contract.domain.ResourceState;
import dev.slipway.iam.tenancy.domain.Department;
import dev.slipway.iam.tenancy.domain.Organization;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.UUID;

/** The JSON of organizations and departments. */
final class OrganizationJson {
    private OrganizationJson() {}

    record CreateOrganization(
            String slug, String displayName, @Nullable String plan) {}

    record UpdateOrganization(
            @Nullable String displayName, @Nullable String plan) {}

    record CreateDepartment(String slug, String displayName) {}

    record UpdateDepartment(@Nullable String displayName) {}

    private record OrganizationView(
            UUID id,
            String slug,
            String displayName,
            String plan,
            ResourceState state,
            Instant createdAt,
            Instant updatedAt) {}

    private record DepartmentView(
            UUID id,
            UUID orgId,
            String slug,
            String displayName,
            boolean isDefault,
            ResourceState state,
            Instant createdAt) {}

    static ObjectNode of(Organization organization) {
        return Json.toObject(new OrganizationView(
                organization.id(),
                organization.slug(),
                organization.displayName(),
                organization.plan(),
                organization.state(),
                organization.createdAt(),
                organization.updatedAt()));
    }

    static ObjectNode of(Department department) {
        return Json.toObject(new DepartmentView(
                department.id(),
                department.orgId(),
                department.slug(),
                department.displayName(),
                department.isDefault(),
                department.state(),
                department.createdAt()));
    }
}
