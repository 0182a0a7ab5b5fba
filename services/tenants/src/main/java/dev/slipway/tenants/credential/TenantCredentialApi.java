package dev.slipway.tenants.credential;

import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.messaging.ChangeContext;
import dev.slipway.messaging.Outbox;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.AuditTrail;
import dev.slipway.service.AuditTrail.AuditEntry;
import dev.slipway.service.ItemList;
import dev.slipway.service.Mutations;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import dev.slipway.tenants.credential.TenantCredentialStore.CredentialAccess;
import dev.slipway.tenants.credential.TenantCredentialStore.TenantCredential;
import dev.slipway.tenants.database.TenantAccess;
import dev.slipway.tenants.database.TenantDatabases;
import dev.slipway.tenants.quota.TenantUsers;
import dev.slipway.tenants.tenant.TenantStore;
import dev.slipway.tenants.tenant.domain.Tenant;
import io.opentelemetry.context.Context;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.security.SecureRandom;
import java.time.Clock;
import java.time.Instant;
import java.util.Base64;
import java.util.Objects;
import java.util.UUID;

/** Issues and revokes database credentials. Each is a role with a password that expires; the password is in one response only. */
public final class TenantCredentialApi {
    private static final Logger LOG = LoggerFactory.getLogger(TenantCredentialApi.class);
    private static final String ACTION = "tenants.credential.write";
    private static final int DEFAULT_TTL_SECONDS = 900;
    private static final int MAX_CREDENTIALS = 20;
    private static final int PASSWORD_BYTES = 24;
    private static final SecureRandom RANDOM = new SecureRandom();

    private final TenantStore tenants;
    private final TenantCredentialStore store;
    private final TenantDatabases databases;
    private final TenantAccess access;
    private final Outbox outbox;
    private final Mutations mutations;
    private final TenantUsers users;
    private final Clock clock;

    private record CreateBody(
            @Nullable CredentialAccess access, @Nullable Integer ttlSeconds) {}

    /** The response that contains the password. */
    private record IssuedCredential(
            UUID id,
            UUID tenantId,
            String username,
            String password,
            String connectionUrl,
            CredentialAccess access,
            Instant expiresAt,
            Instant createdAt) {}

    public TenantCredentialApi(
            TenantStore tenants,
            TenantCredentialStore store,
            TenantDatabases databases,
            TenantAccess access,
            Outbox outbox,
            Mutations mutations,
            TenantUsers users,
            Clock clock) {
        this.tenants = tenants;
        this.store = store;
        this.databases = databases;
        this.access = access;
        this.outbox = outbox;
        this.mutations = mutations;
        this.users = users;
        this.clock = clock;
    }

    public Future<Reply> list(Request request) {
        return tenants.find(request.pathId("org_id"), request.pathId("tenant_id"))
                .map(TenantStore::required)
                .compose(tenant -> store.list(tenant.id(), clock.instant()))
                .map(found -> ItemList.reply(found, credential -> credential));
    }

    /**
     * Stores the credential without its password, and then creates the role. A repeated request finds the stored reply, which has no password, and is
     * refused.
     */
    public Future<Reply> create(Request request) {
        var body = Json.toRecord(request.body(), CreateBody.class);
        var id = Ids.next();
        var password = newPassword();
        return mutations
                .run(request, unit -> lock(unit, request).compose(tenant -> requireActive(tenant)
                        .compose(ok -> users.register(unit, request.principal(), tenant))
                        .compose(ok -> store.count(unit, tenant.id()))
                        .compose(count -> insert(unit, request, tenant, id, body, password, count))))
                .map(reply -> withPassword(reply, id, password));
    }

    private Future<Reply> insert(
            UnitOfWork unit, Request request, Tenant tenant, UUID id, CreateBody body, String password, long count) {
        if (count >= MAX_CREDENTIALS) {
            return Future.failedFuture(Problem.of(
                            ErrorCode.CREDENTIAL_LIMIT,
                            "The tenant has " + count + " credentials. Revoke one, or wait until one expires.")
                    .asException());
        }
        var ttl = Objects.requireNonNullElse(body.ttlSeconds, DEFAULT_TTL_SECONDS);
        var credential = new TenantCredential(
                id,
                tenant.id(),
                username(tenant, id),
                Objects.requireNonNullElse(body.access, CredentialAccess.READ),
                unit.now().plusSeconds(ttl),
                unit.now());
        store.insert(unit, credential);
        audit(unit, request, credential, "issue");
        // The row of the tenant is locked: a suspension waits, and then revokes the role.
        return access.createCredential(
                        tenant,
                        credential.username(),
                        password,
                        credential.access() == CredentialAccess.WRITE,
                        credential.expiresAt())
                .map(ok -> Reply.ofRecord(new IssuedCredential(
                        id,
                        tenant.id(),
                        credential.username(),
                        "",
                        databases.connectionUrl(tenant),
                        credential.access(),
                        credential.expiresAt(),
                        credential.createdAt())));
    }

    /** Adds the password to the reply of the request that created it; a stored reply names another credential. */
    private static Reply withPassword(Reply reply, UUID id, String password) {
        if (reply.problem() != null) {
            return reply;
        }
        var issued = Json.toRecord(Json.parseTrusted(reply.body()), IssuedCredential.class);
        return issued.id.equals(id)
                ? Reply.ofRecord(new IssuedCredential(
                        id,
                        issued.tenantId,
                        issued.username,
                        password,
                        issued.connectionUrl,
                        issued.access,
                        issued.expiresAt,
                        issued.createdAt))
                : Reply.of(
                        Problem.of(
                                ErrorCode.IDEMPOTENCY_CONFLICT,
                                "This Idempotency-Key was used for a credential whose password is not stored. Revoke it, and issue a new one with a new key."));
    }

    public Future<Reply> revoke(Request request) {
        return mutations.run(request, unit -> lock(unit, request).compose(tenant -> store.find(
                        unit, tenant.id(), request.pathId("credential_id"))
                .compose(credential -> {
                    if (credential == null) {
                        return Future.failedFuture(Problem.of(ErrorCode.NOT_FOUND, "The tenant has no such credential.")
                                .asException());
                    }
                    store.delete(unit, credential.id());
                    audit(unit, request, credential, "revoke");
                    return access.dropCredential(tenant, credential.username()).map(Reply.ofRecord(credential));
                })));
    }

    /** Drops the roles of expired credentials; they cannot log in any more. */
    public Future<Void> deleteExpired() {
        return store.listExpired(clock.instant()).compose(expired -> {
            var chain = Future.<Void>succeededFuture();
            for (var credential : expired) {
                chain = chain.compose(ok -> deleteExpired(credential));
            }
            return chain;
        });
    }

    private Future<Void> deleteExpired(TenantCredential credential) {
        return tenants.findById(credential.tenantId())
                .compose(tenant -> tenant == null
                        ? Future.succeededFuture()
                        : access.dropCredential(tenant, credential.username()))
                .compose(ok ->
                        outbox.<Void>transaction(new ChangeContext(Ids.next().toString(), Context.root()), unit -> {
                            store.delete(unit, credential.id());
                            return Future.succeededFuture();
                        }))
                .onSuccess(ok -> LOG.atDebug()
                        .addKeyValue("tenant_id", credential.tenantId())
                        .log("expired credential deleted"));
    }

    private Future<Tenant> lock(UnitOfWork unit, Request request) {
        return tenants.lock(unit, request.pathId("org_id"), request.pathId("tenant_id"))
                .map(TenantStore::required);
    }

    private static Future<Void> requireActive(Tenant tenant) {
        var problem = !tenant.isActive()
                ? "Only active tenants have credentials. Read the status of the tenant."
                : !tenant.hasTables() || tenant.names().isShared()
                        ? "Tenants in memory or in a shared schema have no credentials. Use the data API."
                        : null;
        return problem == null
                ? Future.succeededFuture()
                : Future.failedFuture(
                        Problem.of(ErrorCode.STATE_CONFLICT, problem).asException());
    }

    private static String username(Tenant tenant, UUID id) {
        return tenant.names().role() + "_" + "%08x".formatted((int) id.getLeastSignificantBits());
    }

    private static String newPassword() {
        var bytes = new byte[PASSWORD_BYTES];
        RANDOM.nextBytes(bytes);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    private static void audit(UnitOfWork unit, Request request, TenantCredential credential, String change) {
        var metadata = Json.object()
                .put("change", change)
                .put("credential_id", credential.id().toString())
                .put("username", credential.username())
                .put("expires_at", credential.expiresAt().toString());
        AuditTrail.recordSuccess(
                unit,
                request.principal(),
                new AuditEntry(
                        ACTION, "tenant", credential.tenantId().toString(), request.pathId("org_id"), null, metadata));
    }
}
