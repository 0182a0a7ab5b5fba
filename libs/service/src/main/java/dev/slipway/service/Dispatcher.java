package dev.slipway.service;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.authz.Authorizer;
import dev.slipway.authz.AuthzModel;
import dev.slipway.authz.Decision;
import dev.slipway.authz.Principal;
import dev.slipway.authz.Target;
import dev.slipway.authz.TokenVerifier;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Operation;
import dev.slipway.contract.Problem;
import dev.slipway.contract.ProblemException;
import dev.slipway.messaging.Cause;
import dev.slipway.messaging.Outbox;
import dev.slipway.messaging.Transient;
import dev.slipway.service.AuditTrail.Entry;
import dev.slipway.telemetry.Correlation;
import dev.slipway.telemetry.Traces;
import io.micrometer.core.instrument.Counter;
import io.opentelemetry.context.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.Message;
import io.vertx.core.eventbus.MessageConsumer;
import io.vertx.core.eventbus.MessageConsumerOptions;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Clock;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
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
    private final Outbox outbox;
    private final AuthzModel model;
    private final Authorizer authorizer;
    private final TokenVerifier tokens;
    private final Clock clock;
    private final Counter allowed;
    private final Counter denied;
    private final Counter stale;
    private final Map<Operation, Function<Request, Future<Reply>>> handlers = new LinkedHashMap<>();
    private final List<MessageConsumer<Call>> consumers = new ArrayList<>();
    private final Promise<Void> idle = Promise.promise();
    private int inFlight;
    private boolean stopping;

    Dispatcher(Vertx vertx, Frame frame, Outbox outbox, String service) {
        this.vertx = vertx;
        this.frame = frame;
        this.outbox = outbox;
        this.model = frame.authz();
        this.authorizer = new Authorizer(model);
        this.tokens = frame.tokens();
        this.clock = frame.clock();
        this.allowed = decisions(service, "allowed");
        this.denied = decisions(service, "denied");
        this.stale = decisions(service, "stale");
    }

    private Counter decisions(String service, String outcome) {
        return Counter.builder("slipway.decisions")
                .description("Authorization decisions; stale ones were refused for want of confirmed permissions")
                .tag("service", service)
                .tag("outcome", outcome)
                .register(frame.telemetry().metrics());
    }

    /** Serves an operation once {@link #open} is called. */
    void serve(String operationId, Function<Request, Future<Reply>> handler) {
        handlers.put(frame.contract().operation(operationId), handler);
    }

    Future<Void> open() {
        handlers.forEach((operation, handler) -> {
            var options =
                    new MessageConsumerOptions().setAddress(operation.id()).setLocalOnly(!frame.clustered());
            consumers.add(vertx.eventBus().consumer(options, message -> answer(operation, handler, message)));
        });
        return Future.all(consumers.stream().map(MessageConsumer::completion).toList())
                .mapEmpty();
    }

    /** Takes no more calls, and is done when those it took are answered, or their callers have given up. */
    Future<Void> close() {
        stopping = true;
        vertx.setTimer(PATIENCE_MS, timer -> idle.tryComplete());
        return Future.join(consumers.stream().map(MessageConsumer::unregister).toList())
                .otherwiseEmpty()
                .compose(ok -> inFlight == 0 ? Future.succeededFuture() : idle.future());
    }

    private void answer(Operation operation, Function<Request, Future<Reply>> handler, Message<Call> message) {
        inFlight++;
        var call = message.body();
        Traces.attach(Correlation.with(Context.current(), call.correlationId()));
        Future<Reply> reply;
        try {
            reply = authorized(operation, call).compose(handler);
        } catch (RuntimeException e) {
            reply = Future.failedFuture(e);
        }
        reply.otherwise(failure -> Reply.of(problem(operation, failure))).onComplete(done -> {
            message.reply(done.result());
            if (--inFlight == 0 && stopping) {
                idle.tryComplete();
            }
        });
    }

    private Future<Request> authorized(Operation operation, Call call) {
        var cause = new Cause(call.correlationId(), Context.current());
        if (operation.scope() == Operation.Scope.PUBLIC) {
            return Future.succeededFuture(new Request(call, null, null, null, cause));
        }
        var budget = operation.changesSomething() ? frame.authzBudgetForWrites() : frame.authzBudgetForReads();
        if (model.age(clock.instant()).compareTo(budget) > 0) {
            stale.increment();
            return Future.failedFuture(Problem.of(
                            ErrorCode.AUTHZ_STALE,
                            "Permissions have not been confirmed lately, so nothing was done. Try again shortly.")
                    .asException());
        }
        var token = call.token();
        if (token == null) {
            return Future.failedFuture(Problem.of(ErrorCode.TOKEN_MISSING, "Send Authorization: Bearer <token>.")
                    .asException());
        }
        var principal = tokens.verify(token, clock.instant());
        var projectId = projectOf(call);
        var orgId = projectId == null ? null : model.orgOf(projectId);
        var decision =
                authorizer.decide(principal, operation.action(), target(operation, call, projectId), clock.instant());
        if (decision.allowed()) {
            allowed.increment();
            return Future.succeededFuture(new Request(call, principal, orgId, projectId, cause));
        }
        denied.increment();
        return refused(operation, principal, orgId, projectId, decision, cause);
    }

    private static Target target(Operation operation, Call call, @Nullable UUID projectId) {
        return switch (operation.scope()) {
            case PROJECT, PROJECT_HEADER -> projectId == null ? Target.anywhere() : Target.project(projectId);
            case ORGANIZATION -> organization(call);
            case PLATFORM -> Target.platform();
            case SELF, PUBLIC -> Target.self();
        };
    }

    private static Target organization(Call call) {
        var orgId = UUID.fromString(call.path().getOrDefault("org_id", ""));
        var sharedRuntimeId = call.path().get("shared_runtime_id");
        return sharedRuntimeId == null
                ? Target.organization(orgId)
                : Target.sharedRuntime(orgId, UUID.fromString(sharedRuntimeId));
    }

    private static @Nullable UUID projectOf(Call call) {
        var fromPath = call.path().get("project_id");
        var fromHeader = call.headers().get("x-project-id");
        if (fromPath != null && fromHeader != null && !fromPath.equalsIgnoreCase(fromHeader)) {
            throw Problem.validationOf(ErrorCode.PROJECT_MISMATCH, "X-Project-ID", "is not the project in the path")
                    .asException();
        }
        var project = fromPath == null ? fromHeader : fromPath;
        return project == null ? null : UUID.fromString(project);
    }

    /** A refusal is audited where the caller is known; that record failing does not turn the refusal into anything else. */
    private Future<Request> refused(
            Operation operation,
            Principal principal,
            @Nullable UUID orgId,
            @Nullable UUID projectId,
            Decision decision,
            Cause cause) {
        ObjectNode metadata =
                Json.object().put("verdict", decision.verdict().name().toLowerCase(java.util.Locale.ROOT));
        var target = projectId == null ? "-" : projectId.toString();
        var entry = new Entry(operation.action(), "project", target, orgId, projectId, metadata);
        var problem = decision.problem(operation.action());
        return outbox.<Void>transaction(cause, unit -> {
                    AuditTrail.denied(unit, principal, entry, problem.code().code());
                    return Future.succeededFuture();
                })
                .transform(done -> {
                    if (done.failed()) {
                        LOG.atWarn().setCause(done.cause()).log("a refusal could not be audited");
                    }
                    return Future.failedFuture(problem.asException());
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
