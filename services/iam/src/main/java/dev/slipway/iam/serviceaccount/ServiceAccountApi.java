package dev.slipway.iam.serviceaccount;

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
import java.util.Objects;
import java.util.function.BiFunction;

/** The operations on service accounts and their credentials. */
public final class ServiceAccountApi {
    private final ServiceAccountStore store;
    private final CredentialStore credentialStore;
    private final Credentials credentials;
    private final Mutations mutations;
    private final Authorizer authorizer;
    private final Ceiling ceiling;
    private final Clock clock;

    public ServiceAccountApi(
            ServiceAccountStore store,
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
        var projectId = request.projectId();
        var actions = new ArrayList<String>();
        request.body().path("allowed_actions").forEach(action -> actions.add(action.asText()));
        var place = request.reached(Target.project(projectId));
        ceiling.require(actions, caller, action -> authorizer
                .decide(caller, action, place, clock.instant())
                .allowed());
        var account = ServiceAccount.active(
                Ids.next(),
                Objects.requireNonNull(request.orgId()),
                projectId,
                request.body().path("slug").asText(),
                request.body().path("display_name").asText(),
                null,
                null,
                actions,
                caller.responsibleUserId(),
                clock.instant().truncatedTo(ChronoUnit.MICROS));
        return mutations.run(request, unit -> store.create(unit, account).map(created -> {
            audit(request, unit, created, "create");
            return Reply.of(created.json(), "/api/v1/projects/" + projectId + "/service-accounts/" + created.id());
        }));
    }

    public Future<Reply> get(Request request) {
        return store.find(request.projectId(), request.pathId("service_account_id"))
                .map(found -> Reply.of(found.json()));
    }

    public Future<Reply> list(Request request) {
        return store.list(request.projectId(), request.cursor(), request.limit())
                .map(page -> page.reply(ServiceAccount::json));
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
                unit -> lock(request, unit).map(ServiceAccountApi::notDeleted).map(ServiceAccountApi::owner));
    }

    public Future<Reply> listCredentials(Request request) {
        return credentials.list(store.find(request.projectId(), request.pathId("service_account_id"))
                .map(ServiceAccountApi::owner));
    }

    public Future<Reply> revokeCredential(Request request) {
        return credentials.revoke(request, unit -> lock(request, unit).map(ServiceAccountApi::owner));
    }

    private Future<ServiceAccount> lock(Request request, UnitOfWork unit) {
        return store.lock(unit, request.projectId(), request.pathId("service_account_id"));
    }

    private Future<Reply> change(
            Request request, String verb, BiFunction<UnitOfWork, ServiceAccount, ServiceAccount> change) {
        return mutations.run(request, unit -> store.change(
                        unit,
                        request.projectId(),
                        request.pathId("service_account_id"),
                        current -> change.apply(unit, current))
                .map(changed -> {
                    audit(request, unit, changed, verb);
                    return Reply.of(changed.json());
                }));
    }

    private static ServiceAccount notDeleted(ServiceAccount account) {
        if (account.deletedAt() != null) {
            throw Problem.of(ErrorCode.RESOURCE_DELETED, "The service account is deleted. Make another.")
                    .asException();
        }
        return account;
    }

    private static Owner owner(ServiceAccount account) {
        return new Owner(Owner.Kind.SERVICE_ACCOUNT, account.id(), account.orgId(), account.projectId());
    }

    private static void audit(Request request, UnitOfWork unit, ServiceAccount account, String verb) {
        var metadata = Json.object().put("slug", account.slug()).put("state", account.state());
        AuditTrail.success(
                unit,
                request.principal(),
                new Entry(
                        "iam.service_account." + verb,
                        "service_account",
                        account.id().toString(),
                        account.orgId(),
                        account.projectId(),
                        metadata));
    }
}
