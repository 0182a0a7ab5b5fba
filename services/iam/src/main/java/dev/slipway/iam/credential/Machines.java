package dev.slipway.iam.credential;

import dev.slipway.authz.Target;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
import dev.slipway.iam.revision.RevisionStore;
import dev.slipway.messaging.Outbox;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.AuditTrail;
import dev.slipway.service.AuditTrail.Entry;
import dev.slipway.service.Mutations;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;

import java.util.UUID;
import java.util.function.BiFunction;

/** The operations on machines and their credentials, the same for every kind. */
public final class Machines<M extends Machine<M>> {
    private final Kind kind;
    private final MachineStore<M> store;
    private final CredentialStore credentialStore;
    private final Credentials credentials;
    private final Ceiling ceiling;
    private final Mutations mutations;
    private final Outbox outbox;

    /**
     * What is called how.
     *
     * @param actions what the names of the audited actions begin with
     * @param place the parameter of the path that names the place
     * @param id the parameter of the path that names the machine
     * @param gone what who wants something of a deleted one is told
     */
    public record Kind(String actions, String place, String id, String gone) {}

    public Machines(
            Kind kind,
            MachineStore<M> store,
            CredentialStore credentialStore,
            Credentials credentials,
            Ceiling ceiling,
            Mutations mutations,
            Outbox outbox) {
        this.kind = kind;
        this.store = store;
        this.credentialStore = credentialStore;
        this.credentials = credentials;
        this.ceiling = ceiling;
        this.mutations = mutations;
        this.outbox = outbox;
    }

    /** Makes one that is allowed no more than its kind may be, and its maker may give at the place. */
    public Future<Reply> create(Request request, Target place, M made, String collection) {
        return Future.succeededFuture()
                .compose(ok -> {
                    ceiling.require(request, place, made.allowedActions());
                    return mutations.run(request, unit -> store.add(unit, made).map(added -> {
                        audit(request, unit, made, "create");
                        return Reply.of(
                                made.json(), collection + "/" + made.owner().id());
                    }));
                })
                .recover(e -> AuditTrail.refuseExcess(outbox, request, kind.actions + ".create", e));
    }

    public Future<Reply> get(Request request) {
        return find(request).map(found -> Reply.of(found.json()));
    }

    public Future<Reply> disable(Request request) {
        return change(
                request,
                "disable",
                (unit, current) -> current.state().equals("disabled")
                        ? current
                        : notDeleted(current).in("disabled", unit.now(), null));
    }

    public Future<Reply> enable(Request request) {
        return change(request, "enable", (unit, current) -> notDeleted(current).in("active", null, null));
    }

    public Future<Reply> delete(Request request) {
        return change(request, "delete", (unit, current) -> {
            if (current.deletedAt() != null) {
                return current;
            }
            credentialStore.revokeAll(unit, current.owner().id());
            return current.in("deleted", current.disabledAt(), unit.now());
        });
    }

    public Future<Reply> createCredential(Request request) {
        return credentials.create(
                request, unit -> lock(request, unit).map(this::notDeleted).map(Machine::owner));
    }

    public Future<Reply> listCredentials(Request request) {
        return credentials.list(find(request).map(Machine::owner));
    }

    public Future<Reply> revokeCredential(Request request) {
        return credentials.revoke(request, unit -> lock(request, unit).map(Machine::owner));
    }

    /** Changes one behind its lock; announces it if that changed anything. */
    private Future<Reply> change(Request request, String verb, BiFunction<UnitOfWork, M, M> change) {
        return mutations.run(request, unit -> lock(request, unit)
                .compose(current -> changed(unit, current, change.apply(unit, current)))
                .map(changed -> {
                    audit(request, unit, changed, verb);
                    return Reply.of(changed.json());
                }));
    }

    private Future<M> changed(UnitOfWork unit, M current, M next) {
        if (next.equals(current)) {
            return Future.succeededFuture(current);
        }
        return RevisionStore.raised(unit, revision -> {
            store.change(unit, revision, next);
            return Future.succeededFuture(next);
        });
    }

    private Future<M> find(Request request) {
        return store.find(placeId(request), request.pathId(kind.id));
    }

    private Future<M> lock(Request request, UnitOfWork unit) {
        return store.lock(unit, placeId(request), request.pathId(kind.id));
    }

    private UUID placeId(Request request) {
        return request.pathId(kind.place);
    }

    private M notDeleted(M machine) {
        if (machine.deletedAt() != null) {
            throw Problem.of(ErrorCode.RESOURCE_DELETED, kind.gone).asException();
        }
        return machine;
    }

    private void audit(Request request, UnitOfWork unit, M machine, String verb) {
        var owner = machine.owner();
        var entry = new Entry(
                kind.actions + "." + verb,
                owner.kind().text(),
                owner.id().toString(),
                owner.orgId(),
                owner.projectId(),
                machine.audited());
        AuditTrail.success(unit, request.principal(), entry);
    }
}
