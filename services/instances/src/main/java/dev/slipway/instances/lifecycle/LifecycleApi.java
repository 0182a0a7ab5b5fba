package dev.slipway.instances.lifecycle;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.authz.Authorizer;
import dev.slipway.authz.Target;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.ProblemException;
import dev.slipway.instances.appinstance.AdmissionStore;
import dev.slipway.instances.appinstance.AdmissionStore.Purpose;
import dev.slipway.instances.appinstance.AppInstanceJson;
import dev.slipway.instances.appinstance.domain.AppInstance;
import dev.slipway.instances.operation.OperationJson;
import dev.slipway.instances.operation.OperationStore.Changed;
import dev.slipway.instances.operation.domain.Operation;
import dev.slipway.messaging.Outbox;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.AuditTrail;
import dev.slipway.service.AuditTrail.Entry;
import dev.slipway.service.Mutations;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.time.Clock;
import java.util.UUID;

/** What is done to instances that are there: another version, the end of an operation, their own end. */
public final class LifecycleApi {
    private final Upgrades upgrades;
    private final Cancellations cancellations;
    private final Deletions deletions;
    private final AdmissionStore admissions;
    private final Authorizer authorizer;
    private final Clock clock;
    private final Mutations mutations;
    private final Outbox outbox;

    public LifecycleApi(
            Upgrades upgrades,
            Cancellations cancellations,
            Deletions deletions,
            AdmissionStore admissions,
            Authorizer authorizer,
            Clock clock,
            Mutations mutations,
            Outbox outbox) {
        this.upgrades = upgrades;
        this.cancellations = cancellations;
        this.deletions = deletions;
        this.admissions = admissions;
        this.authorizer = authorizer;
        this.clock = clock;
        this.mutations = mutations;
        this.outbox = outbox;
    }

    public Future<Reply> upgrade(Request request) {
        var config = request.body().path("config");
        return mutations.run(request, unit -> upgrades.upgrade(
                        unit,
                        request.projectId(),
                        request.pathId("app_instance_id"),
                        request.body().path("version").asText(),
                        config.isMissingNode() ? null : LaunchApi.config(config),
                        request.principal())
                .map(opened -> opened(request, unit, opened, "upgrade")));
    }

    public Future<Reply> rollback(Request request) {
        return mutations.run(request, unit -> upgrades.rollback(
                        unit, request.projectId(), request.pathId("app_instance_id"), request.principal())
                .map(opened -> opened(request, unit, opened, "rollback")));
    }

    /** Who may start an operation may call it off. */
    public Future<Reply> cancel(Request request) {
        return mutations
                .run(request, unit -> cancellations
                        .cancel(
                                unit,
                                request.projectId(),
                                request.pathId("app_instance_id"),
                                request.pathId("operation_id"),
                                operation -> requireAllowed(request, operation))
                        .map(canceled -> opened(request, unit, canceled, "cancel")))
                .recover(e -> refused(request, e));
    }

    public Future<Reply> delete(Request request) {
        var id = request.pathId("app_instance_id");
        return mutations.run(request, unit -> deletions
                .delete(unit, request.projectId(), id, request.principal())
                .compose(deleting -> admissions
                        .requireMutable(unit, request.projectId(), Purpose.REMOVAL)
                        .map(deleting))
                .map(deleting -> {
                    audit(request, unit, deleting.instance(), deleting.operationId(), "delete");
                    return reply(deleting.instance(), deleting.operationId());
                }));
    }

    public Future<Reply> forceDelete(Request request) {
        var reason = request.body().path("reason").asText();
        return mutations.run(request, unit -> deletions
                .force(unit, request.projectId(), request.pathId("app_instance_id"), reason)
                .map(deleted -> {
                    audit(request, unit, deleted, metadata(deleted, null).put("reason", reason), "force_delete");
                    return reply(deleted, null);
                }));
    }

    private void requireAllowed(Request request, Operation operation) {
        var place = request.reached(Target.project(request.projectId()));
        var decision = authorizer.decide(request.principal(), operation.action(), place, clock.instant());
        if (!decision.allowed()) {
            throw decision.problem(operation.action()).asException();
        }
    }

    private Future<Reply> refused(Request request, Throwable failure) {
        if (!(failure instanceof ProblemException expected)
                || expected.problem().code() != ErrorCode.INSUFFICIENT_PERMISSIONS) {
            return Future.failedFuture(failure);
        }
        var entry = new Entry(
                "apps.instance.cancel",
                "app_instance",
                request.path("app_instance_id"),
                request.orgId(),
                request.projectId(),
                Json.object().put("operation_id", request.path("operation_id")));
        return AuditTrail.refuse(outbox, request.cause(), request.principal(), entry, expected.problem());
    }

    private static Reply opened(Request request, UnitOfWork unit, Changed changed, String verb) {
        var metadata = metadata(changed.instance(), changed.operation().id());
        if (request.body().path("reason").isTextual()) {
            metadata.set("reason", request.body().path("reason"));
        }
        audit(request, unit, changed.instance(), metadata, verb);
        return Reply.of(
                OperationJson.full(changed.operation()),
                location(changed.instance()) + "/operations/"
                        + changed.operation().id());
    }

    static Reply reply(AppInstance instance, @Nullable UUID operationId) {
        return Reply.of(AppInstanceJson.full(instance, operationId), location(instance));
    }

    static void audit(Request request, UnitOfWork unit, AppInstance instance, @Nullable UUID operationId, String verb) {
        audit(request, unit, instance, metadata(instance, operationId), verb);
    }

    private static void audit(
            Request request, UnitOfWork unit, AppInstance instance, ObjectNode metadata, String verb) {
        AuditTrail.success(
                unit,
                request.principal(),
                new Entry(
                        "apps.instance." + verb,
                        "app_instance",
                        instance.id().toString(),
                        instance.orgId(),
                        instance.projectId(),
                        metadata));
    }

    private static ObjectNode metadata(AppInstance instance, @Nullable UUID operationId) {
        var metadata = Json.object();
        metadata.put("app_slug", instance.app().slug());
        metadata.put("version", instance.app().version());
        metadata.put("status", instance.status().text());
        metadata.put("policy_version", instance.policyVersion());
        metadata.put("operation_id", operationId == null ? null : operationId.toString());
        return metadata;
    }

    private static String location(AppInstance instance) {
        return "/api/v1/projects/" + instance.projectId() + "/app-instances/" + instance.id();
    }
}
