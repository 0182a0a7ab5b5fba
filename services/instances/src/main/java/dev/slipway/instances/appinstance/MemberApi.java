package dev.slipway.instances.appinstance;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.Json;
import dev.slipway.instances.appinstance.AppInstanceStore.Part;
import dev.slipway.instances.appinstance.domain.MemberRequests;
import dev.slipway.instances.appinstance.domain.MemberRequests.MemberRequest;
import dev.slipway.instances.launch.LaunchContextStore;
import dev.slipway.instances.launch.MemberSpendingCheck;
import dev.slipway.instances.launch.PolicyGuard;
import dev.slipway.instances.member.MemberJson;
import dev.slipway.instances.member.domain.MemberOperation;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.operations.OperationJson;
import dev.slipway.operations.domain.Operation;
import dev.slipway.service.Mutations;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;

/** Reads the members of instances, and starts member operations. */
public final class MemberApi {
    private final AppInstanceStore instances;
    private final AppInstanceReadStore reads;
    private final LaunchContextStore contexts;
    private final PolicyGuard policyGuard;
    private final MemberSpendingCheck spending;
    private final Mutations mutations;

    public MemberApi(
            AppInstanceStore instances,
            AppInstanceReadStore reads,
            LaunchContextStore contexts,
            PolicyGuard policyGuard,
            MemberSpendingCheck spending,
            Mutations mutations) {
        this.instances = instances;
        this.reads = reads;
        this.contexts = contexts;
        this.policyGuard = policyGuard;
        this.spending = spending;
        this.mutations = mutations;
    }

    /** The body of a member operation. */
    private record MemberBody(
            MemberOperation operation,
            @Nullable UUID memberId,
            @Nullable String component,
            @Nullable Map<String, String> labels) {}

    /** The metadata of a member operation's audit entry. */
    private record MemberAudit(
            String operation, UUID operationId, @Nullable UUID memberId) {}

    public Future<Reply> list(Request request) {
        var instanceId = request.pathId("app_instance_id");
        var cursor = request.cursor();
        return reads.find(request.projectId(), instanceId)
                .compose(found -> reads.listMembers(
                        request.projectId(), instanceId, request.query("component"), cursor, request.limit()))
                .map(page -> page.toReply(MemberJson::view));
    }

    public Future<Reply> get(Request request) {
        var instanceId = request.pathId("app_instance_id");
        return reads.find(request.projectId(), instanceId)
                .compose(found -> reads.findMember(request.projectId(), instanceId, request.pathId("member_id")))
                .map(member -> Reply.of(MemberJson.view(member)));
    }

    public Future<Reply> operate(Request request) {
        var memberRequest = parse(request.body());
        return mutations.run(request, unit -> instances
                .load(unit, request.projectId(), request.pathId("app_instance_id"), Part.OPEN_OPERATIONS, Part.MEMBERS)
                .compose(loaded -> contexts.loadManifest(unit, loaded.instance().app())
                        .compose(manifest -> {
                            var change = InstanceChangeApi.requireAccepted(MemberRequests.operate(
                                    loaded,
                                    manifest.spec(),
                                    memberRequest,
                                    InstanceChangeApi.requester(request.principal()),
                                    MemberJson::writeInput,
                                    InstanceChangeApi.decisionContext(unit)));
                            return policyGuard
                                    .requireMutable(unit, request.projectId())
                                    .compose(ok -> spending.requireAffordable(
                                            unit,
                                            memberRequest.operation(),
                                            loaded.instance().orgId(),
                                            request.projectId()))
                                    .map(ok -> {
                                        instances.apply(unit, change);
                                        return operationReply(unit, request, change.openedOperation());
                                    });
                        })));
    }

    private static Reply operationReply(UnitOfWork unit, Request request, Operation operation) {
        InstanceAudit.recordOperation(
                unit, request, operation, new MemberAudit(operation.name(), operation.id(), operation.memberId()));
        return Reply.of(
                OperationJson.view(operation), operation.subject().path() + "/member-operations/" + operation.id());
    }

    private static MemberRequest parse(JsonNode json) {
        var body = Json.toRecord(json, MemberBody.class);
        MemberJson.requireFields(json, body.operation(), "member_id", List.of());
        return new MemberRequest(
                body.operation(),
                body.memberId(),
                Objects.requireNonNullElse(body.component(), ""),
                Objects.requireNonNullElse(body.labels(), Map.of()));
    }
}
