package dev.slipway.iam.tenancy.organization;

import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.iam.tenancy.AuthzMutation;
import dev.slipway.iam.tenancy.AuthzMutation.Result;
import dev.slipway.iam.tenancy.TenancyRules;
import dev.slipway.iam.tenancy.domain.BindingScope;
import dev.slipway.iam.tenancy.domain.Department;
import dev.slipway.iam.tenancy.organization.OrganizationJson.CreateDepartment;
import dev.slipway.iam.tenancy.organization.OrganizationJson.UpdateDepartment;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.util.Objects;

/** The API operations on the departments of an organization. */
public final class DepartmentApi {
    private static final String ACTION = "iam.organization.update";

    private final DepartmentStore store;
    private final AuthzMutation mutation;

    public DepartmentApi(DepartmentStore store, AuthzMutation mutation) {
        this.store = store;
        this.mutation = mutation;
    }

    public Future<Reply> create(Request request) {
        var orgId = request.pathId("org_id");
        var body = Json.toRecord(request.body(), CreateDepartment.class);
        return mutation.run(request, ACTION, (unit, publisher) -> OrganizationStore.load(unit, orgId)
                .map(TenancyRules::requireActive)
                .compose(organization -> {
                    var department = new Department(
                            Ids.next(), orgId, body.slug(), body.displayName(), false, false, unit.now());
                    return DepartmentStore.insert(unit, publisher, department).map(inserted -> {
                        if (!inserted) {
                            throw TenancyRules.slugTaken(department.slug(), "department of the organization");
                        }
                        return result(null, department, "/api/v1/orgs/" + orgId + "/departments/" + department.id());
                    });
                }));
    }

    public Future<Reply> update(Request request) {
        var body = Json.toRecord(request.body(), UpdateDepartment.class);
        return mutation.run(request, ACTION, (unit, publisher) -> DepartmentStore.load(
                        unit, request.pathId("org_id"), request.pathId("department_id"))
                .map(TenancyRules::requireActive)
                .map(before -> {
                    var after = before.withDisplayName(
                            Objects.requireNonNullElse(body.displayName(), before.displayName()));
                    DepartmentStore.rename(unit, publisher, after);
                    return result(before, after, null);
                }));
    }

    /** Deletes a department without projects. Deleting it again changes nothing and returns the same. */
    public Future<Reply> delete(Request request) {
        return mutation.run(request, ACTION, (unit, publisher) -> DepartmentStore.load(
                        unit, request.pathId("org_id"), request.pathId("department_id"))
                .compose(before -> {
                    if (before.deleted()) {
                        return Future.succeededFuture(result(before, before, null));
                    }
                    if (before.isDefault()) {
                        throw Problem.of(
                                        ErrorCode.STATE_CONFLICT,
                                        "The default department cannot be deleted. Rename it instead.")
                                .asException();
                    }
                    return DepartmentStore.hasProjects(unit, before).map(hasProjects -> {
                        if (hasProjects) {
                            throw Problem.of(
                                            ErrorCode.NOT_EMPTY,
                                            "This department still has projects. Move or delete them first.")
                                    .asException();
                        }
                        var after = before.withDeleted();
                        DepartmentStore.delete(unit, publisher, after);
                        return result(before, after, null);
                    });
                }));
    }

    public Future<Reply> get(Request request) {
        return store.find(request.pathId("org_id"), request.pathId("department_id"))
                .map(found -> Reply.of(OrganizationJson.of(found)));
    }

    public Future<Reply> list(Request request) {
        return store.list(request.pathId("org_id"), request.cursor(), request.limit())
                .map(page -> page.toReply(OrganizationJson::of));
    }

    private static Result result(@Nullable Department before, Department after, @Nullable String location) {
        return new Result(
                BindingScope.organization(after.orgId()),
                "department",
                after.id().toString(),
                before == null ? null : OrganizationJson.of(before),
                OrganizationJson.of(after),
                location);
    }
}
