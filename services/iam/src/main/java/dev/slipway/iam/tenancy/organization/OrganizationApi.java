package dev.slipway.iam.tenancy.organization;

import dev.slipway.authz.Authorizer;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Problem;
import dev.slipway.iam.tenancy.AuthzRecords;
import dev.slipway.iam.tenancy.Changes;
import dev.slipway.iam.tenancy.Changes.Changed;
import dev.slipway.iam.tenancy.binding.BindingStore;
import dev.slipway.iam.tenancy.domain.Department;
import dev.slipway.iam.tenancy.domain.Organization;
import dev.slipway.iam.tenancy.domain.Place;
import dev.slipway.iam.tenancy.user.UserReference;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.time.Clock;

/** The operations on organizations. */
public final class OrganizationApi {
    private static final String READ = "iam.organization.read";

    private final OrganizationStore store;
    private final Changes changes;
    private final Authorizer authorizer;
    private final Clock clock;

    public OrganizationApi(OrganizationStore store, Changes changes, Authorizer authorizer, Clock clock) {
        this.store = store;
        this.changes = changes;
        this.authorizer = authorizer;
        this.clock = clock;
    }

    /** With a default department, and an owner: the user named, or who creates it. */
    public Future<Reply> create(Request request) {
        var body = request.body();
        var owner = UserReference.of(body.path("owner"), "/owner");
        return changes.run(request, "iam.organization.create", (unit, records) -> {
            var made = new Organization(
                    Ids.next(),
                    body.path("slug").asText(),
                    body.path("display_name").asText(),
                    body.path("plan").asText(Organization.STANDARD_PLAN),
                    false,
                    unit.now(),
                    unit.now());
            return OrganizationStore.add(unit, records, made)
                    .compose(added -> added
                            ? DepartmentStore.add(
                                    unit, records, Department.byDefault(Ids.next(), made.id(), unit.now()))
                            : Future.failedFuture(taken(made.slug())))
                    .compose(ok -> ownedBy(request, unit, records, made, owner))
                    .map(ok -> changed(null, made, "/api/v1/orgs/" + made.id()));
        });
    }

    public Future<Reply> update(Request request) {
        var body = request.body();
        return changes.run(request, "iam.organization.update", (unit, records) -> OrganizationStore.loadLive(
                        unit, request.pathId("org_id"))
                .map(before -> {
                    var after = before.renamed(
                            body.path("display_name").asText(before.displayName()),
                            body.path("plan").asText(before.plan()),
                            unit.now());
                    OrganizationStore.update(unit, records, after);
                    return changed(before, after, null);
                }));
    }

    /** Deleting a deleted one changes nothing and answers the same. */
    public Future<Reply> delete(Request request) {
        return changes.run(request, "iam.organization.delete", (unit, records) -> OrganizationStore.load(
                        unit, request.pathId("org_id"))
                .compose(before -> before.deleted()
                        ? Future.succeededFuture(changed(before, before, null))
                        : OrganizationStore.hasProjects(unit, before.id()).map(has -> {
                            if (has) {
                                throw Problem.of(
                                                ErrorCode.NOT_EMPTY,
                                                "This organization still has projects. Delete them first.")
                                        .asException();
                            }
                            var after = before.deleted(unit.now());
                            OrganizationStore.update(unit, records, after);
                            return changed(before, after, null);
                        })));
    }

    public Future<Reply> get(Request request) {
        return store.find(request.pathId("org_id")).map(found -> Reply.of(OrganizationJson.of(found)));
    }

    /** Those that the caller may read. */
    public Future<Reply> listMine(Request request) {
        var mine = authorizer.reach(request.principal(), READ, clock.instant()).orgIds();
        return store.list(mine, request.cursor(), request.limit()).map(page -> page.reply(OrganizationJson::of));
    }

    public Future<Reply> listAll(Request request) {
        return store.list(null, request.cursor(), request.limit()).map(page -> page.reply(OrganizationJson::of));
    }

    private static Future<Void> ownedBy(
            Request request,
            UnitOfWork unit,
            AuthzRecords records,
            Organization organization,
            @Nullable UserReference named) {
        var place = Place.organization(organization.id());
        return named == null
                ? BindingStore.own(unit, records, request.principal().responsibleUserId(), place)
                : named.resolve(unit, records, Place.PLATFORM)
                        .compose(user -> BindingStore.own(unit, records, user.id(), place));
    }

    private static Changed changed(@Nullable Organization before, Organization after, @Nullable String location) {
        return new Changed(
                Place.organization(after.id()),
                "organization",
                after.id().toString(),
                before == null ? null : OrganizationJson.of(before),
                OrganizationJson.of(after),
                location);
    }

    private static Throwable taken(String slug) {
        return Problem.validationOf(
                        ErrorCode.SLUG_TAKEN, "/slug", "is taken: there is, or was, an organization \"" + slug + "\"")
                .asException();
    }
}
