package dev.slipway.service;

import dev.slipway.contract.ApiOperation;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
import dev.slipway.contract.ProblemException;
import dev.slipway.messaging.ChangeContext;
import dev.slipway.messaging.Failures;
import dev.slipway.messaging.Outbox;
import dev.slipway.telemetry.Correlation;
import dev.slipway.telemetry.Traces;
import io.micrometer.core.instrument.Timer;
import io.opentelemetry.context.Context;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.Message;
import io.vertx.core.eventbus.MessageConsumer;
import io.vertx.core.eventbus.MessageConsumerOptions;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * Receives the calls of a service from the event bus: verifies the token, authorizes the action of the API operation and then runs the
 * handler. The gateway has verified the token before; services do not rely on that.
 */
public final class Dispatcher {
    private static final Logger LOG = LoggerFactory.getLogger(Dispatcher.class);
    private static final long DRAIN_TIMEOUT_MS = 10_000;
    private static final long REPLICATION_TIMEOUT_NS = 2_000_000_000L;
    private static final long REPLICATION_RETRY_MS = 50;

    private final Vertx vertx;
    private final ServiceContext serviceContext;
    private final Outbox outbox;
    private final RequestAuthorizer authorizer;
    private final Map<ApiOperation, Function<Request, Future<Reply>>> handlers = new LinkedHashMap<>();
    private final Map<ApiOperation, Function<Request, Future<Reply>>> handlersOnEveryLoop = new LinkedHashMap<>();
    private final List<MessageConsumer<Call>> consumers = new ArrayList<>();
    private final Map<String, Timer> indicators = new ConcurrentHashMap<>();
    private final Promise<Void> idle = Promise.promise();
    private final AtomicInteger inFlight = new AtomicInteger();
    private volatile boolean stopping;
    private @Nullable String consumersDeploymentId;

    Dispatcher(Vertx vertx, ServiceContext serviceContext, Outbox outbox, String service) {
        this.vertx = vertx;
        this.serviceContext = serviceContext;
        this.outbox = outbox;
        this.authorizer = new RequestAuthorizer(vertx, serviceContext, outbox, service);
    }

    void serve(String operationId, Function<Request, Future<Reply>> handler) {
        handlers.put(serviceContext.contract().operation(operationId), handler);
    }

    void serveOnEveryLoop(String operationId, Function<Request, Future<Reply>> handler) {
        handlersOnEveryLoop.put(serviceContext.contract().operation(operationId), handler);
    }

    /** Registers the handlers on the event bus. */
    Future<Void> open() {
        consumers.addAll(consume(handlers));
        var onEveryLoop = new DeploymentOptions().setInstances(serviceContext.eventLoops());
        return Future.all(consumers.stream().map(MessageConsumer::completion).toList())
                .compose(ok -> handlersOnEveryLoop.isEmpty()
                        ? Future.succeededFuture()
                        : vertx.deployVerticle(EventLoopConsumer::new, onEveryLoop)
                                .onSuccess(id -> consumersDeploymentId = id))
                .mapEmpty();
    }

    /** Receives calls on one event loop. */
    private final class EventLoopConsumer extends VerticleBase {
        @Override
        public Future<?> start() {
            return Future.all(consume(handlersOnEveryLoop).stream()
                    .map(MessageConsumer::completion)
                    .toList());
        }
    }

    private List<MessageConsumer<Call>> consume(Map<ApiOperation, Function<Request, Future<Reply>>> served) {
        var created = new ArrayList<MessageConsumer<Call>>(served.size());
        served.forEach((operation, handler) -> {
            var options =
                    new MessageConsumerOptions().setAddress(operation.id()).setLocalOnly(!serviceContext.clustered());
            created.add(vertx.eventBus().consumer(options, message -> handle(operation, handler, message)));
        });
        return created;
    }

    /** Stops accepting calls. Completes when those in flight are answered, or after the drain timeout. */
    Future<Void> close() {
        stopping = true;
        vertx.setTimer(DRAIN_TIMEOUT_MS, timer -> idle.tryComplete());
        return Future.join(consumers.stream().map(MessageConsumer::unregister).toList())
                .otherwiseEmpty()
                .compose(ok -> consumersDeploymentId == null
                        ? Future.succeededFuture()
                        : vertx.undeploy(consumersDeploymentId))
                .otherwiseEmpty()
                .compose(ok -> inFlight.get() == 0 ? Future.succeededFuture() : idle.future());
    }

    private void handle(ApiOperation operation, Function<Request, Future<Reply>> handler, Message<Call> message) {
        inFlight.incrementAndGet();
        var startedNanos = System.nanoTime();
        var call = message.body();
        Traces.makeCurrent(Correlation.with(Context.current(), call.correlationId()));
        var changeContext = new ChangeContext(call.correlationId(), Context.current()).withSource(call.source());
        Future<Reply> reply;
        try {
            reply = authorizer
                    .authorize(operation, call, changeContext)
                    .compose(request -> handle(handler, request, System.nanoTime() + REPLICATION_TIMEOUT_NS))
                    .recover(failure -> recordDenial(changeContext, failure));
        } catch (RuntimeException e) {
            reply = Future.failedFuture(e);
        }
        reply.otherwise(failure -> Reply.of(toProblem(operation, failure))).onComplete(done -> {
            message.reply(done.result());
            recordDuration(operation, done.result(), System.nanoTime() - startedNanos);
            if (inFlight.decrementAndGet() == 0 && stopping) {
                idle.tryComplete();
            }
        });
    }

    /** Failures of the service are no answers, so they have no duration. */
    private void recordDuration(ApiOperation operation, Reply reply, long nanos) {
        var indicator = operation.indicator();
        if (indicator != null && reply.problem() == null) {
            indicators
                    .computeIfAbsent(
                            indicator,
                            name -> ServiceLevelIndicator.timer(
                                    serviceContext.telemetry().metrics(), name))
                    .record(nanos, TimeUnit.NANOSECONDS);
        }
    }

    /** Runs the handler, again and again until the deadline while it needs data that is not replicated yet. */
    private Future<Reply> handle(Function<Request, Future<Reply>> handler, Request request, long deadlineNanos) {
        Future<Reply> reply;
        try {
            reply = handler.apply(request);
        } catch (NotReplicatedException e) {
            reply = Future.failedFuture(e);
        }
        return reply.recover(failure -> {
            if (!(failure instanceof NotReplicatedException missing)) {
                return Future.failedFuture(failure);
            }
            return System.nanoTime() - deadlineNanos < 0
                    ? vertx.timer(REPLICATION_RETRY_MS).compose(ok -> handle(handler, request, deadlineNanos))
                    : missing.answer();
        });
    }

    /** The only place that records denials of known callers. */
    private Future<Reply> recordDenial(ChangeContext changeContext, Throwable failure) {
        return failure instanceof DenialException denial
                ? AuditTrail.recordDenial(outbox, changeContext, denial)
                        .compose(ok -> Future.failedFuture(denial.problem().asException()))
                : Future.failedFuture(failure);
    }

    private static Problem toProblem(ApiOperation operation, Throwable failure) {
        if (failure instanceof ProblemException expected) {
            return expected.problem();
        }
        if (failure instanceof NotReplicatedException missing) {
            return missing.problem();
        }
        if (Failures.isRetryable(failure)) {
            LOG.atWarn()
                    .addKeyValue("operation", operation.id())
                    .setCause(failure)
                    .log("dependency unavailable");
            return Problem.of(
                    ErrorCode.DEPENDENCY_UNAVAILABLE,
                    "A dependency is unavailable. Retry with the same Idempotency-Key.");
        }
        LOG.atError().addKeyValue("operation", operation.id()).setCause(failure).log("operation failed");
        return Problem.of(
                ErrorCode.INTERNAL_ERROR,
                "An internal error occurred. Report it with the correlation id of this response.");
    }
}
