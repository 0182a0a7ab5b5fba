package dev.slipway.instances.member;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.instances.appinstance.AdmissionStore;
import dev.slipway.instances.appinstance.AdmissionStore.Purpose;
import dev.slipway.instances.appinstance.AppInstanceStore;
import dev.slipway.instances.member.MemberOperations.Asked;
import dev.slipway.instances.member.domain.MemberOperation;
import dev.slipway.instances.operation.OperationJson;
import dev.slipway.instances.operation.domain.Operation;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.AuditTrail;
import dev.slipway.service.AuditTrail.Entry;
import dev.slipway.service.Mutations;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;

import java.util.UUID;

/** The members of instances, and what is asked of them. */
public final class MemberApi {
    private final AppInstanceStore instances;
    private final MemberStore members;
    private final MemberOperations memberOperations;
    private final AdmissionStore admissions;
    private final Mutations mutations;

    public MemberApi(
            AppInstanceStore instances,
            MemberStore members,
            MemberOperations memberOperations,
            AdmissionStore admissions,
            Mutations mutations) {
        this.instances = instances;
        this.members = members;
        this.memberOperations = memberOperations;
        this.admissions = admissions;
        this.mutations = mutations;
    }

    public Future<Reply> list(Request request) {
        var instanceId = request.pathId("app_instance_id");
        var cursor = request.cursor();
        return instances
                .find(request.projectId(), instanceId)
                .compose(found -> members.list(
                        request.projectId(), instanceId, request.query("component"), cursor, request.limit()))
                .map(page -> page.reply(MemberJson::full));
    }

    public Future<Reply> get(Request request) {
        var instanceId = request.pathId("app_instance_id");
        return instances
                .find(request.projectId(), instanceId)
                .compose(found -> members.find(request.projectId(), instanceId, request.pathId("member_id")))
                .map(member -> Reply.of(MemberJson.full(member)));
    }

    public Future<Reply> operate(Request request) {
        var asked = asked(request.body());
        var instanceId = request.pathId("app_instance_id");
        return mutations.run(request, unit -> memberOperations
                .ask(unit, request.projectId(), instanceId, asked, request.principal())
                .compose(operation -> admissions
                        .requireMutable(unit, request.projectId(), Purpose.CHANGE)
                        .map(operation))
                .map(operation -> accepted(request, unit, operation)));
    }

    private static Reply accepted(Request request, UnitOfWork unit, Operation operation) {
        var metadata = Json.object();
        metadata.put("operation", operation.name());
        metadata.put("operation_id", operation.id().toString());
        metadata.put("member_id", String.valueOf(operation.memberId()));
        AuditTrail.success(
                unit,
                request.principal(),
                new Entry(
                        MemberOperations.ACTION,
                        "app_instance",
                        operation.appInstanceId().toString(),
                        operation.orgId(),
                        operation.projectId(),
                        metadata));
        return Reply.of(
                OperationJson.full(operation),
                "/api/v1/projects/" + operation.projectId() + "/app-instances/" + operation.appInstanceId()
                        + "/member-operations/" + operation.id());
    }

    private static Asked asked(JsonNode body) {
        var operation = MemberOperation.of(body.path("operation").asText());
        var adds = operation == MemberOperation.ADD;
        require(body, "component", adds);
        require(body, "member_id", !adds);
        if (operation == MemberOperation.LABEL) {
            require(body, "labels", true);
        } else if (body.has("labels") && !adds) {
            throw refused("labels");
        }
        return new Asked(
                operation,
                adds ? null : UUID.fromString(body.path("member_id").asText()),
                body.path("component").asText(),
                MemberJson.labels(body.path("labels")));
    }

    private static void require(JsonNode body, String field, boolean wanted) {
        if (wanted && !body.has(field)) {
            throw Problem.validationOf(ErrorCode.VALIDATION_ERROR, "/" + field, "is required for this operation")
                    .asException();
        }
        if (!wanted && body.has(field)) {
            throw refused(field);
        }
    }

    private static RuntimeException refused(String field) {
        return Problem.validationOf(ErrorCode.VALIDATION_ERROR, "/" + field, "is not for this operation")
                .asException();
    }
}
