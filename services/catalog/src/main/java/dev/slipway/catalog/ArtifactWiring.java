package dev.slipway.catalog;

import dev.slipway.authz.Authorizer;
import dev.slipway.catalog.artifact.ArtifactApi;
import dev.slipway.catalog.artifact.ArtifactMetrics;
import dev.slipway.catalog.artifact.ArtifactReadStore;
import dev.slipway.catalog.artifact.ArtifactStore;
import dev.slipway.catalog.artifact.ArtifactTrust;
import dev.slipway.catalog.artifact.ArtifactTypes;
import dev.slipway.catalog.artifact.DigestUserStore;
import dev.slipway.catalog.artifact.IntentApi;
import dev.slipway.catalog.artifact.IntentStore;
import dev.slipway.catalog.artifact.PlatformSource;
import dev.slipway.catalog.artifact.RegisterApi;
import dev.slipway.catalog.artifact.SourceApi;
import dev.slipway.catalog.artifact.SourcePolicy;
import dev.slipway.catalog.artifact.TrustedKeys;
import dev.slipway.catalog.artifact.Verifications;
import dev.slipway.catalog.artifact.Verifier;
import dev.slipway.catalog.policy.PolicyStore;
import dev.slipway.catalog.registry.RegistryStore;
import dev.slipway.catalog.secret.RegistryTokens;
import dev.slipway.catalog.secret.Secrets;
import dev.slipway.catalog.secret.Secrets.Grant;
import dev.slipway.catalog.secret.Secrets.Lease;
import dev.slipway.catalog.source.ArtifactSources;
import dev.slipway.catalog.source.Location;
import dev.slipway.catalog.source.SourceException;
import dev.slipway.catalog.source.SourceException.Reason;
import dev.slipway.messaging.Queries;
import dev.slipway.service.Frame;
import dev.slipway.service.Service;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.List;

/** The artifacts of the catalog: wiring only. */
final class ArtifactWiring {
    /** What the service itself reads with; it reads at once. */
    private static final Duration OWN_TOKEN = Duration.ofMinutes(1);

    private final ArtifactTrust trust;
    private final ArtifactApi artifacts;
    private final RegisterApi registrations;
    private final IntentApi intents;
    private final SourceApi sources;

    ArtifactWiring(
            Vertx vertx,
            Frame frame,
            ArtifactConfig config,
            Service service,
            RegistryStore registry,
            PolicyStore policies) {
        var store = new ArtifactStore();
        var reads = new ArtifactReadStore(service.reads());
        var types = new ArtifactTypes(registry);
        var policy = new SourcePolicy(policies, config.sources());
        var key = config.tokenKey();
        var secrets = key == null ? null : new RegistryTokens(vertx, key, config.tokenIssuer(), frame.clock());
        var outside = new ArtifactSources(
                vertx, config.reading(), config.accounts(), at -> ownToken(config.sources(), secrets, at));
        var verifier = new Verifier(vertx, outside, new TrustedKeys(config.trustedKeys()));
        var verifications = new Verifications(Queries.of(service.reads()), types, policy, verifier, frame.clock());
        trust = new ArtifactTrust(store);
        var metrics = new ArtifactMetrics(frame.telemetry().metrics());
        metrics.start(vertx, reads);
        artifacts = new ArtifactApi(
                reads, store, types, verifications, new DigestUserStore(), metrics, service.mutations());
        registrations = new RegisterApi(
                config.sources(),
                store,
                types,
                policy,
                outside,
                service.mutations(),
                new Authorizer(frame.authz()),
                config.region(),
                frame.clock());
        intents = new IntentApi(
                config.sources(), policy, reads, store, new IntentStore(), secrets, service.mutations(), frame.clock());
        sources = new SourceApi(config.sources(), policy);
    }

    /** What the other parts ask before they use a digest. */
    ArtifactTrust trust() {
        return trust;
    }

    Service serve(Service service) {
        return service.serve("getAppRegistry", sources::registry)
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

    private static Future<String> ownToken(List<PlatformSource> sources, @Nullable Secrets secrets, Location at) {
        for (var source : sources) {
            var service = source.tokenService();
            if (secrets != null && service != null && source.host().equals(at.authority())) {
                return secrets.issue(new Grant("slipway", service, at.path(), List.of("pull"), OWN_TOKEN))
                        .map(Lease::token);
            }
        }
        return Future.failedFuture(
                new SourceException(Reason.REFUSED, at.host() + " asks for credentials, and the platform has none."));
    }
}
