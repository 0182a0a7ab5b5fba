package dev.slipway.iam.credential;

import dev.slipway.authz.ResourceScope;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.contract.domain.ResourceState;
import dev.slipway.iam.credential.domain.MachinePrincipal;
import dev.slipway.iam.revision.domain.Revision;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.AuditTrail;
import dev.slipway.service.AuditTrail.AuditEntry;
import dev.slipway.service.Mutations;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;

import java.util.List;
import java.util.UUID;
import java.util.function.BiFunction;
import java.util.function.Function;

/** The API operations on machine principals and their credentials, the same for every kind. */
public final class MachinePrincipalApi<M extends MachinePrincipal<M>> {
    private final Kind<M> kind;
    private final Storage<M> storage;
    private final CredentialApi credentials;
    private final MachineActionLimit actionLimit;
    private final Mutations mutations;
    private final Function<UnitOfWork, Future<Revision>> beginRevision;

    /**
     * The properties of a kind of machine principal.
     *
     * @param actionPrefix the prefix of audited actions
     * @param scopeParameter the path parameter that names the scope
     * @param idParameter the path parameter that names the principal
     * @param collection the path of the collection, with {@code %s} for the scope id
     * @param deletedMessage the error message for changes of a deleted principal
     * @param duplicate the refusal if another principal has the same name
     */
    public record Kind<M>(
            String actionPrefix,
            String scopeParameter,
            String idParameter,
            String collection,
            String deletedMessage,
            Problem duplicate,
            Function<UUID, ResourceScope> resourceScope,
            Function<Request, M> parse,
            Function<M, ?> view,
            Function<M, ?> auditMetadata) {}

    /** The statements of a kind. A principal of another scope is not found. */
    public record Storage<M>(
            BiFunction<UUID, UUID, Future<M>> find, Lock<M> lock, Insert<M> insert, Update<M> update) {}

    private record UpdateActions(List<String> allowedActions) {}

    /** The metadata of the audit entry of changed actions. */
    private record ActionsAudit(List<String> before, List<String> after) {}

    @FunctionalInterface
    public interface Lock<M> {
        Future<M> lock(UnitOfWork unit, UUID scopeId, UUID id);
    }

    /** Inserts and publishes a principal; returns false if another one has the same name. */
    @FunctionalInterface
    public interface Insert<M> {
        Future<Boolean> insert(UnitOfWork unit, Revision revision, M principal);
    }

    @FunctionalInterface
    public interface Update<M> {
        void update(UnitOfWork unit, Revision revision, M next);
    }

    public MachinePrincipalApi(
            Kind<M> kind,
            Storage<M> storage,
            CredentialApi credentials,
            MachineActionLimit actionLimit,
            Mutations mutations,
            Function<UnitOfWork, Future<Revision>> beginRevision) {
        this.kind = kind;
        this.storage = storage;
        this.credentials = credentials;
        this.actionLimit = actionLimit;
        this.mutations = mutations;
        this.beginRevision = beginRevision;
    }

    /** Creates a principal with actions that its kind can have and that the caller can give. */
    public Future<Reply> create(Request request) {
        return Future.succeededFuture()
                .compose(ok -> {
                    var principal = kind.parse.apply(request);
                    actionLimit.requireAllowed(
                            request, kind.resourceScope.apply(scopeId(request)), principal.allowedActions());
                    return mutations.run(request, unit -> insert(request, unit, principal));
                })
                .recover(e ->
                        Future.failedFuture(AuditTrail.denyExcessiveGrant(request, kind.actionPrefix + ".create", e)));
    }

    public Future<Reply> get(Request request) {
        return find(request).map(this::reply);
    }

    /** Replaces the allowed actions by others that the kind can have and that the caller can give. */
    public Future<Reply> updateActions(Request request, BiFunction<M, List<String>, M> withActions) {
        var actions = Json.toRecord(request.body(), UpdateActions.class).allowedActions;
        return Future.succeededFuture()
                .compose(ok -> {
                    actionLimit.requireAllowed(request, kind.resourceScope.apply(scopeId(request)), actions);
                    return mutations.run(request, unit -> lock(request, unit)
                            .map(this::requireNotDeleted)
                            .compose(current -> saveIfChanged(unit, current, withActions.apply(current, actions))
                                    .map(changed -> {
                                        var metadata = new ActionsAudit(current.allowedActions(), actions);
                                        audit(request, unit, changed, "update", metadata);
                                        return reply(changed);
                                    })));
                })
                .recover(e ->
                        Future.failedFuture(AuditTrail.denyExcessiveGrant(request, kind.actionPrefix + ".update", e)));
    }

    public Future<Reply> disable(Request request) {
        return change(
                request,
                "disable",
                (unit, current) -> current.state() == ResourceState.DISABLED
                        ? current
                        : requireNotDeleted(current).disable(unit.now()));
    }

    public Future<Reply> enable(Request request) {
        return change(request, "enable", (unit, current) -> requireHeld(request, requireNotDeleted(current))
                        .enable())
                .recover(e ->
                        Future.failedFuture(AuditTrail.denyExcessiveGrant(request, kind.actionPrefix + ".enable", e)));
    }

    /** Deletes a principal and revokes its credentials. Its tokens are refused because it is no longer active. */
    public Future<Reply> delete(Request request) {
        return change(request, "delete", (unit, current) -> {
            if (current.state() != ResourceState.DELETED) {
                CredentialStore.revokeAll(unit, current.credentialOwner().id());
            }
            return current.delete(unit.now());
        });
    }

    /** Creates a credential. The caller must be able to give the principal its actions, because the secret allows them. */
    public Future<Reply> createCredential(Request request) {
        if (request.call().breakGlassReason() != null) {
            return Future.failedFuture(Problem.of(
                            ErrorCode.INSUFFICIENT_PERMISSIONS,
                            "An admin variant creates no credentials, because they would outlast it. Ask the tenant.")
                    .asException());
        }
        return credentials
                .create(request, unit -> lock(request, unit)
                        .map(this::requireNotDeleted)
                        .map(principal -> requireHeld(request, principal))
                        .map(MachinePrincipal::credentialOwner))
                .recover(e -> Future.failedFuture(AuditTrail.denyExcessiveGrant(request, "iam.credential.create", e)));
    }

    public Future<Reply> listCredentials(Request request) {
        return credentials.list(find(request).map(MachinePrincipal::credentialOwner));
    }

    public Future<Reply> revokeCredential(Request request) {
        return credentials.revoke(request, unit -> lock(request, unit).map(MachinePrincipal::credentialOwner));
    }

    private Future<Reply> insert(Request request, UnitOfWork unit, M principal) {
        return beginRevision
                .apply(unit)
                .compose(revision -> storage.insert.insert(unit, revision, principal))
                .map(inserted -> {
                    if (!inserted) {
                        throw kind.duplicate.asException();
                    }
                    audit(request, unit, principal, "create");
                    var location = kind.collection.formatted(scopeId(request)) + "/"
                            + principal.credentialOwner().id();
                    return Reply.ofRecord(kind.view.apply(principal), location);
                });
    }

    private Future<Reply> change(Request request, String verb, BiFunction<UnitOfWork, M, M> change) {
        return mutations.run(request, unit -> lock(request, unit)
                .compose(current -> saveIfChanged(unit, current, change.apply(unit, current)))
                .map(changed -> {
                    audit(request, unit, changed, verb);
                    return reply(changed);
                }));
    }

    private Future<M> saveIfChanged(UnitOfWork unit, M current, M next) {
        if (next.equals(current)) {
            return Future.succeededFuture(current);
        }
        return beginRevision.apply(unit).map(revision -> {
            storage.update.update(unit, revision, next);
            return next;
        });
    }

    private Future<M> find(Request request) {
        return storage.find.apply(scopeId(request), request.pathId(kind.idParameter));
    }

    private Future<M> lock(Request request, UnitOfWork unit) {
        return storage.lock.lock(unit, scopeId(request), request.pathId(kind.idParameter));
    }

    private UUID scopeId(Request request) {
        return request.pathId(kind.scopeParameter);
    }

    private M requireHeld(Request request, M principal) {
        actionLimit.requireHeld(request, kind.resourceScope.apply(scopeId(request)), principal.allowedActions());
        return principal;
    }

    private M requireNotDeleted(M principal) {
        if (principal.state() == ResourceState.DELETED) {
            throw Problem.of(ErrorCode.RESOURCE_DELETED, kind.deletedMessage).asException();
        }
        return principal;
    }

    private Reply reply(M principal) {
        return Reply.ofRecord(kind.view.apply(principal));
    }

    private void audit(Request request, UnitOfWork unit, M principal, String verb) {
        audit(request, unit, principal, verb, kind.auditMetadata.apply(principal));
    }

    private void audit(Request request, UnitOfWork unit, M principal, String verb, Object metadata) {
        var owner = principal.credentialOwner();
        var entry = new AuditEntry(
                kind.actionPrefix + "." + verb,
                owner.kind().text(),
                owner.id().toString(),
                owner.orgId(),
                owner.projectId(),
                Json.toObject(metadata));
        AuditTrail.recordSuccess(unit, request.principal(), entry);
    }
}
