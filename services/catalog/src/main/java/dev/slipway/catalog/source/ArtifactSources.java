package dev.slipway.catalog.source;

import dev.slipway.catalog.source.Accounts.Account;
import dev.slipway.catalog.source.SourceException.Reason;
import io.vertx.core.Future;
import io.vertx.core.Vertx;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

/** The sources of artifacts, by their type. */
public final class ArtifactSources {
    private final ArtifactSource registries;
    private final ArtifactSource objects;
    private final SourceSettings settings;

    /** {@code ownToken} makes a token to pull from a repository of a source that takes this platform's tokens. */
    public ArtifactSources(
            Vertx vertx, SourceSettings settings, List<Account> accounts, Function<Location, Future<String>> ownToken) {
        this.settings = settings;
        var client = new GuardedClient(vertx, settings);
        var bodies = new Bodies(vertx, settings.deadline());
        var known = new Accounts(accounts, ownToken, client, bodies);
        registries = new OciSource(new Registry(client, known), bodies, settings.maxObjectBytes());
        objects = new ObjectSource(client, bodies, known, settings.maxObjectBytes());
    }

    /** Does something with the source of a location; all of it, in all, within the deadline. */
    public <T> Future<T> at(Location location, Function<ArtifactSource, Future<T>> work) {
        var source = location.type().equals("oci") ? registries : objects;
        return work.apply(source)
                .timeout(settings.deadline().toMillis(), TimeUnit.MILLISECONDS)
                .recover(e -> Future.failedFuture(
                        e instanceof TimeoutException
                                ? new SourceException(
                                        Reason.UNAVAILABLE,
                                        location.host() + " is too slow: it takes more than "
                                                + settings.deadline().toSeconds() + " s.")
                                : e));
    }
}
