package dev.slipway.catalog.artifact.source;

import dev.slipway.catalog.artifact.source.SourceAuthenticator.SourceAccount;
import dev.slipway.catalog.artifact.source.SourceException.Reason;
import io.vertx.core.Future;
import io.vertx.core.Vertx;

import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Selects the source implementation for a location, and limits the duration of its use. */
public final class ArtifactSources {
    private static final String REGISTRY = "oci";

    private final ArtifactSource registries;
    private final ArtifactSource objects;
    private final SourceSettings settings;
    private final Set<String> registryHosts;

    /** {@code ownToken} issues a token to pull from a source that accepts this platform's tokens. */
    public ArtifactSources(
            Vertx vertx,
            SourceSettings settings,
            List<SourceAccount> accounts,
            Function<SourceLocation, Future<String>> ownToken) {
        this.settings = settings;
        this.registryHosts = accounts.stream()
                .filter(account -> account.sourceType().equals(REGISTRY))
                .map(SourceAccount::authority)
                .collect(Collectors.toUnmodifiableSet());
        var client = new SsrfSafeClient(vertx, settings);
        var responseBodyReader = new ResponseBodyReader(vertx, settings.deadline());
        var known = new SourceAuthenticator(accounts, ownToken, client, responseBodyReader);
        registries = new OciSource(new OciRegistryClient(client, known), responseBodyReader, settings.maxObjectBytes());
        objects = new ObjectSource(client, responseBodyReader, known, settings.maxObjectBytes());
    }

    /**
     * Runs work with the source of a location. Fails with UNAVAILABLE if it takes longer than the deadline in total, and with NOT_ALLOWED for
     * an object on a registry of the platform: by its URL, every repository could be read, whichever project it belongs to.
     */
    public <T> Future<T> withSource(SourceLocation sourceLocation, Function<ArtifactSource, Future<T>> work) {
        var isRegistry = sourceLocation.type().equals(REGISTRY);
        if (!isRegistry && registryHosts.contains(sourceLocation.authority())) {
            return Future.failedFuture(new SourceException(
                    Reason.NOT_ALLOWED,
                    sourceLocation.authority() + " is a registry; use source_type oci to read from it."));
        }
        var source = isRegistry ? registries : objects;
        return work.apply(source)
                .timeout(settings.deadline().toMillis(), TimeUnit.MILLISECONDS)
                .recover(e -> Future.failedFuture(
                        e instanceof TimeoutException
                                ? new SourceException(
                                        Reason.UNAVAILABLE,
                                        sourceLocation.host() + " did not respond within "
                                                + settings.deadline().toSeconds() + " s.")
                                : e));
    }
}
