package dev.slipway.standalone;

/** Organizations, projects, users, groups, roles and actions. */
final class TenancyTour {
    private static final String ADMIN = "platform_superadmin";
    private static final String OWNER = "tour owner";

    private final TourRecorder tour;

    TenancyTour(TourRecorder tour) {
        this.tour = tour;
    }

    void run() {
        tour.chapter("01-organizations");
        organizations();
        tour.chapter("02-bindings-and-groups");
        bindings();
        groups();
        tour.chapter("03-roles-and-actions");
        roles();
        actions();
    }

    private void organizations() {
        tour.step(ADMIN, "createOrganization")
                .header("Idempotency-Key", "tour-organization")
                .body(
                        "{'slug': 'tour', 'display_name': 'Tour', 'owner': {'issuer': 'slipway-demo', 'subject': 'tour owner'}}")
                .sendAndSet("org_id");
        tour.step(ADMIN, "createOrganization")
                .header("Idempotency-Key", "tour-organization")
                .body(
                        "{'slug': 'tour', 'display_name': 'Tour', 'owner': {'issuer': 'slipway-demo', 'subject': 'tour owner'}}")
                .send();
        tour.step(ADMIN, "createOrganization")
                .header("Idempotency-Key", "tour-organization")
                .body("{'slug': 'other-tour', 'display_name': 'Tour'}")
                .send();
        tour.call(ADMIN, "createOrganization", "{'slug': 'tour', 'display_name': 'Tour again'}");
        tour.call(OWNER, "createOrganization", "{'slug': 'tour-two', 'display_name': 'Tour two'}");
        tour.call(OWNER, "listOrganizations");
        tour.call(ADMIN, "listAllOrganizations");
        tour.step(ADMIN, "listAllOrganizations").query("limit=1").send();
        tour.call(OWNER, "getOrganization");
        tour.call("other_tenant_owner", "getOrganization");
        tour.call(OWNER, "updateOrganization", "{'display_name': 'Tour, renamed'}");
        tour.call(OWNER, "updateOrganization", "{'plan': 'gold'}");
        tour.step(ADMIN, "adminUpdateOrganization")
                .header("X-Break-Glass-Reason", "The tenant ordered a plan without a policy")
                .body("{'plan': 'gold'}")
                .send();
        tour.call(ADMIN, "createOrganization", "{'slug': 'Not A Slug', 'extra': true}");

        tour.step(OWNER, "createDepartment")
                .body("{'slug': 'spare', 'display_name': 'Spare'}")
                .sendAndSet("department_id");
        tour.call(OWNER, "deleteDepartment");
        tour.step(OWNER, "createDepartment")
                .body("{'slug': 'research', 'display_name': 'Research'}")
                .sendAndSet("department_id");
        tour.call(OWNER, "createDepartment", "{'slug': 'research', 'display_name': 'Research'}");
        tour.call(OWNER, "listDepartments");
        tour.call(OWNER, "getDepartment");
        tour.call(OWNER, "updateDepartment", "{'display_name': 'Research and development'}");

        tour.step(OWNER, "createProject")
                .body("{'slug': 'main', 'display_name': 'Main', 'department_id': '$department_id$'}")
                .sendAndSet("project_id");
        tour.call(OWNER, "createProject", "{'slug': 'main', 'display_name': 'Main'}");
        tour.call(OWNER, "createProject", "{'slug': 'side', 'display_name': 'Side'}");
        tour.call(OWNER, "listOrganizationProjects");
        tour.call(OWNER, "listProjects");
        tour.call(OWNER, "getProject");
        tour.call("tour stranger", "getProject");
        tour.call(OWNER, "updateProject", "{'display_name': 'Main project'}");
        tour.call(OWNER, "deleteDepartment");
    }

    private void bindings() {
        tour.step(OWNER, "createOrganizationRoleBinding")
                .body(
                        "{'issuer': 'slipway-demo', 'subject': 'tour admin', 'display_name': 'Tour Admin', 'role': 'tenant_admin'}")
                .sendAndSet("binding_id");
        tour.call(OWNER, "listOrganizationRoleBindings");
        tour.call(OWNER, "getOrganizationRoleBinding");
        tour.call(
                "tour admin",
                "createOrganizationRoleBinding",
                "{'issuer': 'slipway-demo', 'subject': 'x', 'role': 'tenant_owner'}");
        tour.call(
                OWNER,
                "createOrganizationRoleBinding",
                "{'issuer': 'slipway-demo', 'subject': 'x', 'role': 'no_such_role'}");
        tour.call(OWNER, "deleteOrganizationRoleBinding");
        tour.call(OWNER, "deleteOrganizationRoleBinding");

        tour.step(OWNER, "createProjectRoleBinding")
                .body("{'issuer': 'slipway-demo', 'subject': 'tour member', 'role': 'project_member'}")
                .sendAndSet("binding_id");
        tour.set("user_id", tour.call(OWNER, "getProjectRoleBinding").text("principal_id"));
        tour.call(OWNER, "listProjectRoleBindings");
        tour.call(
                "tour member",
                "createProjectRoleBinding",
                "{'issuer': 'slipway-demo', 'subject': 'x', 'role': 'project_viewer'}");
        tour.call(OWNER, "listOrganizationUsers");
        tour.call(OWNER, "getOrganizationUser");
        tour.call(OWNER, "listProjectUsers");
        tour.call(OWNER, "getProjectUser");
        tour.call(ADMIN, "listPlatformUsers");
        tour.call(ADMIN, "getPlatformUser");
        tour.call("tour member", "getMe");
        tour.call(ADMIN, "disableUser");
        tour.call("tour member", "getMe");
        tour.call(ADMIN, "enableUser");
        tour.call(OWNER, "deleteProjectRoleBinding");

        tour.step(ADMIN, "createPlatformRoleBinding")
                .body("{'issuer': 'slipway-demo', 'subject': 'tour operator', 'role': 'platform_ops'}")
                .sendAndSet("binding_id");
        tour.call(ADMIN, "listPlatformRoleBindings");
        tour.call(ADMIN, "getPlatformRoleBinding");
        tour.call(
                OWNER,
                "createPlatformRoleBinding",
                "{'issuer': 'slipway-demo', 'subject': 'x', 'role': 'platform_ops'}");
        tour.call(ADMIN, "deletePlatformRoleBinding");
    }

    private void groups() {
        tour.step(OWNER, "createGroup")
                .body("{'slug': 'engineers', 'display_name': 'Engineers'}")
                .sendAndSet("group_id");
        tour.call(OWNER, "listGroups");
        tour.call(OWNER, "getGroup");
        tour.call(OWNER, "updateGroup", "{'display_name': 'All engineers'}");
        tour.call(OWNER, "addGroupMember", "{'user_id': '$user_id$'}");
        tour.call(OWNER, "listGroupMembers");
        tour.call(OWNER, "createProjectRoleBinding", "{'group_id': '$group_id$', 'role': 'project_viewer'}");
        tour.call("tour member", "getProject");
        tour.call(OWNER, "removeGroupMember");
        tour.call("tour member", "getProject");
        tour.call(OWNER, "deleteGroup");
    }

    private void roles() {
        tour.call(OWNER, "listRoles");
        tour.step(OWNER, "createRole")
                .body("{'display_name': 'Watcher', 'level': 'project', 'actions': ['apps.instance.read']}")
                .sendAndSet("role", "role");
        tour.call(OWNER, "listOrganizationRoles");
        tour.call(OWNER, "getRole");
        tour.call(OWNER, "updateRole", "{'display_name': 'Watchers', 'actions': ['apps.instance.read', 'usage.read']}");
        tour.call(OWNER, "createRole", "{'display_name': 'Too much', 'level': 'project', 'actions': ['no.such']}");
        tour.call(OWNER, "deleteRole");
        tour.call(OWNER, "deleteRole");
    }

    private void actions() {
        tour.call(OWNER, "listScopes");
        tour.set("scope_id", "apps.tour.visit");
        tour.call(
                ADMIN,
                "registerScope",
                "{'scope_id': 'apps.tour.visit', 'product_id': 'apps', 'risk_class': 'low', 'description': 'Visit.', 'default_roles': ['project_owner']}");
        awaitInCatalog("draft");
        tour.call(ADMIN, "deprecateScope");
        tour.call(ADMIN, "activateScope");
        awaitInCatalog("active");
        tour.call(ADMIN, "deprecateScope");
        awaitInCatalog("deprecated");
        tour.call(ADMIN, "retireScope");
        awaitInCatalog("retired");
        tour.call(
                OWNER,
                "registerScope",
                "{'scope_id': 'apps.tour.leave', 'product_id': 'apps', 'risk_class': 'low', 'description': 'Leave.'}");
        tour.step(OWNER, "listScopes").query("product_id=apps").send();
    }

    /** The catalog may apply several changes of an action at once; one at a time, each has an event of its own. */
    private void awaitInCatalog(String state) {
        tour.awaitTrue("SELECT state = '" + state
                + "' FROM catalog.registry_entries WHERE kind = 'scope' AND id = 'apps.tour.visit'");
    }
}
