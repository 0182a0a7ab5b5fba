package dev.slipway.iam;

import dev.slipway.authz.Authorizer;
import dev.slipway.authz.Principal.ActorType;
import dev.slipway.iam.adapter.AdapterApi;
import dev.slipway.iam.adapter.AdapterStore;
import dev.slipway.iam.apikey.ApiKeyApi;
import dev.slipway.iam.apikey.ApiKeyStore;
import dev.slipway.iam.credential.Ceiling;
import dev.slipway.iam.credential.CredentialStore;
import dev.slipway.iam.credential.Credentials;
import dev.slipway.iam.credential.Machines;
import dev.slipway.iam.issuer.IssuerKeys;
import dev.slipway.iam.issuer.SessionApi;
import dev.slipway.iam.operator.Operator;
import dev.slipway.iam.operator.OperatorApi;
import dev.slipway.iam.operator.OperatorStore;
import dev.slipway.iam.revision.RevisionStore;
import dev.slipway.iam.revocation.RevocationApi;
import dev.slipway.iam.revocation.RevocationStore;
import dev.slipway.iam.serviceaccount.ServiceAccount;
import dev.slipway.iam.serviceaccount.ServiceAccountApi;
import dev.slipway.iam.serviceaccount.ServiceAccountStore;
import dev.slipway.iam.signingkey.KeyCipher;
import dev.slipway.iam.signingkey.SigningKeyApi;
import dev.slipway.iam.signingkey.SigningKeyStore;
import dev.slipway.iam.signingkey.SigningKeys;
import dev.slipway.iam.token.ExchangeApi;
import dev.slipway.iam.token.ExchangeStore;
import dev.slipway.iam.token.OperatorTokenApi;
import dev.slipway.iam.token.OperatorTokenStore;
import dev.slipway.iam.token.TokenMint;
import dev.slipway.messaging.Topics;
import dev.slipway.service.Frame;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import dev.slipway.service.Service;
import io.micrometer.core.instrument.Gauge;
import io.vertx.core.Future;
import io.vertx.core.Vertx;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;

/** The part of IAM that makes, exchanges and ends credentials: wiring only. */
final class CredentialWiring {
    private final Vertx vertx;
    private final RevisionStore revisions;
    private final Duration tokenLifetime;
    private final SigningKeys keys;
    private final SigningKeyApi signingKeys;
    private final Machines<ServiceAccount> accountMachines;
    private final ServiceAccountApi accounts;
    private final Machines<Operator> operatorMachines;
    private final OperatorApi operators;
    private final AdapterApi adapters;
    private final ApiKeyApi apiKeys;
    private final Credentials credentials;
    private final RevocationApi revocations;
    private final ExchangeApi exchange;
    private final OperatorTokenApi tasks;
    private final IssuerKeys issuers;
    private final SessionApi sessions;
    private final OperatorTokenStore instances = new OperatorTokenStore();

    CredentialWiring(Vertx vertx, Frame frame, IamConfig config, Service service, RevisionStore revisions) {
        this.vertx = vertx;
        this.revisions = revisions;
        this.tokenLifetime = config.tokenLifetime();
        var reads = service.reads();
        var mutations = service.mutations();
        var clock = frame.clock();
        var model = frame.authz();
        var authorizer = new Authorizer(model);
        var cipher = new KeyCipher(Objects.requireNonNull(config.keyEncryptionKey()));
        var keyStore = new SigningKeyStore(reads);
        keys = new SigningKeys(
                vertx,
                keyStore,
                service.outbox(),
                cipher,
                new SigningKeys.Settings(
                        config.tokenAudience(), config.keyRotation(), config.keyLead(), config.tokenLifetime()),
                model,
                clock);
        Gauge.builder("slipway.signing.key.age", keys, k -> k.age().toMillis() / 1e3)
                .description("How long ago the key that signs tokens was made")
                .baseUnit("seconds")
                .register(frame.telemetry().metrics());
        signingKeys = new SigningKeyApi(keyStore, keys, mutations, clock);
        var revocationStore = new RevocationStore(reads, service.outbox());
        revocations = new RevocationApi(revocationStore, mutations, frame.tokens(), clock);
        var credentialStore = new CredentialStore(reads, revocationStore, config.tokenLifetime());
        credentials = new Credentials(credentialStore, mutations, clock);
        var accountStore = new ServiceAccountStore(reads);
        accountMachines = new Machines<>(
                ServiceAccountApi.KIND,
                accountStore,
                credentialStore,
                credentials,
                new Ceiling(ActorType.SERVICE_ACCOUNT, authorizer, clock),
                mutations,
                service.outbox());
        accounts = new ServiceAccountApi(accountStore, accountMachines, clock);
        var operatorStore = new OperatorStore(reads);
        operatorMachines = new Machines<>(
                OperatorApi.KIND,
                operatorStore,
                credentialStore,
                credentials,
                new Ceiling(ActorType.SHARED_RUNTIME_OPERATOR, authorizer, clock),
                mutations,
                service.outbox());
        operators = new OperatorApi(operatorStore, operatorMachines, clock);
        adapters = new AdapterApi(new AdapterStore(reads), credentials, mutations);
        apiKeys =
                new ApiKeyApi(new ApiKeyStore(reads, credentialStore), mutations, service.outbox(), authorizer, clock);
        var mint = new TokenMint(vertx, keys, revocationStore, config.tokenLifetime());
        exchange = new ExchangeApi(
                new ExchangeStore(),
                credentialStore,
                mint,
                service.outbox(),
                model,
                frame.telemetry().metrics());
        tasks = new OperatorTokenApi(instances, credentialStore, mint, service.outbox());
        // However many tokens name keys that nobody knows, an issuer is asked this often at the most.
        var notBefore = config.issuerRefresh().dividedBy(30);
        issuers = new IssuerKeys(
                vertx,
                frame,
                keyStore,
                service.outbox(),
                config.issuers(),
                new IssuerKeys.Schedule(config.issuerRefresh(), notBefore));
        sessions = new SessionApi(vertx, issuers, frame, revisions, service.outbox());
    }

    private Function<Request, Future<Reply>> told(Function<Request, Future<Reply>> change) {
        return request -> change.apply(request).compose(revisions::told);
    }

    Service serve(Service service) {
        return service.serve("createServiceAccount", told(accounts::create))
                .serve("listServiceAccounts", accounts::list)
                .serve("getServiceAccount", accountMachines::get)
                .serve("deleteServiceAccount", told(accountMachines::delete))
                .serve("disableServiceAccount", told(accountMachines::disable))
                .serve("enableServiceAccount", told(accountMachines::enable))
                .serve("createServiceAccountCredential", accountMachines::createCredential)
                .serve("listServiceAccountCredentials", accountMachines::listCredentials)
                .serve("revokeServiceAccountCredential", told(accountMachines::revokeCredential))
                .serve("getCredentialReport", credentials::report)
                .serve("createSharedRuntimeOperator", told(operators::create))
                .serve("listSharedRuntimeOperators", operators::list)
                .serve("getSharedRuntimeOperator", operatorMachines::get)
                .serve("deleteSharedRuntimeOperator", told(operatorMachines::delete))
                .serve("disableSharedRuntimeOperator", told(operatorMachines::disable))
                .serve("enableSharedRuntimeOperator", told(operatorMachines::enable))
                .serve("createSharedRuntimeOperatorCredential", operatorMachines::createCredential)
                .serve("listSharedRuntimeOperatorCredentials", operatorMachines::listCredentials)
                .serve("revokeSharedRuntimeOperatorCredential", told(operatorMachines::revokeCredential))
                .serve("createAdapter", told(adapters::create))
                .serve("listAdapters", adapters::list)
                .serve("getAdapter", adapters::get)
                .serve("disableAdapter", told(adapters::disable))
                .serve("enableAdapter", told(adapters::enable))
                .serve("createAdapterCredential", adapters::createCredential)
                .serve("listAdapterCredentials", adapters::listCredentials)
                .serve("revokeAdapterCredential", told(adapters::revokeCredential))
                .serve("createApiKey", apiKeys::create)
                .serve("listApiKeys", apiKeys::list)
                .serve("revokeApiKey", told(apiKeys::revoke))
                .serve("exchangeServiceAccountToken", exchange::forServiceAccount)
                .serve("exchangeSharedRuntimeOperatorToken", exchange::forOperator)
                .serve("exchangeApiKeyToken", exchange::forApiKey)
                .serve("exchangeOperatorToken", tasks::exchange)
                .serve("exchangeAdapterToken", tasks::exchangeOwn)
                .serve("revokeOwnToken", told(revocations::revokeOwn))
                .serve("revokeProjectToken", told(revocations::revokeOfProject))
                .serve("revokeOrganizationToken", told(revocations::revokeOfOrganization))
                .serve("openSession", sessions::open)
                .serve("getJwks", signingKeys::jwks)
                .serve("listSigningKeys", signingKeys::list)
                .serve("rotateSigningKey", told(signingKeys::rotate))
                .serve("revokeSigningKey", told(signingKeys::revoke))
                // At once: an adapter that got the command asks for its token.
                .consumeBatches("operators", List.of(Topics.INSTANCES_EVENTS), Duration.ZERO, instances::keep);
    }

    Future<Void> start() {
        revocations.keepHouse(vertx, tokenLifetime);
        return keys.start().compose(ok -> issuers.start());
    }
}
