package dev.slipway.iam.tenancy.project;

import dev.slipway.authz.Authorizer;
import dev.slipway.authz.Authorizer.AccessibleScopes;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.contract.domain.ResourceState;
import dev.slipway.iam.revision.domain.Revision;
import dev.slipway.iam.tenancy.AuthzMutation;
import dev.slipway.iam.tenancy.AuthzMutation.Result;
import dev.slipway.iam.tenancy.AuthzPublisher;
import dev.slipway.iam.tenancy.TenancyRules;
import dev.slipway.iam.tenancy.binding.RoleBindingStore;
import dev.slipway.iam.tenancy.domain.BindingScope;
import dev.slipway.iam.tenancy.domain.Department;
import dev.slipway.iam.tenancy.domain.Project;
import dev.slipway.iam.tenancy.organization.DepartmentStore;
import dev.slipway.iam.tenancy.organization.OrganizationStore;
import dev.slipway.iam.tenancy.project.ProjectJson.CreateProject;
import dev.slipway.iam.tenancy.project.ProjectJson.UpdateProject;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.time.Clock;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;

/** The API operations on projects. */
public final class ProjectApi {
    private static final String READ = "iam.project.read";

    private final ProjectStore store;
    private final AuthzMutation mutation;
    private final OperatorAccountInsert insertOperatorAccount;
    private final Authorizer authorizer;
    private final Clock clock;

    /** Inserts the service account that operates the instances of a new project. */
    @FunctionalInterface
    public interface OperatorAccountInsert {
        Future<Boolean> insert(UnitOfWork unit, Revision revision, Project project, UUID createdByUserId);
    }

    public ProjectApi(
            ProjectStore store,
            AuthzMutation mutation,
            OperatorAccountInsert insertOperatorAccount,
            Authorizer authorizer,
            Clock clock) {
        this.store = store;
        this.mutation = mutation;
        this.insertOperatorAccount = insertOperatorAccount;
        this.authorizer = authorizer;
        this.clock = clock;
    }

    /** Creates a project that the caller owns, with the service account that operates its instances. */
    public Future<Reply> create(Request request) {
        var orgId = request.pathId("org_id");
        var body = Json.toRecord(request.body(), CreateProject.class);
        var creator = request.principal().responsibleUserId();
        return mutation.run(request, "iam.project.create", (unit, publisher) -> OrganizationStore.load(unit, orgId)
                .map(TenancyRules::requireActive)
                .compose(organization -> DepartmentStore.load(unit, orgId, body.departmentId()))
                .map(TenancyRules::requireActive)
                .compose(department -> {
                    var project = new Project(
                            Ids.next(),
                            orgId,
                            department.id(),
                            body.slug(),
                            body.displayName(),
                            Ids.next(),
                            ResourceState.ACTIVE,
                            unit.now(),
                            unit.now());
                    return insert(unit, publisher, project, creator);
                }));
    }

    public Future<Reply> update(Request request) {
        var body = Json.toRecord(request.body(), UpdateProject.class);
        return mutation.run(request, "iam.project.update", (unit, publisher) -> ProjectStore.load(
                        unit, orgOf(request), request.projectId())
                .map(TenancyRules::requireActive)
                .compose(before -> resolveDepartment(unit, before, body.departmentId())
                        .map(departmentId -> {
                            var name = Objects.requireNonNullElse(body.displayName(), before.displayName());
                            var after = before.withNameAndDepartment(name, departmentId, unit.now());
                            ProjectStore.update(unit, publisher, after);
                            return result(before, after, null);
                        })));
    }

    /** Marks a project as deleted: its data stays, and only reads and removals are possible. Deleting it again returns the same. */
    public Future<Reply> delete(Request request) {
        return mutation.run(request, "iam.project.delete", (unit, publisher) -> ProjectStore.load(
                        unit, orgOf(request), request.projectId())
                .map(before -> {
                    if (before.isDeleted()) {
                        return result(before, before, null);
                    }
                    var after = before.withState(ResourceState.DELETED, unit.now());
                    ProjectStore.update(unit, publisher, after);
                    return result(before, after, null);
                }));
    }

    /** Allows only reads and removals in a project until it is resumed. Suspending it again returns the same. */
    public Future<Reply> suspend(Request request) {
        return setState(request, "iam.project.suspend", ResourceState.SUSPENDED);
    }

    public Future<Reply> resume(Request request) {
        return setState(request, "iam.project.resume", ResourceState.ACTIVE);
    }

    private Future<Reply> setState(Request request, String action, ResourceState state) {
        return mutation.run(
                request, action, (unit, publisher) -> ProjectStore.load(unit, orgOf(request), request.projectId())
                        .map(TenancyRules::requireActive)
                        .map(before -> {
                            if (before.state() == state) {
                                return result(before, before, null);
                            }
                            var after = before.withState(state, unit.now());
                            ProjectStore.update(unit, publisher, after);
                            return result(before, after, null);
                        }));
    }

    public Future<Reply> get(Request request) {
        return store.find(orgOf(request), request.projectId()).map(found -> Reply.of(ProjectJson.of(found)));
    }

    /** Lists the projects that the caller may read, in one organization or in all. */
    public Future<Reply> listAccessible(Request request) {
        var orgId = request.query("org_id");
        var accessible = authorizer.findAccessibleScopes(request.principal(), READ, clock.instant());
        return store.list(accessible, orgId == null ? null : UUID.fromString(orgId), request.cursor(), request.limit())
                .map(page -> page.toReply(ProjectJson::of));
    }

    public Future<Reply> listInOrganization(Request request) {
        var orgId = request.pathId("org_id");
        return store.list(new AccessibleScopes(Set.of(orgId), Set.of()), orgId, request.cursor(), request.limit())
                .map(page -> page.toReply(ProjectJson::of));
    }

    private Future<Result> insert(UnitOfWork unit, AuthzPublisher publisher, Project project, UUID creator) {
        return ProjectStore.insert(unit, publisher, project)
                .compose(inserted -> inserted
                        ? insertOperatorAccount.insert(unit, publisher.revision(), project, creator)
                        : Future.failedFuture(TenancyRules.slugTaken(project.slug(), "project of the organization")))
                .compose(ok -> RoleBindingStore.grantOwnerRole(
                        unit, publisher, creator, BindingScope.project(project.orgId(), project.id())))
                .map(ok -> result(null, project, "/api/v1/projects/" + project.id()));
    }

    private static Future<UUID> resolveDepartment(UnitOfWork unit, Project project, @Nullable UUID named) {
        return named == null || named.equals(project.departmentId())
                ? Future.succeededFuture(project.departmentId())
                : DepartmentStore.load(unit, project.orgId(), named)
                        .map(TenancyRules::requireActive)
                        .map(Department::id);
    }

    private static UUID orgOf(Request request) {
        return Objects.requireNonNull(request.orgId(), "a project without organization");
    }

    private static Result result(@Nullable Project before, Project after, @Nullable String location) {
        return new Result(
                BindingScope.project(after.orgId(), after.id()),
                "project",
                after.id().toString(),
                before == null ? null : ProjectJson.of(before),
                ProjectJson.of(after),
                location);
    }
}
