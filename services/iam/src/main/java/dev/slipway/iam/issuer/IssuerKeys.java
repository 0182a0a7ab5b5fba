package dev.slipway.iam.issuer;

import dev.slipway.authz.IssuerKeySet;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.iam.signingkey.SigningKeyStore;
import dev.slipway.messaging.Cause;
import dev.slipway.messaging.Outbox;
import dev.slipway.service.AuditTrail;
import dev.slipway.service.AuditTrail.Entry;
import dev.slipway.service.Frame;
import dev.slipway.service.Health.Status;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.opentelemetry.context.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.MessageConsumerOptions;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Keeps the keys of the issuers that users come from: fetched on a schedule and when a token names one that is not known, published so
 * that every process verifies by itself. While an issuer is away, the last good set stands, and its age is shown.
 */
public final class IssuerKeys {
    /** Whoever meets a token with an unknown key of a trusted issuer says the issuer's name here. */
    public static final String UNKNOWN_KEY_ADDRESS = "slipway.iam.unknown-key";

    private static final Logger LOG = LoggerFactory.getLogger(IssuerKeys.class);
    /** How long the last good set stands. */
    private static final Duration KEPT_FOR = Duration.ofHours(24);

    private final Vertx vertx;
    private final Frame frame;
    private final Clock clock;
    private final SigningKeyStore store;
    private final Outbox outbox;
    private final JwksClient client;
    private final Schedule schedule;
    private final Map<String, State> states = new LinkedHashMap<>();

    /**
     * When keys are fetched.
     *
     * @param every from one time to the next
     * @param notBefore after the last time, however many unknown keys are met
     */
    public record Schedule(Duration every, Duration notBefore) {}

    private static final class State {
        private final OidcIssuer issuer;
        private final Counter failures;
        private List<IssuerKeySet.Key> keys = List.of();
        private Instant publishedAt = Instant.EPOCH;
        private volatile Instant confirmedAt = Instant.EPOCH;
        private Instant triedAt = Instant.EPOCH;
        private volatile @Nullable String failure;
        private @Nullable Future<Void> underWay;

        private State(OidcIssuer issuer, Counter failures) {
            this.issuer = issuer;
            this.failures = failures;
        }
    }

    public IssuerKeys(
            Vertx vertx,
            Frame frame,
            SigningKeyStore store,
            Outbox outbox,
            List<OidcIssuer> issuers,
            Schedule schedule) {
        this.vertx = vertx;
        this.frame = frame;
        this.clock = frame.clock();
        this.store = store;
        this.outbox = outbox;
        this.client = new JwksClient(vertx);
        this.schedule = schedule;
        issuers.forEach(this::register);
    }

    /** Fetches once, and does not wait for issuers that are away. */
    public Future<Void> start() {
        vertx.setPeriodic(schedule.every.toMillis(), timer -> states.values().forEach(this::refreshQuietly));
        var options =
                new MessageConsumerOptions().setAddress(UNKNOWN_KEY_ADDRESS).setLocalOnly(!frame.clustered());
        var consumer = vertx.eventBus().<String>consumer(options, message -> {
            var state = states.get(message.body());
            if (state != null) {
                refreshQuietly(state);
            }
        });
        states.values().forEach(this::refreshQuietly);
        return consumer.completion();
    }

    boolean isTrusted(String issuer) {
        return states.containsKey(issuer);
    }

    /** Fetches an issuer's keys, unless that was tried a moment ago; done when they are published. */
    Future<Void> refresh(String issuer) {
        var state = states.get(issuer);
        return state == null ? Future.succeededFuture() : refresh(state);
    }

    private void refreshQuietly(State state) {
        refresh(state).onFailure(e -> LOG.atWarn()
                .addKeyValue("issuer", state.issuer.issuer())
                .log("an issuer's keys could not be fetched; the last good ones stand: {}", e.toString()));
    }

    private Future<Void> refresh(State state) {
        var underWay = state.underWay;
        if (underWay != null) {
            return underWay;
        }
        var now = clock.instant();
        if (now.isBefore(state.triedAt.plus(schedule.notBefore))) {
            return Future.succeededFuture();
        }
        state.triedAt = now;
        var started = client.fetch(state.issuer)
                .compose(keys -> publishIfNews(state, keys))
                .onComplete(done -> {
                    state.underWay = null;
                    if (done.succeeded()) {
                        state.confirmedAt = clock.instant();
                        state.failure = null;
                    } else {
                        state.failures.increment();
                        state.failure = String.valueOf(done.cause().getMessage());
                    }
                });
        state.underWay = started.isComplete() ? null : started;
        return started;
    }

    /** Not at every fetch: every publication is a new revision for everyone. */
    private Future<Void> publishIfNews(State state, List<IssuerKeySet.Key> keys) {
        var now = clock.instant();
        if (keys.equals(state.keys) && now.isBefore(state.publishedAt.plus(KEPT_FOR.dividedBy(2)))) {
            return Future.succeededFuture();
        }
        var issuer = state.issuer;
        var cause = new Cause(Ids.next().toString(), Context.root());
        return outbox.<Void>transaction(cause, unit -> store.replace(
                                unit,
                                issuer.issuer(),
                                issuer.audience(),
                                issuer.nameClaim(),
                                keys,
                                unit.now().plus(KEPT_FOR))
                        .map(ok -> {
                            var metadata = Json.object().put("keys", keys.size());
                            var entry = new Entry(
                                    "iam.issuer_keys.refresh", "issuer", issuer.issuer(), null, null, metadata);
                            AuditTrail.byOther(unit, "system", "iam", null, entry, "success", null);
                            return null;
                        }))
                .onSuccess(ok -> {
                    state.keys = keys;
                    state.publishedAt = now;
                    LOG.atInfo()
                            .addKeyValue("issuer", issuer.issuer())
                            .addKeyValue("keys", keys.size())
                            .log("an issuer's keys were published");
                });
    }

    private void register(OidcIssuer issuer) {
        var meters = frame.telemetry().metrics();
        var state = new State(
                issuer,
                Counter.builder("slipway.issuer.keys.failures")
                        .description("Times that an issuer's keys could not be fetched, or made no sense")
                        .tag("issuer", issuer.issuer())
                        .register(meters));
        states.put(issuer.issuer(), state);
        Gauge.builder("slipway.issuer.keys.age", state, s -> ageOf(s).toMillis() / 1e3)
                .description("How long ago an issuer's keys were fetched last")
                .baseUnit("seconds")
                .tag("issuer", issuer.issuer())
                .register(meters);
        // An issuer that is away keeps its users' tokens good for a day: no reason to take the process out of service.
        frame.health().register("issuer " + issuer.issuer(), () -> new Status(true, message(state)));
    }

    private String message(State state) {
        var known = state.confirmedAt.equals(Instant.EPOCH)
                ? "keys not fetched yet"
                : "keys fetched " + ageOf(state).toSeconds() + " s ago";
        return state.failure == null ? known : known + "; the last try failed: " + state.failure;
    }

    private Duration ageOf(State state) {
        return state.confirmedAt.equals(Instant.EPOCH)
                ? Duration.ofSeconds(-1)
                : Duration.between(state.confirmedAt, clock.instant());
    }
}
