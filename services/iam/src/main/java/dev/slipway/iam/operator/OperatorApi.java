package dev.slipway.iam.operator;

import dev.slipway.authz.Authorizer;
import dev.slipway.authz.Target;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.iam.credential.Ceiling;
import dev.slipway.iam.credential.CredentialStore;
import dev.slipway.iam.credential.Credentials;
import dev.slipway.iam.credential.Owner;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.AuditTrail;
import dev.slipway.service.AuditTrail.Entry;
import dev.slipway.service.Mutations;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;

import java.time.Clock;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.UUID;
import java.util.function.BiFunction;

/** The operations on shared-runtime operators and their credentials. */
public final class OperatorApi {
    private final OperatorStore store;
    private final CredentialStore credentialStore;
    private final Credentials credentials;
    private final Mutations mutations;
    private final Authorizer authorizer;
    private final Ceiling ceiling;
    private final Clock clock;

    public OperatorApi(
            OperatorStore store,
            CredentialStore credentialStore,
            Credentials credentials,
            Mutations mutations,
            Authorizer authorizer,
            Ceiling ceiling,
            Clock clock) {
        this.store = store;
        this.credentialStore = credentialStore;
        this.credentials = credentials;
        this.mutations = mutations;
        this.authorizer = authorizer;
        this.ceiling = ceiling;
        this.clock = clock;
    }

    public Future<Reply> create(Request request) {
        var caller = request.principal();
        var orgId = orgId(request);
        var actions = new ArrayList<String>();
        request.body().path("allowed_actions").forEach(action -> actions.add(action.asText()));
        var place = request.reached(Target.organization(orgId));
        ceiling.require(actions, caller, action -> authorizer
                .decide(caller, action, place, clock.instant())
                .allowed());
        var operator = new Operator(
                Ids.next(),
                orgId,
                UUID.fromString(request.body().path("shared_runtime_id").asText()),
                request.body().path("display_name").asText(),
                actions,
                "active",
                caller.responsibleUserId(),
                clock.instant().truncatedTo(ChronoUnit.MICROS),
                null,
                null);
        return mutations.run(request, unit -> store.create(unit, operator).map(created -> {
            audit(request, unit, created, "create");
            return Reply.of(created.json(), "/api/v1/orgs/" + orgId + "/shared-runtime-operators/" + created.id());
        }));
    }

    public Future<Reply> get(Request request) {
        return store.find(orgId(request), operatorId(request)).map(found -> Reply.of(found.json()));
    }

    public Future<Reply> list(Request request) {
        return store.list(orgId(request)).map(all -> {
            var body = Json.object();
            var items = body.putArray("items");
            all.forEach(operator -> items.add(operator.json()));
            return Reply.of(body);
        });
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
            credentialStore.revokeAll(unit, current.id());
            return current.in("deleted", current.disabledAt(), unit.now());
        });
    }

    public Future<Reply> createCredential(Request request) {
        return credentials.create(
                request,
                unit -> lock(request, unit).map(OperatorApi::notDeleted).map(OperatorApi::owner));
    }

    public Future<Reply> listCredentials(Request request) {
        return credentials.list(store.find(orgId(request), operatorId(request)).map(OperatorApi::owner));
    }

    public Future<Reply> revokeCredential(Request request) {
        return credentials.revoke(request, unit -> lock(request, unit).map(OperatorApi::owner));
    }

    private Future<Operator> lock(Request request, UnitOfWork unit) {
        return store.lock(unit, orgId(request), operatorId(request));
    }

    private Future<Reply> change(Request request, String verb, BiFunction<UnitOfWork, Operator, Operator> change) {
        return mutations.run(request, unit -> store.change(
                        unit, orgId(request), operatorId(request), current -> change.apply(unit, current))
                .map(changed -> {
                    audit(request, unit, changed, verb);
                    return Reply.of(changed.json());
                }));
    }

    private static Operator notDeleted(Operator operator) {
        if (operator.deletedAt() != null) {
            throw Problem.of(ErrorCode.RESOURCE_DELETED, "The operator is deleted. Register another.")
                    .asException();
        }
        return operator;
    }

    private static UUID orgId(Request request) {
        return request.pathId("org_id");
    }

    private static UUID operatorId(Request request) {
        return request.pathId("operator_id");
    }

    private static Owner owner(Operator operator) {
        return new Owner(Owner.Kind.SHARED_RUNTIME_OPERATOR, operator.id(), operator.orgId(), null);
    }

    private static void audit(Request request, UnitOfWork unit, Operator operator, String verb) {
        var metadata = Json.object()
                .put("shared_runtime_id", operator.sharedRuntimeId().toString())
                .put("state", operator.state());
        AuditTrail.success(
                unit,
                request.principal(),
                new Entry(
                        "iam.operator." + verb,
                        "shared_runtime_operator",
                        operator.id().toString(),
                        operator.orgId(),
                        null,
                        metadata));
    }
}
