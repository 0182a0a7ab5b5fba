package dev.slipway.iam;

import dev.slipway.authz.Authorizer;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.contract.RoleRegistry;
import dev.slipway.iam.decision.DecisionApi;
import dev.slipway.iam.revision.RevisionStore;
import dev.slipway.iam.tenancy.Changes;
import dev.slipway.iam.tenancy.Grants;
import dev.slipway.iam.tenancy.Heartbeat;
import dev.slipway.iam.tenancy.IamSeed;
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
import dev.slipway.messaging.Cause;
import dev.slipway.messaging.Topics;
import dev.slipway.service.AuditTrail;
import dev.slipway.service.AuditTrail.Entry;
import dev.slipway.service.Frame;
import dev.slipway.service.Service;
import io.opentelemetry.context.Context;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.Comparator;
import java.util.List;
import java.util.Map;

/** The IAM service: wiring only. */
public final class IamVerticle extends VerticleBase {
    private static final Logger LOG = LoggerFactory.getLogger(IamVerticle.class);

    private final Frame frame;
    private final IamSeed seed;
    private final IamConfig config;
    private @Nullable Service service;
    private @Nullable Heartbeat heartbeat;

    public IamVerticle(Frame frame, IamSeed seed, IamConfig config) {
        this.frame = frame;
        this.seed = seed;
        this.config = config;
    }

    @Override
    public Future<?> start() {
        return Service.open(vertx, frame, "iam").compose(this::serve);
    }

    private Future<Void> serve(Service opened) {
        service = opened;
        var revisions = new RevisionStore(opened.reads());
        var decisions = new DecisionApi(frame.authz(), frame.clock());
        var credentials = new CredentialWiring(vertx, frame, config, opened, revisions);
        var beat = new Heartbeat(vertx, revisions, frame.kafka(), frame.clock());
        heartbeat = beat;
        var wired = credentials
                .serve(serveTenancy(opened, revisions))
                .serve("decide", decisions::decide)
                .serve("explainDecision", decisions::explain)
                .serve("explainOrganizationDecision", decisions::explainInOrganization);
        return tellAgain(opened)
                .compose(ok -> ensureSeed(opened))
                .compose(ok -> ensureAdministrator(opened))
                .compose(ok -> credentials.start())
                .compose(ok -> wired.start())
                .compose(ok -> beat.start());
    }

    private Service serveTenancy(Service opened, RevisionStore revisions) {
        var reads = opened.reads();
        var authorizer = new Authorizer(frame.authz());
        var changes = new Changes(opened.mutations(), opened.outbox(), revisions);
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

    private Future<Void> ensureAdministrator(Service opened) {
        var first = config.firstAdministrator();
        if (first == null) {
            return Future.succeededFuture();
        }
        var user = new IamSeed.User(Ids.next(), first.issuer(), first.subject(), "First administrator");
        var cause = new Cause(Ids.next().toString(), Context.root());
        return opened.outbox().transaction(cause, unit -> SeedStore.ensureAdministrator(unit, user, highestRole())
                .map(made -> {
                    if (made) {
                        var entry = new Entry(
                                "iam.administrator.ensure", "user", first.subject(), null, null, Json.object());
                        AuditTrail.byOther(unit, "system", "iam", null, entry, "success", null);
                    } else {
                        LOG.atInfo().log("there is a platform administrator; the setting of a first one is not needed");
                    }
                    return null;
                }));
    }

    /** Of the roles that are held at the platform, the one that grants most. */
    private static String highestRole() {
        return RoleRegistry.load().roles().stream()
                .filter(role -> role.level().equals("platform"))
                .max(Comparator.comparingInt(role -> role.actions().size()))
                .orElseThrow()
                .name();
    }

    @Override
    public Future<?> stop() {
        var quiet = heartbeat == null ? Future.<Void>succeededFuture() : heartbeat.stop();
        return quiet.eventually(() -> service == null ? Future.succeededFuture() : service.stop());
    }
}
