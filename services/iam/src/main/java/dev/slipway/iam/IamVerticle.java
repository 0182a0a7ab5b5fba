package dev.slipway.iam;

import dev.slipway.authz.Authorizer;
import dev.slipway.authz.Principal.ActorType;
import dev.slipway.authz.ResourceScope;
import dev.slipway.authz.TokenVerifier;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.contract.RoleRegistry;
import dev.slipway.iam.adapter.AdapterApi;
import dev.slipway.iam.adapter.AdapterPrincipalStore;
import dev.slipway.iam.apikey.ApiKeyApi;
import dev.slipway.iam.apikey.ApiKeyStore;
import dev.slipway.iam.credential.CredentialApi;
import dev.slipway.iam.credential.CredentialSecrets;
import dev.slipway.iam.credential.CredentialStore;
import dev.slipway.iam.credential.MachineActionLimit;
import dev.slipway.iam.credential.MachinePrincipalApi;
import dev.slipway.iam.credential.MachinePrincipalApi.Kind;
import dev.slipway.iam.credential.MachinePrincipalApi.Storage;
import dev.slipway.iam.decision.DecisionApi;
import dev.slipway.iam.issuer.IssuerKeyRefresher;
import dev.slipway.iam.issuer.SessionApi;
import dev.slipway.iam.operator.SharedRuntimeOperatorApi;
import dev.slipway.iam.operator.SharedRuntimeOperatorConsumer;
import dev.slipway.iam.operator.SharedRuntimeOperatorStore;
import dev.slipway.iam.operator.domain.SharedRuntimeOperator;
import dev.slipway.iam.revision.RevisionHeartbeat;
import dev.slipway.iam.revision.RevisionStore;
import dev.slipway.iam.revocation.RevocationApi;
import dev.slipway.iam.revocation.RevocationStore;
import dev.slipway.iam.serviceaccount.ServiceAccountApi;
import dev.slipway.iam.serviceaccount.ServiceAccountStore;
import dev.slipway.iam.serviceaccount.domain.ServiceAccount;
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
import dev.slipway.iam.tenancy.organization.TenantPlanStore;
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
import dev.slipway.iam.token.RuntimeTaskStore;
import dev.slipway.iam.token.TokenExchangeApi;
import dev.slipway.iam.token.TokenExchangeStore;
import dev.slipway.messaging.ChangeContext;
import dev.slipway.messaging.Topics;
import dev.slipway.service.AuditTrail;
import dev.slipway.service.AuditTrail.AuditEntry;
import dev.slipway.service.KeyCipher;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import dev.slipway.service.Service;
import dev.slipway.service.ServiceContext;
import io.micrometer.core.instrument.Gauge;
import io.opentelemetry.context.Context;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;

/** The IAM service: all wiring of its parts. */
public final class IamVerticle extends VerticleBase {
    private static final Logger LOG = LoggerFactory.getLogger(IamVerticle.class);
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
        var started = new RevisionHeartbeat(vertx, revisions, serviceContext.kafka(), serviceContext.clock());
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
        serveServiceAccounts(opened, revisions, credentials);
        serveOperators(opened, revisions, credentials);
        serveAdapters(opened, revisions, credentials);
        serveApiKeys(opened, revisions, credentials);
        serveTokens(opened, keys, credentials);
        var issuers = serveSessions(opened, revisions);
        return republishIfNeeded(opened)
                .compose(ok -> seed.isDemo() ? requireDemoNotRevoked(opened) : revokeDemo(opened))
                .compose(ok -> ensureSeed(opened))
                .compose(ok -> ensureAdministrator(opened))
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
                .consumeOptional("plans", List.of(Topics.CATALOG_STATE), TenantPlanStore::apply)
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

    private void serveServiceAccounts(Service opened, RevisionStore revisions, CredentialApi credentials) {
        var store = new ServiceAccountStore(opened.reads());
        var accounts = new ServiceAccountApi(store, serviceContext.clock());
        var machines = new MachinePrincipalApi<>(
                new Kind<ServiceAccount>(
                        "iam.service_account",
                        "project_id",
                        "service_account_id",
                        "/api/v1/projects/%s/service-accounts",
                        "The service account is deleted. Create another one.",
                        Problem.validationOf(
                                ErrorCode.SLUG_TAKEN,
                                "/slug",
                                "is already used by another service account of the project"),
                        ResourceScope::project,
                        accounts::parse,
                        ServiceAccountApi::view,
                        ServiceAccountApi::auditMetadata),
                new Storage<>(
                        store::find,
                        ServiceAccountStore::lock,
                        ServiceAccountStore::insert,
                        ServiceAccountStore::update),
                credentials,
                actionLimit(ActorType.SERVICE_ACCOUNT),
                opened.mutations(),
                RevisionStore::begin);
        opened.serve("createServiceAccount", withRevision(revisions, machines::create))
                .serve("listServiceAccounts", accounts::list)
                .serve("getServiceAccount", machines::get)
                .serve(
                        "updateServiceAccount",
                        withRevision(
                                revisions,
                                request -> machines.updateActions(request, ServiceAccount::withAllowedActions)))
                .serve("deleteServiceAccount", withRevision(revisions, machines::delete))
                .serve("disableServiceAccount", withRevision(revisions, machines::disable))
                .serve("enableServiceAccount", withRevision(revisions, machines::enable))
                .serve("createServiceAccountCredential", machines::createCredential)
                .serve("listServiceAccountCredentials", machines::listCredentials)
                .serve("revokeServiceAccountCredential", withRevision(revisions, machines::revokeCredential))
                .serve("getCredentialReport", credentials::report);
    }

    private void serveOperators(Service opened, RevisionStore revisions, CredentialApi credentials) {
        var store = new SharedRuntimeOperatorStore(opened.reads());
        var operators = new SharedRuntimeOperatorApi(store, serviceContext.clock());
        var machines = new MachinePrincipalApi<>(
                new Kind<SharedRuntimeOperator>(
                        "iam.operator",
                        "org_id",
                        "operator_id",
                        "/api/v1/orgs/%s/shared-runtime-operators",
                        "The operator is deleted. Register another one.",
                        Problem.validationOf(ErrorCode.SLUG_TAKEN, "/shared_runtime_id", "already has an operator"),
                        ResourceScope::organization,
                        operators::parse,
                        SharedRuntimeOperatorApi::view,
                        SharedRuntimeOperatorApi::auditMetadata),
                new Storage<>(
                        store::find,
                        SharedRuntimeOperatorStore::lock,
                        SharedRuntimeOperatorStore::insert,
                        SharedRuntimeOperatorStore::update),
                credentials,
                actionLimit(ActorType.SHARED_RUNTIME_OPERATOR),
                opened.mutations(),
                RevisionStore::begin);
        opened.serve("createSharedRuntimeOperator", withRevision(revisions, machines::create))
                .serve("listSharedRuntimeOperators", operators::list)
                .serve("getSharedRuntimeOperator", machines::get)
                .serve("deleteSharedRuntimeOperator", withRevision(revisions, machines::delete))
                .serve("disableSharedRuntimeOperator", withRevision(revisions, machines::disable))
                .serve("enableSharedRuntimeOperator", withRevision(revisions, machines::enable))
                .serve("createSharedRuntimeOperatorCredential", machines::createCredential)
                .serve("listSharedRuntimeOperatorCredentials", machines::listCredentials)
                .serve("revokeSharedRuntimeOperatorCredential", withRevision(revisions, machines::revokeCredential));
    }

    private void serveAdapters(Service opened, RevisionStore revisions, CredentialApi credentials) {
        var adapters =
                new AdapterApi(new AdapterPrincipalStore(opened.reads()), opened.mutations(), RevisionStore::begin);
        opened.serve("createAdapter", withRevision(revisions, adapters::create))
                .serve("listAdapters", adapters::list)
                .serve("getAdapter", adapters::get)
                .serve("disableAdapter", withRevision(revisions, adapters::disable))
                .serve("enableAdapter", withRevision(revisions, adapters::enable))
                .serve(
                        "createAdapterCredential",
                        request -> credentials.create(request, unit -> adapters.lockOwner(request, unit)))
                .serve("listAdapterCredentials", request -> credentials.list(adapters.findOwner(request)))
                .serve(
                        "revokeAdapterCredential",
                        withRevision(
                                revisions,
                                request -> credentials.revoke(request, unit -> adapters.lockOwner(request, unit))))
                // Events instead of snapshots: IAM does not wait for the catalog to become ready.
                .consumeBatches(
                        "runtime-backends",
                        List.of(Topics.CATALOG_EVENTS),
                        Duration.ZERO,
                        AdapterPrincipalStore::recordBackends);
    }

    private void serveApiKeys(Service opened, RevisionStore revisions, CredentialApi credentials) {
        var apiKeys = new ApiKeyApi(
                new ApiKeyStore(opened.reads()),
                new ApiKeyApi.Credentials(CredentialSecrets::generate, CredentialStore::insert, credentials::revoke),
                opened.mutations(),
                new Authorizer(serviceContext.authz()),
                serviceContext.clock());
        opened.serve("createApiKey", apiKeys::create)
                .serve("listApiKeys", apiKeys::list)
                .serve("revokeApiKey", withRevision(revisions, apiKeys::revoke));
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
                serviceContext.telemetry().metrics());
        var runtimeOperators = new SharedRuntimeOperatorConsumer(RevisionStore::begin);
        var tasks = new RuntimeTaskStore();
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
                        "operators", List.of(Topics.INSTANCES_EVENTS), Duration.ZERO, (unit, events) -> tasks.apply(
                                        unit, events)
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

    private MachineActionLimit actionLimit(ActorType kind) {
        return new MachineActionLimit(kind, new Authorizer(serviceContext.authz()), serviceContext.clock());
    }

    private static Function<Request, Future<Reply>> withRevision(
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

    /** Without the demo, nothing that its users, keys and secrets allowed is allowed any more. */
    private Future<Void> revokeDemo(Service opened) {
        return opened.outbox().transaction(systemContext(), unit -> DemoStore.revoke(unit, IamSeed.DEMO_ISSUER)
                .map(revoked -> {
                    if (revoked) {
                        var entry = new AuditEntry("iam.demo.revoke", "platform", "-", null, null, Json.object());
                        AuditTrail.recordSystemAction(unit, "system", "iam", null, entry, "success", null);
                        LOG.atWarn()
                                .log(
                                        "revoked the demo's users, keys and bindings, and all credentials created with it");
                    }
                    return null;
                }));
    }

    private static Future<Void> requireDemoNotRevoked(Service opened) {
        return opened.outbox().transaction(systemContext(), unit -> DemoStore.isRevoked(unit, IamSeed.DEMO_ISSUER)
                .compose(revoked -> revoked
                        ? Future.failedFuture(new IllegalStateException(
                                "A start with SLIPWAY_DEMO=false revoked the demo on this data. Set SLIPWAY_HOME to another"
                                        + " directory to run the demo."))
                        : Future.succeededFuture()));
    }

    private Future<Void> ensureSeed(Service opened) {
        return opened.outbox().transaction(systemContext(), unit -> SeedStore.ensure(
                        unit, BuiltInRegistry.actions(), BuiltInRegistry.roles(), seed)
                .map(ok -> {
                    var entry = new AuditEntry("iam.seed.ensure", "platform", "-", null, null, Json.object());
                    AuditTrail.recordSystemAction(unit, "system", "iam", null, entry, "success", null);
                    return null;
                }));
    }

    private Future<Void> ensureAdministrator(Service opened) {
        var first = config.firstAdministrator();
        if (first == null) {
            return Future.succeededFuture();
        }
        var user = new IamSeed.User(Ids.next(), first.issuer(), first.subject(), "First administrator");
        return opened.outbox().transaction(systemContext(), unit -> SeedStore.ensureAdministrator(
                        unit, user, highestRole())
                .map(created -> {
                    if (created) {
                        var entry = new AuditEntry(
                                "iam.administrator.ensure", "user", first.subject(), null, null, Json.object());
                        AuditTrail.recordSystemAction(unit, "system", "iam", null, entry, "success", null);
                    } else {
                        LOG.atInfo().log("a platform administrator exists; the first administrator setting is ignored");
                    }
                    return null;
                }));
    }

    private static ChangeContext systemContext() {
        return new ChangeContext(Ids.next().toString(), Context.root());
    }

    /** Returns the platform role with the most actions. */
    private static String highestRole() {
        return RoleRegistry.load().roles().stream()
                .filter(role -> role.level().equals("platform"))
                .max(Comparator.comparingInt(role -> role.actions().size()))
                .orElseThrow()
                .name();
    }
}
