package dev.slipway.service;

import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Operation;
import dev.slipway.contract.Problem;
import dev.slipway.contract.ProblemException;
import dev.slipway.messaging.Outbox;
import dev.slipway.messaging.Transient;
import dev.slipway.telemetry.Correlation;
import dev.slipway.telemetry.Traces;
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
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * The door of a service: verifies the token, authorizes the operation's action, and only then calls the handler. The gateway has done the
 * first already; a service does not take its word for it.
 */
public final class Dispatcher {
    private static final Logger LOG = LoggerFactory.getLogger(Dispatcher.class);

    private static final long PATIENCE_MS = 10_000;

    private final Vertx vertx;
    private final Frame frame;
    private final Admission admission;
    private final Map<Operation, Function<Request, Future<Reply>>> handlers = new LinkedHashMap<>();
    private final Map<Operation, Function<Request, Future<Reply>>> everywhere = new LinkedHashMap<>();
    private final List<MessageConsumer<Call>> consumers = new ArrayList<>();
    private final Promise<Void> idle = Promise.promise();
    private final AtomicInteger inFlight = new AtomicInteger();
    private volatile boolean stopping;
    private @Nullable String doors;

    Dispatcher(Vertx vertx, Frame frame, Outbox outbox, String service) {
        this.vertx = vertx;
        this.frame = frame;
        this.admission = new Admission(vertx, frame, outbox, service);
    }

    /** Serves an operation once {@link #open} is called. */
    void serve(String operationId, Function<Request, Future<Reply>> handler) {
        handlers.put(frame.contract().operation(operationId), handler);
    }

    /** The same, by whichever event loop has time: for a handler that keeps nothing which two of them could trip over. */
    void serveOnEveryLoop(String operationId, Function<Request, Future<Reply>> handler) {
        everywhere.put(frame.contract().operation(operationId), handler);
    }

    Future<Void> open() {
        consumers.addAll(consume(handlers));
        var all = new DeploymentOptions().setInstances(frame.eventLoops());
        return Future.all(consumers.stream().map(MessageConsumer::completion).toList())
                .compose(ok -> everywhere.isEmpty()
                        ? Future.succeededFuture()
                        : vertx.deployVerticle(Door::new, all).onSuccess(id -> doors = id))
                .mapEmpty();
    }

    /** Where calls come in on one event loop. */
    private final class Door extends VerticleBase {
        @Override
        public Future<?> start() {
            return Future.all(consume(everywhere).stream()
                    .map(MessageConsumer::completion)
                    .toList());
        }
    }

    private List<MessageConsumer<Call>> consume(Map<Operation, Function<Request, Future<Reply>>> served) {
        var made = new ArrayList<MessageConsumer<Call>>(served.size());
        served.forEach((operation, handler) -> {
            var options =
                    new MessageConsumerOptions().setAddress(operation.id()).setLocalOnly(!frame.clustered());
            made.add(vertx.eventBus().consumer(options, message -> answer(operation, handler, message)));
        });
        return made;
    }

    /** Takes no more calls, and is done when those it took are answered, or their callers have given up. */
    Future<Void> close() {
        stopping = true;
        vertx.setTimer(PATIENCE_MS, timer -> idle.tryComplete());
        return Future.join(consumers.stream().map(MessageConsumer::unregister).toList())
                .otherwiseEmpty()
                .compose(ok -> doors == null ? Future.succeededFuture() : vertx.undeploy(doors))
                .otherwiseEmpty()
                .compose(ok -> inFlight.get() == 0 ? Future.succeededFuture() : idle.future());
    }

    private void answer(Operation operation, Function<Request, Future<Reply>> handler, Message<Call> message) {
        inFlight.incrementAndGet();
        var call = message.body();
        Traces.attach(Correlation.with(Context.current(), call.correlationId()));
        Future<Reply> reply;
        try {
            reply = admission.admit(operation, call).compose(handler);
        } catch (RuntimeException e) {
            reply = Future.failedFuture(e);
        }
        reply.otherwise(failure -> Reply.of(problem(operation, failure))).onComplete(done -> {
            message.reply(done.result());
            if (inFlight.decrementAndGet() == 0 && stopping) {
                idle.tryComplete();
            }
        });
    }

    private static Problem problem(Operation operation, Throwable failure) {
        if (failure instanceof ProblemException expected) {
            return expected.problem();
        }
        if (Transient.isOutage(failure)) {
            LOG.atWarn()
                    .addKeyValue("operation", operation.id())
                    .setCause(failure)
                    .log("a dependency is away");
            return Problem.of(
                    ErrorCode.DEPENDENCY_UNAVAILABLE,
                    "A part that Slipway depends on is away. Try again, with the same Idempotency-Key.");
        }
        LOG.atError().addKeyValue("operation", operation.id()).setCause(failure).log("an operation failed");
        return Problem.of(ErrorCode.INTERNAL_ERROR, "Something went wrong on our side. Quote the correlation id.");
    }
}
