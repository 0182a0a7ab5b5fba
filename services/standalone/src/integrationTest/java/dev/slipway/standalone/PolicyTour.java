package dev.slipway.standalone;

/** Policy levels, entitlements, previews and decisions. */
final class PolicyTour {
    private static final String ADMIN = "platform_superadmin";
    private static final String OWNER = "tour owner";

    private final TourRecorder tour;
    private final String project;

    PolicyTour(TourRecorder tour) {
        this.tour = tour;
        this.project = tour.platform().database().query("SELECT id FROM iam.projects WHERE slug = 'main'");
    }

    void run() {
        tour.set("project_id", project);
        tour.chapter("10-policy");
        levels();
        entitlements();
        tour.chapter("11-decisions");
        decisions();
    }

    private void levels() {
        tour.awaitTrue("SELECT (SELECT count(*) FROM iam.projects) = (SELECT count(*) FROM catalog.projects)");
        tour.call(ADMIN, "getGlobalPolicy");
        tour.call(ADMIN, "putGlobalPolicy", "{'values': {'max_gpus_per_instance': 8}}");
        put(ADMIN, "Global", "{'values': {'max_gpus_per_instance': 8}}");
        tour.set("plan", "gold");
        put(ADMIN, "Plan", "{'values': {'max_gpus_per_instance': 6}}");
        tour.awaitTrue("SELECT EXISTS (SELECT FROM iam.plans WHERE plan = 'gold')");
        tour.step(ADMIN, "adminUpdateOrganization")
                .header("X-Break-Glass-Reason", "The tenant ordered another plan")
                .body("{'plan': 'gold'}")
                .send();
        tour.awaitTrue("SELECT count(*) = 1 FROM catalog.organizations WHERE plan = 'gold'");
        put(OWNER, "Organization", "{'values': {'allowed_regions': ['eu', 'us'], 'max_instances_per_project': 5}}");
        put(OWNER, "Department", "{'values': {'allowed_regions': ['eu']}}");
        put(OWNER, "Project", "{'values': {'max_instances_per_project': 3}}");
        put(OWNER, "Project", "{'values': {'max_instances_per_project': 9}}");
        put(OWNER, "Project", "{'values': {'no_such_key': 9}}");
        tour.step(OWNER, "putProjectPolicy")
                .header("If-Match", "\"99\"")
                .body("{'values': {}}")
                .send();
        tour.step(OWNER, "getProjectPolicy").query("version=1").send();
        tour.call(OWNER, "getEffectivePolicy");
        tour.step(OWNER, "getEffectivePolicy")
                .query("app_slug=echo&explain=true")
                .send();
        tour.call(OWNER, "previewPolicy", "{'project_id': '$project_id$', 'values': {'allowed_regions': ['us']}}");
        tour.call(ADMIN, "previewPlatformPolicy", "{'plan': 'gold', 'values': {'max_gpus_per_instance': 1}}");
        tour.call("other_tenant_owner", "getOrganizationPolicy");
    }

    private void entitlements() {
        tour.set("app_slug", DemoData.APP);
        tour.call(OWNER, "getAppEntitlement");
        var etag = tour.call(OWNER, "putAppEntitlement", "{}").header("ETag");
        tour.call(OWNER, "putAppEntitlement", "{'enabled': false}");
        tour.step(OWNER, "putAppEntitlement")
                .header("If-Match", etag)
                .body("{'policy_overrides': {'max_instances_per_project': 2}}")
                .send();
        tour.step(OWNER, "putAppEntitlement")
                .header("If-Match", etag)
                .body("{}")
                .send();
        tour.call(OWNER, "getAppEntitlement");
        tour.call(OWNER, "listAppEntitlements");
        tour.call("other_tenant_owner", "listAppEntitlements");
    }

    private void decisions() {
        var place = "'hierarchy': {'project_id': '" + DemoData.PROJECT + "'}";
        tour.call("project_owner", "decide", "{'product': {'action': 'apps.instance.create'}, " + place + "}");
        tour.call(
                "project_viewer",
                "decide",
                "{'product': {'action': 'apps.instance.create'}, " + place + ", 'correlation_id': 'mine'}");
        tour.call("project_viewer", "decide", "{'product': {'action': 'no.such'}, " + place + "}");
        tour.call("project_viewer", "decide", "{'product': {}}");
        tour.call("project_owner", "explainDecision", "{'product': {'action': 'apps.instance.create'}, " + place + "}");
        tour.call(ADMIN, "explainDecision", "{'product': {'action': 'apps.instance.create'}, " + place + "}");
        tour.set("org_id", DemoData.ORG);
        tour.call(
                "tenant_owner",
                "explainOrganizationDecision",
                "{'actor': {'id': '01900000-0000-7000-8000-000000000308'}, 'product': {'action': 'apps.instance.read'}, "
                        + place + "}");
        tour.call("other_tenant_owner", "explainOrganizationDecision", "{'product': {'action': 'apps.instance.read'}}");
    }

    private void put(String caller, String level, String body) {
        var etag = tour.call(caller, "get" + level + "Policy").header("ETag");
        tour.step(caller, "put" + level + "Policy")
                .header("If-Match", etag)
                .body(body)
                .send();
    }
}
