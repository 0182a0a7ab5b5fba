package dev.slipway.instances.lifecycle;

import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.instances.appinstance.AppInstanceStore;
import dev.slipway.instances.appinstance.domain.AppInstance;
import dev.slipway.instances.appinstance.domain.InstanceLifecycle;
import dev.slipway.instances.operation.OperationStore;
import dev.slipway.instances.operation.OperationStore.Due;
import dev.slipway.instances.operation.domain.Operation;
import dev.slipway.instances.operation.domain.Operation.Kind;
import dev.slipway.instances.operation.domain.OperationDecision.Accepted;
import dev.slipway.instances.operation.domain.OperationLifecycle;
import dev.slipway.instances.operation.domain.Waiting;
import dev.slipway.instances.operation.domain.Waiting.Adapters;
import dev.slipway.instances.plan.PlanStore;
import dev.slipway.instances.runtime.CommandStore;
import dev.slipway.messaging.Cause;
import dev.slipway.messaging.Outbox;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.AuditTrail;
import dev.slipway.service.AuditTrail.Entry;
import io.opentelemetry.context.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.Objects;
import java.util.function.Function;

/** Ends what is past its deadline, so that nothing is in progress for ever; a deletion is asked for again instead. */
public final class DeadlineSweep {
    private static final Logger LOG = LoggerFactory.getLogger(DeadlineSweep.class);
    private static final int BATCH = 100;
    private static final Duration LOOK_AGAIN = Duration.ofMinutes(1);

    private final Vertx vertx;
    private final Outbox outbox;
    private final AppInstanceStore instances;
    private final OperationStore operations;
    private final CommandStore commands;
    private final Deletions deletions;
    private final MemberIssue members;
    private final PlanStore plans;
    private final Function<String, Future<Adapters>> adapters;
    private final Duration interval;
    private boolean busy;

    public DeadlineSweep(
            Vertx vertx,
            Outbox outbox,
            AppInstanceStore instances,
            OperationStore operations,
            CommandStore commands,
            Deletions deletions,
            MemberIssue members,
            PlanStore plans,
            Function<String, Future<Adapters>> adapters,
            Duration interval) {
        this.vertx = vertx;
        this.outbox = outbox;
        this.instances = instances;
        this.operations = operations;
        this.commands = commands;
        this.deletions = deletions;
        this.members = members;
        this.plans = plans;
        this.adapters = adapters;
        this.interval = interval;
    }

    public void start() {
        vertx.setPeriodic(interval.toMillis(), timer -> {
            if (!busy) {
                busy = true;
                sweep().onFailure(e -> LOG.atWarn().setCause(e).log("cannot look for deadlines; will try later"))
                        .onComplete(done -> busy = false);
            }
        });
    }

    private Future<Void> sweep() {
        return outbox.transaction(cause(), unit -> {
                    plans.forgetExpired(unit);
                    return operations.due(unit, BATCH);
                })
                .compose(due -> {
                    Future<Void> chain = Future.succeededFuture();
                    for (var each : due) {
                        chain = chain.compose(ok -> alone(each));
                    }
                    return chain;
                });
    }

    /** Each by itself, with a correlation of its own: one that cannot be ended is not in the way of the others. */
    private Future<Void> alone(Due due) {
        return outbox.<Void>transaction(cause(), unit -> expire(unit, due)).recover(e -> {
            LOG.atWarn()
                    .addKeyValue("operation_id", due.operationId())
                    .addKeyValue("app_instance_id", due.instanceId())
                    .setCause(e)
                    .log("cannot end an operation past its deadline; will try later");
            return Future.succeededFuture();
        });
    }

    private Future<Void> expire(UnitOfWork unit, Due due) {
        return instances.lockIfFree(unit, due.projectId(), due.instanceId()).compose(instance -> {
            if (instance == null) {
                return Future.succeededFuture();
            }
            return operations
                    .find(unit, due.projectId(), due.instanceId(), due.operationId())
                    .compose(operation -> adapters.apply(instance.app().runtimeBackend())
                            .compose(known -> expire(unit, instance, operation, known)));
        });
    }

    private Future<Void> expire(UnitOfWork unit, AppInstance instance, Operation operation, Adapters known) {
        var waitsFor = Waiting.beyond(operation, known, unit.now());
        var expired = OperationLifecycle.expire(operation, waitsFor, LOOK_AGAIN, unit.now());
        if (expired.next().equals(operation)) {
            return Future.succeededFuture();
        }
        var failed = operation.kind() == Kind.CREATE ? launchFailed(unit, instance, expired) : instance;
        var after = operations.apply(unit, failed, operation, expired).instance();
        if (operation.kind() == Kind.DELETE) {
            commands.dueAgain(unit, instance.id(), Objects.requireNonNull(operation.commandId()));
        }
        if (!after.equals(instance)) {
            instances.keep(unit, after);
        }
        if (expired.event() != null) {
            audit(unit, instance, expired.next(), waitsFor.code());
        }
        return switch (operation.kind()) {
            case CREATE -> after.terms().reap() ? deletions.reap(unit, after).mapEmpty() : Future.succeededFuture();
            case MEMBER ->
                members.settle(unit, after, expired.next()).map(settled -> {
                    instances.keep(unit, settled);
                    return null;
                });
            case UPGRADE, ROLLBACK, DELETE, DECLARED -> Future.succeededFuture();
        };
    }

    private AppInstance launchFailed(UnitOfWork unit, AppInstance instance, Accepted expired) {
        var reason = Objects.requireNonNull(expired.next().reason());
        return instances.announce(
                unit, Decisions.accepted(InstanceLifecycle.expireLaunch(instance, reason, unit.now())));
    }

    private static void audit(UnitOfWork unit, AppInstance instance, Operation operation, String code) {
        var metadata = Json.object();
        metadata.put("operation_id", operation.id().toString());
        metadata.put("kind", operation.kind().text());
        metadata.put("status", operation.status().text());
        metadata.put("deadline_at", operation.deadlineAt().toString());
        AuditTrail.byOther(
                unit,
                "system",
                "instances",
                null,
                new Entry(
                        "apps.instance.expire",
                        "app_instance",
                        instance.id().toString(),
                        instance.orgId(),
                        instance.projectId(),
                        metadata),
                "success",
                code);
    }

    private static Cause cause() {
        return new Cause(Ids.next().toString(), Context.root());
    }
}
