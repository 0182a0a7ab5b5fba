package dev.slipway.instances.sharedruntime;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.Json;
import dev.slipway.instances.launch.LaunchContextStore;
import dev.slipway.instances.launch.MemberSpendingCheck;
import dev.slipway.instances.launch.PolicyGuard;
import dev.slipway.instances.member.MemberJson;
import dev.slipway.instances.member.domain.MemberOperation;
import dev.slipway.instances.sharedruntime.domain.Worker;
import dev.slipway.instances.sharedruntime.domain.WorkerRequests;
import dev.slipway.instances.sharedruntime.domain.WorkerRequests.WorkerRequest;
import dev.slipway.service.Mutations;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;

/** Reads the workers of shared runtimes, and starts worker operations, by the owner or by the project that contributes them. */
public final class WorkerApi {
    private final SharedRuntimeStore runtimes;
    private final SharedRuntimeReadStore reads;
    private final LaunchContextStore manifests;
    private final MemberSpendingCheck spending;
    private final PolicyGuard policyGuard;
    private final Mutations mutations;

    public WorkerApi(
            SharedRuntimeStore runtimes,
            SharedRuntimeReadStore reads,
            LaunchContextStore manifests,
            MemberSpendingCheck spending,
            PolicyGuard policyGuard,
            Mutations mutations) {
        this.runtimes = runtimes;
        this.reads = reads;
        this.manifests = manifests;
        this.spending = spending;
        this.policyGuard = policyGuard;
        this.mutations = mutations;
    }

    /** The body of a worker operation. */
    private record WorkerBody(
            MemberOperation operation,
            @Nullable UUID workerId,
            @Nullable String component,
            @Nullable String allocationRef,
            @Nullable String region,
            @Nullable String sku,
            @Nullable Map<String, String> labels) {}

    public Future<Reply> list(Request request) {
        var call = SharedRuntimeCall.of(request);
        var cursor = request.cursor();
        return reads.find(call.orgId(), call.runtimeId())
                .compose(runtime -> reads.listWorkers(call.orgId(), call.runtimeId(), cursor, request.limit()))
                .map(page -> page.toReply(AttachmentView::worker));
    }

    public Future<Reply> get(Request request) {
        var call = SharedRuntimeCall.of(request);
        return reads.find(call.orgId(), call.runtimeId())
                .compose(runtime -> reads.findWorker(call.orgId(), call.runtimeId(), request.pathId("worker_id")))
                .map(worker -> Reply.of(AttachmentView.worker(worker)));
    }

    public Future<Reply> operate(Request request) {
        var call = SharedRuntimeCall.of(request);
        var requested = parse(request.body());
        return mutations.run(request, unit -> runtimes.load(unit, call.orgId(), call.runtimeId())
                .compose(loaded -> {
                    var attachment = call.requireAttachment(loaded);
                    return manifests.loadManifest(unit, loaded.runtime().app()).compose(manifest -> {
                        var change = SharedRuntimeCall.requireAccepted(WorkerRequests.operate(
                                loaded,
                                manifest.spec(),
                                attachment,
                                requested,
                                call.caller(),
                                MemberJson::writeInput,
                                SharedRuntimeCall.context(unit)));
                        var mutable = call.projectId() == null
                                ? Future.<Void>succeededFuture()
                                : policyGuard.requireMutable(unit, call.projectId());
                        return mutable.compose(ok -> spending.requireAffordable(
                                        unit, requested.operation(), call.orgId(), call.projectId()))
                                .map(ok -> {
                                    var runtime = runtimes.apply(unit, change);
                                    var operation = change.openedOperation();
                                    return call.operationReply(
                                            unit, runtime, operation, operation.action(), "worker-operations");
                                });
                    });
                }));
    }

    private static WorkerRequest parse(JsonNode json) {
        var body = Json.toRecord(json, WorkerBody.class);
        MemberJson.requireFields(json, body.operation(), "worker_id", List.of("allocation_ref", "region", "sku"));
        return new WorkerRequest(
                body.operation(),
                body.workerId(),
                Objects.requireNonNullElse(body.component(), ""),
                new Worker.Capacity(body.allocationRef(), body.region(), body.sku()),
                Objects.requireNonNullElse(body.labels(), Map.of()));
    }
}
