package dev.slipway.iam.tenancy.project;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.authz.Authorizer;
import dev.slipway.authz.Authorizer.Reach;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.iam.serviceaccount.ServiceAccount;
import dev.slipway.iam.serviceaccount.ServiceAccountStore;
import dev.slipway.iam.tenancy.AuthzRecords;
import dev.slipway.iam.tenancy.Changes;
import dev.slipway.iam.tenancy.Changes.Changed;
import dev.slipway.iam.tenancy.binding.BindingStore;
import dev.slipway.iam.tenancy.domain.Place;
import dev.slipway.iam.tenancy.domain.Project;
import dev.slipway.iam.tenancy.organization.DepartmentStore;
import dev.slipway.iam.tenancy.organization.OrganizationStore;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.time.Clock;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;

/** The operations on projects. */
public final class ProjectApi {
    private static final String READ = "iam.project.read";
    private static final List<String> OPERATOR_ACTIONS = List.of("apps.instance.read", "apps.instance.report");

    private final ProjectStore store;
    private final Changes changes;
    private final Authorizer authorizer;
    private final Clock clock;

    public ProjectApi(ProjectStore store, Changes changes, Authorizer authorizer, Clock clock) {
        this.store = store;
        this.changes = changes;
        this.authorizer = authorizer;
        this.clock = clock;
    }

    /** With who creates it for an owner, and an account for what operates its instances. */
    public Future<Reply> create(Request request) {
        var orgId = request.pathId("org_id");
        var body = request.body();
        var creator = request.principal().responsibleUserId();
        return changes.run(request, "iam.project.create", (unit, records) -> OrganizationStore.loadLive(unit, orgId)
                .compose(organization -> DepartmentStore.loadLive(unit, orgId, id(body.path("department_id"))))
                .compose(department -> {
                    var made = new Project(
                            Ids.next(),
                            orgId,
                            department.id(),
                            body.path("slug").asText(),
                            body.path("display_name").asText(),
                            Ids.next(),
                            false,
                            unit.now(),
                            unit.now());
                    return add(unit, records, made, creator);
                }));
    }

    public Future<Reply> update(Request request) {
        var body = request.body();
        return changes.run(request, "iam.project.update", (unit, records) -> ProjectStore.loadLive(
                        unit, orgOf(request), request.projectId())
                .compose(before -> department(unit, before, id(body.path("department_id")))
                        .map(departmentId -> {
                            var name = body.path("display_name").asText(before.displayName());
                            var after = before.changed(name, departmentId, unit.now());
                            ProjectStore.update(unit, records, after);
                            return changed(before, after, null);
                        })));
    }

    /** Nothing of it goes away, but from now on nothing in it can be done but deleting. A deleted one answers the same. */
    public Future<Reply> delete(Request request) {
        return changes.run(request, "iam.project.delete", (unit, records) -> ProjectStore.load(
                        unit, orgOf(request), request.projectId())
                .map(before -> {
                    if (before.deleted()) {
                        return changed(before, before, null);
                    }
                    var after = before.deleted(unit.now());
                    ProjectStore.update(unit, records, after);
                    return changed(before, after, null);
                }));
    }

    public Future<Reply> get(Request request) {
        return store.find(orgOf(request), request.projectId()).map(found -> Reply.of(json(found)));
    }

    /** Those that the caller may read, wherever they are. */
    public Future<Reply> listMine(Request request) {
        var orgId = request.query("org_id");
        var reach = authorizer.reach(request.principal(), READ, clock.instant());
        return store.list(reach, orgId == null ? null : UUID.fromString(orgId), request.cursor(), request.limit())
                .map(page -> page.reply(ProjectApi::json));
    }

    public Future<Reply> listOfOrganization(Request request) {
        var orgId = request.pathId("org_id");
        return store.list(new Reach(Set.of(orgId), Set.of()), orgId, request.cursor(), request.limit())
                .map(page -> page.reply(ProjectApi::json));
    }

    private static Future<Changed> add(UnitOfWork unit, AuthzRecords records, Project made, UUID creator) {
        var operator = ServiceAccount.active(
                made.operatorServiceAccountId(),
                made.orgId(),
                made.id(),
                "operator",
                "Operator of the project's instances",
                null,
                null,
                OPERATOR_ACTIONS,
                creator,
                made.createdAt());
        return ProjectStore.add(unit, records, made)
                .compose(added -> added
                        ? ServiceAccountStore.add(unit, records.revision(), operator)
                        : Future.failedFuture(taken(made.slug())))
                .compose(ok -> BindingStore.own(unit, records, creator, Place.project(made.orgId(), made.id())))
                .map(ok -> changed(null, made, "/api/v1/projects/" + made.id()));
    }

    private static Future<UUID> department(UnitOfWork unit, Project project, @Nullable UUID named) {
        return named == null || named.equals(project.departmentId())
                ? Future.succeededFuture(project.departmentId())
                : DepartmentStore.loadLive(unit, project.orgId(), named).map(found -> found.id());
    }

    private static UUID orgOf(Request request) {
        return Objects.requireNonNull(request.orgId(), "a project without organization");
    }

    private static @Nullable UUID id(JsonNode node) {
        return node.isTextual() ? UUID.fromString(node.asText()) : null;
    }

    private static Changed changed(@Nullable Project before, Project after, @Nullable String location) {
        return new Changed(
                Place.project(after.orgId(), after.id()),
                "project",
                after.id().toString(),
                before == null ? null : json(before),
                json(after),
                location);
    }

    private static ObjectNode json(Project project) {
        return Json.object()
                .put("id", project.id().toString())
                .put("org_id", project.orgId().toString())
                .put("department_id", project.departmentId().toString())
                .put("slug", project.slug())
                .put("display_name", project.displayName())
                .put(
                        "operator_service_account_id",
                        project.operatorServiceAccountId().toString())
                .put("state", project.deleted() ? "deleted" : "active")
                .put("created_at", project.createdAt().toString())
                .put("updated_at", project.updatedAt().toString());
    }

    private static Throwable taken(String slug) {
        return Problem.validationOf(
                        ErrorCode.SLUG_TAKEN,
                        "/slug",
                        "is taken: the organization has, or had, a project \"" + slug + "\"")
                .asException();
    }
}
