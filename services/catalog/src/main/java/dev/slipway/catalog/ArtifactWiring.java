package dev.slipway.catalog;

import dev.slipway.authz.Authorizer;
import dev.slipway.catalog.artifact.ArtifactApi;
import dev.slipway.catalog.artifact.ArtifactMetrics;
import dev.slipway.catalog.artifact.ArtifactReadStore;
import dev.slipway.catalog.artifact.ArtifactStore;
import dev.slipway.catalog.artifact.ArtifactTypeLookup;
import dev.slipway.catalog.artifact.ArtifactVerifier;
import dev.slipway.catalog.artifact.DigestUsageStore;
import dev.slipway.catalog.artifact.IntentApi;
import dev.slipway.catalog.artifact.IntentStore;
import dev.slipway.catalog.artifact.PlatformSource;
import dev.slipway.catalog.artifact.RegistrationApi;
import dev.slipway.catalog.artifact.SourceApi;
import dev.slipway.catalog.artifact.SourcePolicy;
import dev.slipway.catalog.artifact.TrustedKeys;
import dev.slipway.catalog.artifact.VerificationRunner;
import dev.slipway.catalog.artifact.credential.CredentialIssuer;
import dev.slipway.catalog.artifact.credential.CredentialIssuer.CredentialRequest;
import dev.slipway.catalog.artifact.credential.CredentialIssuer.Lease;
import dev.slipway.catalog.artifact.credential.RegistryTokenIssuer;
import dev.slipway.catalog.artifact.source.ArtifactSources;
import dev.slipway.catalog.artifact.source.SourceException;
import dev.slipway.catalog.artifact.source.SourceException.Reason;
import dev.slipway.catalog.artifact.source.SourceLocation;
import dev.slipway.messaging.QueryExecutor;
import dev.slipway.service.Service;
import dev.slipway.service.ServiceContext;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Wires artifacts. */
final class ArtifactWiring {
    /** Lifetime of the tokens with which the service itself reads from registries. */
    private static final Duration PULL_TOKEN_LIFETIME = Duration.ofMinutes(1);

    private final ArtifactStore store;
    private final ArtifactApi artifacts;
    private final RegistrationApi registrations;
    private final IntentApi intents;
    private final SourceApi sourceApi;

    ArtifactWiring(
            Vertx vertx,
            ServiceContext serviceContext,
            ArtifactConfig config,
            Service service,
            RegistryWiring registries,
            PolicyWiring policies,
            ReleaseGateWiring gates) {
        store = new ArtifactStore();
        var reads = new ArtifactReadStore(service.reads());
        var types = new ArtifactTypeLookup(registries::findArtifactType);
        var policy = new SourcePolicy(policies::findEffectivePolicy, config.sources());
        var key = config.tokenKey();
        var credentials =
                key == null ? null : new RegistryTokenIssuer(vertx, key, config.tokenIssuer(), serviceContext.clock());
        var sources = new ArtifactSources(
                vertx,
                config.sourceSettings(),
                config.accounts(),
                location -> issuePullToken(config.sources(), credentials, location));
        var artifactVerifier = new ArtifactVerifier(vertx, sources, new TrustedKeys(config.trustedKeys()));
        var verificationRunner = new VerificationRunner(
                QueryExecutor.of(service.reads()), types, policy, artifactVerifier, serviceContext.clock());
        var metrics = new ArtifactMetrics(serviceContext.telemetry().metrics());
        metrics.start(vertx, reads);
        artifacts = new ArtifactApi(
                reads,
                store,
                types,
                verificationRunner,
                new DigestUsageStore(),
                metrics,
                gates::requirePassed,
                service.mutations());
        registrations = new RegistrationApi(
                config.sources(),
                store,
                types,
                policy,
                sources,
                service.mutations(),
                new Authorizer(serviceContext.authz()),
                config.region(),
                serviceContext.clock());
        intents = new IntentApi(
                config.sources(),
                policy,
                reads,
                store,
                new IntentStore(),
                credentials,
                service.mutations(),
                serviceContext.clock());
        sourceApi = new SourceApi(config.sources(), policy);
    }

    /** Returns the trust state of digests; unknown digests are missing. */
    Future<Map<String, String>> findTrust(QueryExecutor executor, Set<String> digests) {
        return store.findTrust(executor, digests);
    }

    Service serve(Service service) {
        return service.serve("getAppRegistry", sourceApi::listSources)
                .serve("listArtifacts", artifacts::list)
                .serve("getArtifact", artifacts::get)
                .serve("listArtifactHistory", artifacts::history)
                .serve("registerArtifact", registrations::register)
                .serve("createPublishIntent", intents::publish)
                .serve("createPullIntent", intents::pull)
                .serve("verifyArtifact", artifacts::verify)
                .serve("promoteArtifact", artifacts::promote)
                .serve("deprecateArtifact", artifacts::deprecate)
                .serve("retireArtifact", artifacts::retire)
                .serve("revokeArtifact", artifacts::revoke);
    }

    private static Future<String> issuePullToken(
            List<PlatformSource> sources, @Nullable CredentialIssuer credentialIssuer, SourceLocation at) {
        for (var source : sources) {
            var service = source.tokenService();
            if (credentialIssuer != null && service != null && source.host().equals(at.authority())) {
                return credentialIssuer
                        .issue(new CredentialRequest(
                                "slipway", service, at.path(), List.of("pull"), PULL_TOKEN_LIFETIME))
                        .map(Lease::token);
            }
        }
        return Future.failedFuture(new SourceException(
                Reason.REFUSED, at.host() + " requires credentials, and the platform has none for it."));
    }
}
