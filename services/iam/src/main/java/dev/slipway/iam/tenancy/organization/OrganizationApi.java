package dev.slipway.iam.tenancy.organization;

import dev.slipway.authz.Authorizer;
import dev.slipway.authz.ResourceScope;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.iam.tenancy.AuthzMutation;
import dev.slipway.iam.tenancy.AuthzMutation.Result;
import dev.slipway.iam.tenancy.AuthzPublisher;
import dev.slipway.iam.tenancy.TenancyRules;
import dev.slipway.iam.tenancy.binding.RoleBindingStore;
import dev.slipway.iam.tenancy.domain.BindingScope;
import dev.slipway.iam.tenancy.domain.Department;
import dev.slipway.iam.tenancy.domain.Organization;
import dev.slipway.iam.tenancy.organization.OrganizationJson.CreateOrganization;
import dev.slipway.iam.tenancy.organization.OrganizationJson.UpdateOrganization;
import dev.slipway.iam.tenancy.user.UserReference;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.time.Clock;
import java.util.Objects;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** The API operations on organizations. */
public final class OrganizationApi {
    private static final String READ = "iam.organization.read";
    private static final String CREATE = "iam.organization.create";
    private static final int MAX_LISTED_PLANS = 10;

    private final OrganizationStore store;
    private final AuthzMutation mutation;
    private final Authorizer authorizer;
    private final Clock clock;

    public OrganizationApi(OrganizationStore store, AuthzMutation mutation, Authorizer authorizer, Clock clock) {
        this.store = store;
        this.mutation = mutation;
        this.authorizer = authorizer;
        this.clock = clock;
    }

    /** Creates an organization with a default department. Its owner is the named user, or the caller. */
    public Future<Reply> create(Request request) {
        var body = Json.toRecord(request.body(), CreateOrganization.class);
        var owner = UserReference.parse(request.body().path("owner"), "/owner");
        return mutation.run(request, CREATE, (unit, publisher) -> {
            var organization = new Organization(
                    Ids.next(),
                    body.slug(),
                    body.displayName(),
                    Objects.requireNonNullElse(body.plan(), Organization.DEFAULT_PLAN),
                    false,
                    unit.now(),
                    unit.now());
            return requireKnownPlan(unit, organization.plan())
                    .compose(ok -> OrganizationStore.insert(unit, publisher, organization))
                    .compose(inserted -> inserted
                            ? DepartmentStore.insert(
                                    unit,
                                    publisher,
                                    Department.createDefault(Ids.next(), organization.id(), unit.now()))
                            : Future.failedFuture(TenancyRules.slugTaken(organization.slug(), "organization")))
                    .compose(ok -> grantOwner(request, unit, publisher, organization, owner))
                    .map(ok -> result(null, organization, "/api/v1/orgs/" + organization.id()));
        });
    }

    public Future<Reply> update(Request request) {
        var body = Json.toRecord(request.body(), UpdateOrganization.class);
        return mutation.run(request, "iam.organization.update", (unit, publisher) -> OrganizationStore.load(
                        unit, request.pathId("org_id"))
                .map(TenancyRules::requireActive)
                .compose(before -> requirePlanChangeAllowed(request, unit, before, body.plan())
                        .map(ok -> {
                            var after = before.withNameAndPlan(
                                    Objects.requireNonNullElse(body.displayName(), before.displayName()),
                                    Objects.requireNonNullElse(body.plan(), before.plan()),
                                    unit.now());
                            OrganizationStore.update(unit, publisher, after);
                            return result(before, after, null);
                        })));
    }

    /** Deletes an organization without projects. Deleting it again changes nothing and returns the same. */
    public Future<Reply> delete(Request request) {
        return mutation.run(request, "iam.organization.delete", (unit, publisher) -> OrganizationStore.load(
                        unit, request.pathId("org_id"))
                .compose(before -> before.deleted()
                        ? Future.succeededFuture(result(before, before, null))
                        : OrganizationStore.hasProjects(unit, before.id()).map(hasProjects -> {
                            if (hasProjects) {
                                throw Problem.of(
                                                ErrorCode.NOT_EMPTY,
                                                "This organization still has projects. Delete them first.")
                                        .asException();
                            }
                            var after = before.withDeleted(unit.now());
                            OrganizationStore.update(unit, publisher, after);
                            return result(before, after, null);
                        })));
    }

    public Future<Reply> get(Request request) {
        return store.find(request.pathId("org_id")).map(found -> Reply.of(OrganizationJson.of(found)));
    }

    /** Lists the organizations that the caller may read. */
    public Future<Reply> listAccessible(Request request) {
        var accessible = authorizer.findAccessibleScopes(request.principal(), READ, clock.instant());
        return store.list(accessible.orgIds(), request.cursor(), request.limit())
                .map(page -> page.toReply(OrganizationJson::of));
    }

    public Future<Reply> listAll(Request request) {
        return store.list(null, request.cursor(), request.limit()).map(page -> page.toReply(OrganizationJson::of));
    }

    private Future<Void> requirePlanChangeAllowed(
            Request request, UnitOfWork unit, Organization before, @Nullable String plan) {
        if (plan == null || plan.equals(before.plan())) {
            return Future.succeededFuture();
        }
        requirePlatformAction(request);
        return requireKnownPlan(unit, plan);
    }

    /** A plan without a policy limits nothing: a misspelled one would release the tenant from its limits. */
    private static Future<Void> requireKnownPlan(UnitOfWork unit, String plan) {
        if (plan.equals(Organization.DEFAULT_PLAN)) {
            return Future.succeededFuture();
        }
        return TenantPlanStore.list(unit).compose(plans -> {
            if (plans.contains(plan)) {
                return Future.succeededFuture();
            }
            var known = new TreeSet<>(plans);
            known.add(Organization.DEFAULT_PLAN);
            return Future.failedFuture(Problem.validationOf(
                            ErrorCode.VALIDATION_ERROR,
                            "/plan",
                            "is not a plan that has a policy; the plans are "
                                    + known.stream().limit(MAX_LISTED_PLANS).collect(Collectors.joining(", ")))
                    .asException());
        });
    }

    /** A plan limits its tenants, so only those who may create organizations change it. */
    private void requirePlatformAction(Request request) {
        if (!authorizer
                .decide(request.principal(), CREATE, ResourceScope.platform(), clock.instant())
                .allowed()) {
            throw Problem.of(
                            ErrorCode.INSUFFICIENT_PERMISSIONS,
                            "Only the platform changes an organization's plan. Ask a platform administrator.")
                    .asException();
        }
    }

    private static Future<Void> grantOwner(
            Request request,
            UnitOfWork unit,
            AuthzPublisher publisher,
            Organization organization,
            @Nullable UserReference owner) {
        var scope = BindingScope.organization(organization.id());
        return owner == null
                ? RoleBindingStore.grantOwnerRole(
                        unit, publisher, request.principal().responsibleUserId(), scope)
                : owner.resolve(unit, publisher, BindingScope.PLATFORM)
                        .compose(user -> RoleBindingStore.grantOwnerRole(unit, publisher, user.id(), scope));
    }

    private static Result result(@Nullable Organization before, Organization after, @Nullable String location) {
        return new Result(
                BindingScope.organization(after.id()),
                "organization",
                after.id().toString(),
                before == null ? null : OrganizationJson.of(before),
                OrganizationJson.of(after),
                location);
    }
}
