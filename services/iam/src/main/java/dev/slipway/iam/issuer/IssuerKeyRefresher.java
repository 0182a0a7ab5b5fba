package dev.slipway.iam.issuer;

import dev.slipway.authz.JwksParser;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.messaging.ChangeContext;
import dev.slipway.messaging.Outbox;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.AuditResult;
import dev.slipway.service.AuditTrail;
import dev.slipway.service.AuditTrail.AuditEntry;
import dev.slipway.service.HealthRegistry.Status;
import dev.slipway.service.ServiceContext;
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
 * Refreshes the keys of external issuers: it fetches them on a schedule and when a token names an unknown key, and publishes them so that
 * every process can verify tokens itself. While an issuer is unavailable, its last valid keys stay in use and their age is reported.
 */
public final class IssuerKeyRefresher {
    /** A process that receives a token with an unknown key sends the issuer's name to this event bus address. */
    public static final String UNKNOWN_KEY_ADDRESS = "slipway.iam.unknown-key";

    private static final Logger LOG = LoggerFactory.getLogger(IssuerKeyRefresher.class);
    /** The time that keys are valid after they were last fetched. */
    private static final Duration MAX_KEY_AGE = Duration.ofHours(24);

    private final Vertx vertx;
    private final ServiceContext serviceContext;
    private final Clock clock;
    private final KeyPublisher publisher;
    private final Outbox outbox;
    private final JwksClient client;
    private final Schedule schedule;
    private final Map<String, IssuerState> states = new LinkedHashMap<>();

    /** Stores and publishes all keys of an issuer in a new revision. */
    @FunctionalInterface
    public interface KeyPublisher {
        Future<Void> publish(UnitOfWork unit, OidcIssuer issuer, List<JwksParser.PublicJwk> keys, Instant expiresAt);
    }

    /**
     * When keys are fetched.
     *
     * @param interval between scheduled fetches
     * @param minInterval between any two fetches, however many unknown keys are received
     */
    public record Schedule(Duration interval, Duration minInterval) {}

    private record AuditMetadata(int keys) {}

    private static final class IssuerState {
        private final OidcIssuer issuer;
        private final Counter failures;
        private List<JwksParser.PublicJwk> keys = List.of();
        private Instant publishedAt = Instant.EPOCH;
        private volatile Instant confirmedAt = Instant.EPOCH;
        private Instant triedAt = Instant.EPOCH;
        private volatile @Nullable String failure;
        private @Nullable Future<Void> pendingRefresh;

        private IssuerState(OidcIssuer issuer, Counter failures) {
            this.issuer = issuer;
            this.failures = failures;
        }
    }

    public IssuerKeyRefresher(
            Vertx vertx,
            ServiceContext serviceContext,
            KeyPublisher publisher,
            Outbox outbox,
            List<OidcIssuer> issuers,
            Schedule schedule) {
        this.vertx = vertx;
        this.serviceContext = serviceContext;
        this.clock = serviceContext.clock();
        this.publisher = publisher;
        this.outbox = outbox;
        this.client = new JwksClient(vertx);
        this.schedule = schedule;
        issuers.forEach(this::register);
    }

    /** Starts the schedule and does not wait for the first fetch. */
    public Future<Void> start() {
        vertx.setPeriodic(schedule.interval.toMillis(), timer -> states.values().forEach(this::refreshOrLog));
        var options =
                new MessageConsumerOptions().setAddress(UNKNOWN_KEY_ADDRESS).setLocalOnly(!serviceContext.clustered());
        var consumer = vertx.eventBus().<String>consumer(options, message -> {
            var issuerState = states.get(message.body());
            if (issuerState != null) {
                refreshOrLog(issuerState);
            }
        });
        states.values().forEach(this::refreshOrLog);
        return consumer.completion();
    }

    boolean isTrusted(String issuer) {
        return states.containsKey(issuer);
    }

    /** Fetches an issuer's keys unless that was tried a moment ago; completes when they are published. */
    Future<Void> refresh(String issuer) {
        var issuerState = states.get(issuer);
        return issuerState == null ? Future.succeededFuture() : refresh(issuerState);
    }

    private void refreshOrLog(IssuerState issuerState) {
        refresh(issuerState).onFailure(e -> LOG.atWarn()
                .addKeyValue("issuer", issuerState.issuer.issuer())
                .log("issuer keys not fetched; the last valid keys stay in use: {}", e.toString()));
    }

    private Future<Void> refresh(IssuerState issuerState) {
        var underWay = issuerState.pendingRefresh;
        if (underWay != null) {
            return underWay;
        }
        var now = clock.instant();
        if (now.isBefore(issuerState.triedAt.plus(schedule.minInterval))) {
            return Future.succeededFuture();
        }
        issuerState.triedAt = now;
        var started = client.fetch(issuerState.issuer)
                .compose(keys -> publishIfChanged(issuerState, keys))
                .onComplete(done -> {
                    issuerState.pendingRefresh = null;
                    if (done.succeeded()) {
                        issuerState.confirmedAt = clock.instant();
                        issuerState.failure = null;
                    } else {
                        issuerState.failures.increment();
                        issuerState.failure = String.valueOf(done.cause().getMessage());
                    }
                });
        issuerState.pendingRefresh = started.isComplete() ? null : started;
        return started;
    }

    /** Publishes keys only if they changed or are about to expire: each publication is a new revision. */
    private Future<Void> publishIfChanged(IssuerState issuerState, List<JwksParser.PublicJwk> keys) {
        var now = clock.instant();
        if (keys.equals(issuerState.keys) && now.isBefore(issuerState.publishedAt.plus(MAX_KEY_AGE.dividedBy(2)))) {
            return Future.succeededFuture();
        }
        var issuer = issuerState.issuer;
        var changeContext = new ChangeContext(Ids.next().toString(), Context.root());
        return outbox.<Void>transaction(changeContext, unit -> publisher
                        .publish(unit, issuer, keys, unit.now().plus(MAX_KEY_AGE))
                        .map(ok -> {
                            var auditEntry = new AuditEntry(
                                    "iam.issuer_keys.refresh",
                                    "issuer",
                                    issuer.issuer(),
                                    null,
                                    null,
                                    Json.toObject(new AuditMetadata(keys.size())));
                            AuditTrail.recordSystemAction(
                                    unit, "system", "iam", null, auditEntry, AuditResult.SUCCESS, null);
                            return null;
                        }))
                .onSuccess(ok -> {
                    issuerState.keys = keys;
                    issuerState.publishedAt = now;
                    LOG.atInfo()
                            .addKeyValue("issuer", issuer.issuer())
                            .addKeyValue("keys", keys.size())
                            .log("issuer keys published");
                });
    }

    private void register(OidcIssuer issuer) {
        var meters = serviceContext.telemetry().metrics();
        var issuerState = new IssuerState(
                issuer,
                Counter.builder("slipway.issuer.keys.failures")
                        .description("Failed fetches of an issuer's keys")
                        .tag("issuer", issuer.issuer())
                        .register(meters));
        states.put(issuer.issuer(), issuerState);
        Gauge.builder("slipway.issuer.keys.age", issuerState, s -> ageOf(s).toMillis() / 1e3)
                .description("Age of an issuer's keys")
                .baseUnit("seconds")
                .tag("issuer", issuer.issuer())
                .register(meters);
        // Always healthy: with the last keys, tokens stay valid for a day while the issuer is unavailable.
        serviceContext.health().register("issuer " + issuer.issuer(), () -> new Status(true, message(issuerState)));
    }

    private String message(IssuerState issuerState) {
        var known = issuerState.confirmedAt.equals(Instant.EPOCH)
                ? "keys not fetched yet"
                : "keys fetched " + ageOf(issuerState).toSeconds() + " s ago";
        return issuerState.failure == null ? known : known + "; the last try failed: " + issuerState.failure;
    }

    private Duration ageOf(IssuerState issuerState) {
        return issuerState.confirmedAt.equals(Instant.EPOCH)
                ? Duration.ofSeconds(-1)
                : Duration.between(issuerState.confirmedAt, clock.instant());
    }
}
