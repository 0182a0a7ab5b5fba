package dev.slipway.iam;

import dev.slipway.authz.Authorizer;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.iam.decision.DecisionApi;
import dev.slipway.iam.tenancy.Changes;
import dev.slipway.iam.tenancy.Grants;
import dev.slipway.iam.tenancy.Heartbeat;
import dev.slipway.iam.tenancy.IamSeed;
import dev.slipway.iam.tenancy.TenancyStore;
import dev.slipway.iam.tenancy.binding.BindingApi;
import dev.slipway.iam.tenancy.binding.BindingStore;
import dev.slipway.iam.tenancy.group.GroupApi;
import dev.slipway.iam.tenancy.group.GroupStore;
import dev.slipway.iam.tenancy.group.MemberApi;
import dev.slipway.iam.tenancy.me.MeApi;
import dev.slipway.iam.tenancy.me.MeStore;
import dev.slipway.iam.tenancy.organization.DepartmentApi;
import dev.slipway.iam.tenancy.organization.DepartmentStore;
import dev.slipway.iam.tenancy.organization.OrganizationApi;
import dev.slipway.iam.tenancy.organization.OrganizationStore;
import dev.slipway.iam.tenancy.project.ProjectApi;
import dev.slipway.iam.tenancy.project.ProjectStore;
import dev.slipway.iam.tenancy.registry.ScopeApi;
import dev.slipway.iam.tenancy.registry.ScopeStore;
import dev.slipway.iam.tenancy.role.RoleApi;
import dev.slipway.iam.tenancy.role.RoleStore;
import dev.slipway.iam.tenancy.seed.ReannounceStore;
import dev.slipway.iam.tenancy.seed.Registries;
import dev.slipway.iam.tenancy.seed.SeedStore;
import dev.slipway.iam.tenancy.user.UserApi;
import dev.slipway.iam.tenancy.user.UserStore;
import dev.slipway.iam.token.OperatorTokenStore;
import dev.slipway.iam.token.SigningKeys;
import dev.slipway.iam.token.TokenApi;
import dev.slipway.messaging.Cause;
import dev.slipway.messaging.KafkaSender;
import dev.slipway.messaging.Topics;
import dev.slipway.service.AuditTrail;
import dev.slipway.service.AuditTrail.Entry;
import dev.slipway.service.Frame;
import dev.slipway.service.Service;
import io.opentelemetry.context.Context;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/** The IAM service: wiring only. */
public final class IamVerticle extends VerticleBase {
    private final Frame frame;
    private final IamSeed seed;
    private @Nullable Service service;
    private @Nullable Heartbeat heartbeat;

    public IamVerticle(Frame frame, IamSeed seed) {
        this.frame = frame;
        this.seed = seed;
    }

    @Override
    public Future<?> start() {
        return Service.open(vertx, frame, "iam").compose(this::serve);
    }

    private Future<Void> serve(Service opened) {
        service = opened;
        var tenancy = new TenancyStore(opened.reads());
        var operators = new OperatorTokenStore();
        var keys = new SigningKeys(vertx, tenancy, opened.outbox(), frame.clock());
        var tokens = new TokenApi(tenancy, operators, keys, opened.outbox());
        var decisions = new DecisionApi(frame.authz(), frame.clock());
        var beat = new Heartbeat(vertx, tenancy, new KafkaSender(vertx, frame.kafka()), frame.clock());
        heartbeat = beat;
        var wired = serveTenancy(opened, tenancy)
                .serve("getJwks", tokens::jwks)
                .serve("exchangeOperatorToken", tokens::exchange)
                .serve("decide", decisions::decide)
                .serve("explainDecision", decisions::explain)
                // At once: an adapter that got the command asks for its token.
                .consumeBatches("operators", List.of(Topics.INSTANCES_EVENTS), Duration.ZERO, operators::keep);
        return tellAgain(opened)
                .compose(ok -> ensureSeed(opened))
                .compose(ok -> keys.start())
                .compose(ok -> wired.start())
                .compose(ok -> beat.start());
    }

    private Service serveTenancy(Service opened, TenancyStore tenancy) {
        var reads = opened.reads();
        var authorizer = new Authorizer(frame.authz());
        var changes = new Changes(opened.mutations(), opened.outbox(), tenancy);
        var grants = new Grants(authorizer, frame.clock());
        var organizations = new OrganizationApi(new OrganizationStore(reads), changes, authorizer, frame.clock());
        var departments = new DepartmentApi(new DepartmentStore(reads), changes);
        var projects = new ProjectApi(new ProjectStore(reads), changes, authorizer, frame.clock());
        var users = new UserApi(new UserStore(reads), changes);
        var groups = new GroupApi(new GroupStore(reads), changes);
        var members = new MemberApi(new GroupStore(reads), changes, grants);
        var bindings = new BindingApi(new BindingStore(reads), changes, grants);
        var roles = new RoleApi(new RoleStore(reads), changes, grants);
        var scopes = new ScopeApi(new ScopeStore(reads), changes, Registries.roles());
        var wired = opened.serve("getMe", new MeApi(new MeStore(reads), grants)::get)
                .serve("createOrganization", organizations::create)
                .serve("listOrganizations", organizations::listMine)
                .serve("listAllOrganizations", organizations::listAll)
                .serve("getOrganization", organizations::get)
                .serve("updateOrganization", organizations::update)
                .serve("deleteOrganization", organizations::delete)
                .serve("createDepartment", departments::create)
                .serve("listDepartments", departments::list)
                .serve("getDepartment", departments::get)
                .serve("updateDepartment", departments::update)
                .serve("deleteDepartment", departments::delete)
                .serve("createProject", projects::create)
                .serve("listProjects", projects::listMine)
                .serve("listOrganizationProjects", projects::listOfOrganization)
                .serve("getProject", projects::get)
                .serve("updateProject", projects::update)
                .serve("deleteProject", projects::delete)
                .serve("disableUser", users::disable)
                .serve("enableUser", users::enable)
                .serve("createGroup", groups::create)
                .serve("listGroups", groups::list)
                .serve("getGroup", groups::get)
                .serve("updateGroup", groups::update)
                .serve("deleteGroup", groups::delete)
                .serve("addGroupMember", members::add)
                .serve("listGroupMembers", members::list)
                .serve("removeGroupMember", members::remove)
                .serve("listRoles", roles::listBuiltIn)
                .serve("createRole", roles::create)
                .serve("listOrganizationRoles", roles::list)
                .serve("getRole", roles::get)
                .serve("updateRole", roles::update)
                .serve("deleteRole", roles::delete)
                .serve("listScopes", scopes::list)
                .serve("registerScope", scopes::register)
                .serve("activateScope", scopes::activate)
                .serve("deprecateScope", scopes::deprecate)
                .serve("retireScope", scopes::retire);
        for (var place : List.of("Platform", "Organization", "Project")) {
            wired = wired.serve("create" + place + "RoleBinding", bindings::create)
                    .serve("list" + place + "RoleBindings", bindings::list)
                    .serve("get" + place + "RoleBinding", bindings::get)
                    .serve("delete" + place + "RoleBinding", bindings::delete)
                    .serve("list" + place + "Users", users::list)
                    .serve("get" + place + "User", users::get);
        }
        return wired;
    }

    /** First of all: what is added after it is told by itself. */
    private Future<Void> tellAgain(Service opened) {
        var authz = Topics.id(vertx, frame.kafka(), Topics.AUTHZ_STATE);
        var state = Topics.id(vertx, frame.kafka(), Topics.IAM_STATE);
        return Future.all(authz, state).compose(ids -> new ReannounceStore(opened.outbox())
                .ifNeeded(Map.of(Topics.AUTHZ_STATE, authz.result(), Topics.IAM_STATE, state.result())));
    }

    private Future<Void> ensureSeed(Service opened) {
        var cause = new Cause(Ids.next().toString(), Context.root());
        return opened.outbox()
                .transaction(cause, unit -> SeedStore.ensure(unit, Registries.actions(), Registries.roles(), seed)
                        .compose(ok -> {
                            var entry = new Entry("iam.seed.ensure", "platform", "-", null, null, Json.object());
                            AuditTrail.byOther(unit, "system", "iam", null, entry, "success", null);
                            return Future.succeededFuture();
                        }));
    }

    @Override
    public Future<?> stop() {
        var quiet = heartbeat == null ? Future.<Void>succeededFuture() : heartbeat.stop();
        return quiet.eventually(() -> service == null ? Future.succeededFuture() : service.stop());
    }
}
