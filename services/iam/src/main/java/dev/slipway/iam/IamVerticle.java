package dev.slipway.iam;

import dev.slipway.authz.Authorizer;
import dev.slipway.authz.TokenVerifier;
import dev.slipway.iam.credential.CredentialApi;
import dev.slipway.iam.credential.CredentialStore;
import dev.slipway.iam.decision.DecisionApi;
import dev.slipway.iam.issuer.IssuerKeyRefresher;
import dev.slipway.iam.issuer.SessionApi;
import dev.slipway.iam.operator.SharedRuntimeOperatorConsumer;
import dev.slipway.iam.revision.RevisionHeartbeat;
import dev.slipway.iam.revision.RevisionStore;
import dev.slipway.iam.revocation.RevocationApi;
import dev.slipway.iam.revocation.RevocationStore;
import dev.slipway.iam.serviceaccount.ServiceAccountApi;
import dev.slipway.iam.signingkey.SigningKeyApi;
import dev.slipway.iam.signingkey.SigningKeyRing;
import dev.slipway.iam.signingkey.SigningKeyStore;
import dev.slipway.iam.tenancy.AuthzMutation;
import dev.slipway.iam.tenancy.AuthzPublisher;
import dev.slipway.iam.tenancy.GrantGuard;
import dev.slipway.iam.tenancy.binding.BindingGuard;
import dev.slipway.iam.tenancy.binding.RoleBindingApi;
import dev.slipway.iam.tenancy.binding.RoleBindingStore;
import dev.slipway.iam.tenancy.group.GroupApi;
import dev.slipway.iam.tenancy.group.GroupMemberApi;
import dev.slipway.iam.tenancy.group.GroupStore;
import dev.slipway.iam.tenancy.me.MeApi;
import dev.slipway.iam.tenancy.me.MeStore;
import dev.slipway.iam.tenancy.organization.DepartmentApi;
import dev.slipway.iam.tenancy.organization.DepartmentStore;
import dev.slipway.iam.tenancy.organization.OrganizationApi;
import dev.slipway.iam.tenancy.organization.OrganizationStore;
import dev.slipway.iam.tenancy.organization.TenantPlanConsumer;
import dev.slipway.iam.tenancy.project.ProjectApi;
import dev.slipway.iam.tenancy.project.ProjectStore;
import dev.slipway.iam.tenancy.registry.ScopeApi;
import dev.slipway.iam.tenancy.registry.ScopeStore;
import dev.slipway.iam.tenancy.role.RoleApi;
import dev.slipway.iam.tenancy.role.RoleStore;
import dev.slipway.iam.tenancy.user.UserApi;
import dev.slipway.iam.tenancy.user.UserStore;
import dev.slipway.iam.token.AccessTokenIssuer;
import dev.slipway.iam.token.AdapterTokenApi;
import dev.slipway.iam.token.AdapterTokenStore;
import dev.slipway.iam.token.RuntimeTaskConsumer;
import dev.slipway.iam.token.TokenExchangeApi;
import dev.slipway.iam.token.TokenExchangeStore;
import dev.slipway.messaging.Topics;
import dev.slipway.service.KeyCipher;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import dev.slipway.service.Service;
import dev.slipway.service.ServiceContext;
import io.micrometer.core.instrument.Gauge;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;

/** The IAM service: all wiring of its parts. */
public final class IamVerticle extends VerticleBase {
    /** However many tokens name unknown keys, an issuer is asked at most this often per refresh interval. */
    private static final int MAX_REFRESHES_PER_INTERVAL = 30;

    private final ServiceContext serviceContext;
    private final IamSeed seed;
    private final IamConfig config;
    private @Nullable Service service;
    private @Nullable RevisionHeartbeat heartbeat;

    public IamVerticle(ServiceContext serviceContext, IamSeed seed, IamConfig config) {
        this.serviceContext = serviceContext;
        this.seed = seed;
        this.config = config;
    }

    @Override
    public Future<?> start() {
        return Service.open(vertx, serviceContext, "iam").compose(this::serve);
    }

    @Override
    public Future<?> stop() {
        var heartbeatStopped = heartbeat == null ? Future.<Void>succeededFuture() : heartbeat.stop();
        return heartbeatStopped.eventually(() -> service == null ? Future.succeededFuture() : service.stop());
    }

    private Future<Void> serve(Service opened) {
        service = opened;
        var revisions = new RevisionStore(opened.reads());
        var started = new RevisionHeartbeat(
                vertx,
                revisions,
                serviceContext.kafka(),
                serviceContext.maxAuthzAgeForWrites(),
                serviceContext.clock());
        heartbeat = started;
        serveTenancy(opened, revisions);
        serveDecisions(opened);
        var keys = serveSigningKeys(opened, revisions);
        var revocations = serveRevocations(opened, revisions);
        var credentials = new CredentialApi(
                new CredentialStore(opened.reads()),
                revocations::revokeTokensOfCredential,
                opened.mutations(),
                serviceContext.clock());
        new CredentialHolders(opened, serviceContext, revisions, credentials).serve();
        serveTokens(opened, keys, credentials);
        var issuers = serveSessions(opened, revisions);
        return republishIfNeeded(opened)
                .compose(ok -> new IamBootstrap(opened.outbox(), seed, config.firstAdministrator()).run())
                .compose(ok -> keys.start())
                .compose(ok -> issuers.start())
                .compose(ok -> opened.start())
                // A process that receives a heartbeat of a new platform can rely on the bootstrap data being on the
                // topics.
                .compose(ok -> opened.awaitPublished())
                .compose(ok -> started.start());
    }

    private void serveTenancy(Service opened, RevisionStore revisions) {
        var reads = opened.reads();
        var clock = serviceContext.clock();
        var authorizer = new Authorizer(serviceContext.authz());
        var mutation = new AuthzMutation(opened.mutations(), RevisionStore::begin, revisions::withCurrentRevision);
        var grantGuard = new GrantGuard(authorizer, clock);
        var bindingGuard = new BindingGuard(grantGuard);
        var organizations = new OrganizationApi(new OrganizationStore(reads), mutation, authorizer, clock);
        var departments = new DepartmentApi(new DepartmentStore(reads), mutation);
        var projects = new ProjectApi(
                new ProjectStore(reads), mutation, ServiceAccountApi::insertOperatorAccount, authorizer, clock);
        var users = new UserApi(new UserStore(reads), mutation, bindingGuard::requirePlatformRolesHeld);
        var groups = new GroupApi(new GroupStore(reads), mutation, bindingGuard);
        var members = new GroupMemberApi(new GroupStore(reads), mutation, bindingGuard);
        var bindings = new RoleBindingApi(new RoleBindingStore(reads), mutation, grantGuard, bindingGuard);
        var roles = new RoleApi(new RoleStore(reads), mutation, grantGuard);
        var scopes = new ScopeApi(new ScopeStore(reads), mutation, BuiltInRegistry.roles());
        var wired = opened.serve("getMe", new MeApi(new MeStore(reads), grantGuard)::get)
                .serve("createOrganization", organizations::create)
                .serve("listOrganizations", organizations::listAccessible)
                .serve("listAllOrganizations", organizations::listAll)
                .serve("getOrganization", organizations::get)
                .serve("updateOrganization", organizations::update)
                .serve("deleteOrganization", organizations::delete)
                // IAM starts without the catalog, which depends on it.
                .consumeOptional("plans", List.of(Topics.CATALOG_STATE), TenantPlanConsumer::apply)
                .serve("createDepartment", departments::create)
                .serve("listDepartments", departments::list)
                .serve("getDepartment", departments::get)
                .serve("updateDepartment", departments::update)
                .serve("deleteDepartment", departments::delete)
                .serve("createProject", projects::create)
                .serve("listProjects", projects::listAccessible)
                .serve("listOrganizationProjects", projects::listInOrganization)
                .serve("getProject", projects::get)
                .serve("updateProject", projects::update)
                .serve("deleteProject", projects::delete)
                .serve("suspendProject", projects::suspend)
                .serve("resumeProject", projects::resume)
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
        for (var level : List.of("Platform", "Organization", "Project")) {
            wired = wired.serve("create" + level + "RoleBinding", bindings::create)
                    .serve("list" + level + "RoleBindings", bindings::list)
                    .serve("get" + level + "RoleBinding", bindings::get)
                    .serve("delete" + level + "RoleBinding", bindings::delete)
                    .serve("list" + level + "Users", users::list)
                    .serve("get" + level + "User", users::get);
        }
    }

    private void serveDecisions(Service opened) {
        var decisions = new DecisionApi(serviceContext.authz(), serviceContext.clock());
        opened.serve("decide", decisions::decide)
                .serve("explainDecision", decisions::explain)
                .serve("explainOrganizationDecision", decisions::explainInOrganization);
    }

    private SigningKeyRing serveSigningKeys(Service opened, RevisionStore revisions) {
        var store = new SigningKeyStore(opened.reads());
        var keys = new SigningKeyRing(
                vertx,
                store,
                opened.outbox(),
                RevisionStore::begin,
                new KeyCipher(Objects.requireNonNull(config.keyEncryptionKey())),
                new SigningKeyRing.Settings(
                        config.tokenAudience(), config.keyRotation(), config.keyLead(), config.tokenLifetime()),
                serviceContext.authz(),
                serviceContext.clock());
        Gauge.builder("slipway.signing.key.age", keys, k -> k.age().toMillis() / 1e3)
                .description("Age of the key that signs tokens")
                .baseUnit("seconds")
                .register(serviceContext.telemetry().metrics());
        var signingKeys = new SigningKeyApi(store, keys, opened.mutations(), serviceContext.clock());
        opened.serve("getJwks", signingKeys::jwks)
                .serve("listSigningKeys", signingKeys::list)
                .serve("rotateSigningKey", withRevision(revisions, signingKeys::rotate))
                .serve("revokeSigningKey", withRevision(revisions, signingKeys::revoke));
        return keys;
    }

    private RevocationApi serveRevocations(Service opened, RevisionStore revisions) {
        var revocations = new RevocationApi(
                new RevocationStore(opened.reads(), opened.outbox()),
                opened.mutations(),
                RevisionStore::begin,
                serviceContext.tokens(),
                config.tokenLifetime(),
                serviceContext.clock());
        revocations.scheduleCleanup(vertx);
        opened.serve("revokeOwnToken", withRevision(revisions, revocations::revokeOwn))
                .serve("revokeProjectToken", withRevision(revisions, revocations::revokeInProject))
                .serve("revokeOrganizationToken", withRevision(revisions, revocations::revokeInOrganization));
        return revocations;
    }

    private void serveTokens(Service opened, SigningKeyRing keys, CredentialApi credentials) {
        var tokens =
                new AccessTokenIssuer(vertx, keys::current, RevocationStore::insertIssuedToken, config.tokenLifetime());
        var exchange = new TokenExchangeApi(
                new TokenExchangeStore(),
                credentials::recordUse,
                tokens,
                opened.outbox(),
                serviceContext.authz(),
                TokenVerifier.reportAudience(config.tokenAudience()),
                serviceContext.telemetry().metrics());
        var runtimeOperators = new SharedRuntimeOperatorConsumer(RevisionStore::begin);
        var adapterTokens = new AdapterTokenApi(
                new AdapterTokenStore(),
                credentials::recordUse,
                tokens,
                opened.outbox(),
                TokenVerifier.reportAudience(config.tokenAudience()));
        opened.serve("exchangeServiceAccountToken", exchange::forServiceAccount)
                .serve("exchangeSharedRuntimeOperatorToken", exchange::forOperator)
                .serve("exchangeApiKeyToken", exchange::forApiKey)
                .serve("exchangeOperatorToken", adapterTokens::exchangeOperatorToken)
                .serve("exchangeAdapterToken", adapterTokens::exchangeAdapterToken)
                // Without gathering a batch: an adapter that received the command requests its token immediately.
                .consumeBatches(
                        "operators",
                        List.of(Topics.INSTANCES_EVENTS),
                        Duration.ZERO,
                        (unit, events) -> RuntimeTaskConsumer.apply(unit, events)
                                .compose(ok -> runtimeOperators.apply(unit, events)));
    }

    private IssuerKeyRefresher serveSessions(Service opened, RevisionStore revisions) {
        var minInterval = config.issuerRefresh().dividedBy(MAX_REFRESHES_PER_INTERVAL);
        var issuers = new IssuerKeyRefresher(
                vertx,
                serviceContext,
                (unit, issuer, keys, expiresAt) -> RevisionStore.begin(unit)
                        .compose(revision -> SigningKeyStore.replaceIssuerKeys(
                                unit,
                                revision,
                                issuer.issuer(),
                                issuer.audience(),
                                issuer.nameClaim(),
                                keys,
                                expiresAt)),
                opened.outbox(),
                config.issuers(),
                new IssuerKeyRefresher.Schedule(config.issuerRefresh(), minInterval));
        var sessions = new SessionApi(
                vertx,
                issuers,
                serviceContext,
                revisions::current,
                (unit, id, issuer, subject, displayName) -> RevisionStore.begin(unit)
                        .compose(revision -> UserStore.findOrCreate(
                                unit, new AuthzPublisher(revision), id, issuer, subject, displayName)),
                opened.outbox());
        opened.serve("openSession", sessions::open);
        return issuers;
    }

    static Function<Request, Future<Reply>> withRevision(
            RevisionStore revisions, Function<Request, Future<Reply>> change) {
        return request -> change.apply(request).compose(revisions::withCurrentRevision);
    }

    /** Runs before everything else, because later changes publish their own records. */
    private Future<Void> republishIfNeeded(Service opened) {
        var authz = Topics.findId(vertx, serviceContext.kafka(), Topics.AUTHZ_STATE);
        var state = Topics.findId(vertx, serviceContext.kafka(), Topics.IAM_STATE);
        return Future.all(authz, state).compose(ids -> new RepublishStore(opened.outbox())
                .republishIfNeeded(Map.of(Topics.AUTHZ_STATE, authz.result(), Topics.IAM_STATE, state.result())));
    }
}
