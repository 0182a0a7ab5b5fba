package dev.slipway.iam.tenancy.organization;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
import dev.slipway.iam.tenancy.domain.Department;
import dev.slipway.iam.tenancy.domain.Organization;

/** Organizations and departments as the contract writes them. */
final class OrganizationJson {
    private OrganizationJson() {}

    static ObjectNode of(Organization organization) {
        return Json.object()
                .put("id", organization.id().toString())
                .put("slug", organization.slug())
                .put("display_name", organization.displayName())
                .put("plan", organization.plan())
                .put("state", organization.deleted() ? "deleted" : "active")
                .put("created_at", organization.createdAt().toString())
                .put("updated_at", organization.updatedAt().toString());
    }

    static ObjectNode of(Department department) {
        return Json.object()
                .put("id", department.id().toString())
                .put("org_id", department.orgId().toString())
                .put("slug", department.slug())
                .put("display_name", department.displayName())
                .put("is_default", department.isDefault())
                .put("state", department.deleted() ? "deleted" : "active")
                .put("created_at", department.createdAt().toString());
    }
}
