package dev.slipway.iam;

import dev.slipway.authz.Authorizer;
import dev.slipway.authz.Principal.ActorType;
import dev.slipway.authz.ResourceScope;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
import dev.slipway.iam.adapter.AdapterApi;
import dev.slipway.iam.adapter.AdapterPrincipalStore;
import dev.slipway.iam.adapter.RuntimeBackendConsumer;
import dev.slipway.iam.apikey.ApiKeyApi;
import dev.slipway.iam.apikey.ApiKeyStore;
import dev.slipway.iam.credential.CredentialApi;
import dev.slipway.iam.credential.CredentialSecrets;
import dev.slipway.iam.credential.CredentialStore;
import dev.slipway.iam.credential.MachineActionLimit;
import dev.slipway.iam.credential.MachinePrincipalApi;
import dev.slipway.iam.credential.MachinePrincipalApi.Kind;
import dev.slipway.iam.credential.MachinePrincipalApi.Storage;
import dev.slipway.iam.operator.SharedRuntimeOperatorApi;
import dev.slipway.iam.operator.SharedRuntimeOperatorStore;
import dev.slipway.iam.operator.domain.SharedRuntimeOperator;
import dev.slipway.iam.revision.RevisionStore;
import dev.slipway.iam.serviceaccount.ServiceAccountApi;
import dev.slipway.iam.serviceaccount.ServiceAccountStore;
import dev.slipway.iam.serviceaccount.domain.ServiceAccount;
import dev.slipway.messaging.Topics;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import dev.slipway.service.Service;
import dev.slipway.service.ServiceContext;
import io.vertx.core.Future;

import java.time.Duration;
import java.util.List;
import java.util.function.Function;

/** Serves the principals that hold credentials: service accounts, operators, adapters, and users with API keys. */
final class CredentialHolders {
    private final Service opened;
    private final ServiceContext serviceContext;
    private final RevisionStore revisions;
    private final CredentialApi credentials;

    CredentialHolders(
            Service opened, ServiceContext serviceContext, RevisionStore revisions, CredentialApi credentials) {
        this.opened = opened;
        this.serviceContext = serviceContext;
        this.revisions = revisions;
        this.credentials = credentials;
    }

    void serve() {
        serveServiceAccounts();
        serveOperators();
        serveAdapters();
        serveApiKeys();
    }

    private void serveServiceAccounts() {
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
        opened.serve("createServiceAccount", withRevision(machines::create))
                .serve("listServiceAccounts", accounts::list)
                .serve("getServiceAccount", machines::get)
                .serve(
                        "updateServiceAccount",
                        withRevision(request -> machines.updateActions(request, ServiceAccount::withAllowedActions)))
                .serve("deleteServiceAccount", withRevision(machines::delete))
                .serve("disableServiceAccount", withRevision(machines::disable))
                .serve("enableServiceAccount", withRevision(machines::enable))
                .serve("createServiceAccountCredential", machines::createCredential)
                .serve("listServiceAccountCredentials", machines::listCredentials)
                .serve("revokeServiceAccountCredential", withRevision(machines::revokeCredential))
                .serve("getCredentialReport", credentials::report);
    }

    private void serveOperators() {
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
        opened.serve("createSharedRuntimeOperator", withRevision(machines::create))
                .serve("listSharedRuntimeOperators", operators::list)
                .serve("getSharedRuntimeOperator", machines::get)
                .serve("deleteSharedRuntimeOperator", withRevision(machines::delete))
                .serve("disableSharedRuntimeOperator", withRevision(machines::disable))
                .serve("enableSharedRuntimeOperator", withRevision(machines::enable))
                .serve("createSharedRuntimeOperatorCredential", machines::createCredential)
                .serve("listSharedRuntimeOperatorCredentials", machines::listCredentials)
                .serve("revokeSharedRuntimeOperatorCredential", withRevision(machines::revokeCredential));
    }

    private void serveAdapters() {
        var adapters =
                new AdapterApi(new AdapterPrincipalStore(opened.reads()), opened.mutations(), RevisionStore::begin);
        opened.serve("createAdapter", withRevision(adapters::create))
                .serve("listAdapters", adapters::list)
                .serve("getAdapter", adapters::get)
                .serve("disableAdapter", withRevision(adapters::disable))
                .serve("enableAdapter", withRevision(adapters::enable))
                .serve(
                        "createAdapterCredential",
                        request -> credentials.create(request, unit -> adapters.lockOwner(request, unit)))
                .serve("listAdapterCredentials", request -> credentials.list(adapters.findOwner(request)))
                .serve(
                        "revokeAdapterCredential",
                        withRevision(request -> credentials.revoke(request, unit -> adapters.lockOwner(request, unit))))
                // Events instead of snapshots: IAM does not wait for the catalog to become ready.
                .consumeBatches(
                        "runtime-backends",
                        List.of(Topics.CATALOG_EVENTS),
                        Duration.ZERO,
                        RuntimeBackendConsumer::apply);
    }

    private void serveApiKeys() {
        var apiKeys = new ApiKeyApi(
                new ApiKeyStore(opened.reads()),
                new ApiKeyApi.Credentials(CredentialSecrets::generate, CredentialStore::insert, credentials::revoke),
                opened.mutations(),
                new Authorizer(serviceContext.authz()),
                serviceContext.clock());
        opened.serve("createApiKey", apiKeys::create)
                .serve("listApiKeys", apiKeys::list)
                .serve("revokeApiKey", withRevision(apiKeys::revoke));
    }

    private MachineActionLimit actionLimit(ActorType kind) {
        return new MachineActionLimit(kind, new Authorizer(serviceContext.authz()), serviceContext.clock());
    }

    private Function<Request, Future<Reply>> withRevision(Function<Request, Future<Reply>> change) {
        return IamVerticle.withRevision(revisions, change);
    }
}
