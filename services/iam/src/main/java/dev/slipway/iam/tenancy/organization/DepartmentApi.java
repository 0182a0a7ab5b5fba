package dev.slipway.iam.tenancy.organization;

import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Problem;
import dev.slipway.iam.tenancy.Changes;
import dev.slipway.iam.tenancy.Changes.Changed;
import dev.slipway.iam.tenancy.domain.Department;
import dev.slipway.iam.tenancy.domain.Place;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

/** The operations on the departments of an organization. */
public final class DepartmentApi {
    private static final String ACTION = "iam.organization.update";

    private final DepartmentStore store;
    private final Changes changes;

    public DepartmentApi(DepartmentStore store, Changes changes) {
        this.store = store;
        this.changes = changes;
    }

    public Future<Reply> create(Request request) {
        var orgId = request.pathId("org_id");
        return changes.run(request, ACTION, (unit, records) -> OrganizationStore.loadLive(unit, orgId)
                .compose(organization -> {
                    var made = new Department(
                            Ids.next(),
                            orgId,
                            request.body().path("slug").asText(),
                            request.body().path("display_name").asText(),
                            false,
                            false,
                            unit.now());
                    return DepartmentStore.add(unit, records, made).map(added -> {
                        if (!added) {
                            throw taken(made.slug()).asException();
                        }
                        return changed(null, made, "/api/v1/orgs/" + orgId + "/departments/" + made.id());
                    });
                }));
    }

    public Future<Reply> update(Request request) {
        return changes.run(request, ACTION, (unit, records) -> DepartmentStore.loadLive(
                        unit, request.pathId("org_id"), request.pathId("department_id"))
                .map(before -> {
                    var after =
                            before.renamed(request.body().path("display_name").asText(before.displayName()));
                    DepartmentStore.rename(unit, records, after);
                    return changed(before, after, null);
                }));
    }

    /** Deleting a deleted one changes nothing and answers the same. */
    public Future<Reply> delete(Request request) {
        return changes.run(request, ACTION, (unit, records) -> DepartmentStore.load(
                        unit, request.pathId("org_id"), request.pathId("department_id"))
                .compose(before -> {
                    if (before.deleted()) {
                        return Future.succeededFuture(changed(before, before, null));
                    }
                    if (before.isDefault()) {
                        throw Problem.of(ErrorCode.STATE_CONFLICT, "The default department stays; rename it instead.")
                                .asException();
                    }
                    return DepartmentStore.hasProjects(unit, before).map(has -> {
                        if (has) {
                            throw Problem.of(
                                            ErrorCode.NOT_EMPTY,
                                            "This department still has projects. Move or delete them first.")
                                    .asException();
                        }
                        var after = before.asDeleted();
                        DepartmentStore.delete(unit, records, after);
                        return changed(before, after, null);
                    });
                }));
    }

    public Future<Reply> get(Request request) {
        return store.find(request.pathId("org_id"), request.pathId("department_id"))
                .map(found -> Reply.of(OrganizationJson.of(found)));
    }

    public Future<Reply> list(Request request) {
        return store.list(request.pathId("org_id"), request.cursor(), request.limit())
                .map(page -> page.reply(OrganizationJson::of));
    }

    private static Changed changed(@Nullable Department before, Department after, @Nullable String location) {
        return new Changed(
                Place.organization(after.orgId()),
                "department",
                after.id().toString(),
                before == null ? null : OrganizationJson.of(before),
                OrganizationJson.of(after),
                location);
    }

    private static Problem taken(String slug) {
        return Problem.validationOf(
                ErrorCode.SLUG_TAKEN, "/slug", "is taken: the organization has, or had, a department \"" + slug + "\"");
    }
}
