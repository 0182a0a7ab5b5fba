package dev.slipway.instances.sharedruntime;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.instances.launch.CompiledManifest;
import dev.slipway.instances.launch.LaunchContextStore;
import dev.slipway.instances.launch.ProjectPolicyStore;
import dev.slipway.instances.launch.domain.AppVersionRef;
import dev.slipway.instances.sharedruntime.SharedRuntimeReadStore.AttachedRuntime;
import dev.slipway.instances.sharedruntime.domain.Worker;
import dev.slipway.policy.EffectivePolicy;
import dev.slipway.service.Page;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.CompositeFuture;
import io.vertx.core.Future;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Function;

/** Shows shared runtimes to the projects that are attached to them: a projection of the owner's object, without anything of other projects. */
public final class AttachedRuntimeApi {
    private final SharedRuntimeReadStore reads;
    private final LaunchContextStore manifests;
    private final ProjectPolicyStore policies;

    public AttachedRuntimeApi(SharedRuntimeReadStore reads, LaunchContextStore manifests, ProjectPolicyStore policies) {
        this.reads = reads;
        this.manifests = manifests;
        this.policies = policies;
    }

    public Future<Reply> list(Request request) {
        return reads.listAttached(request.projectId(), request.cursor(), request.limit())
                .compose(page -> view(request, page.items())
                        .map(views -> new Page<>(views, page.next()).toReply(Function.identity())));
    }

    public Future<Reply> get(Request request) {
        return reads.findAttached(request.projectId(), request.pathId("shared_runtime_id"))
                .compose(attached -> view(request, List.of(attached)))
                .map(views -> Reply.of(views.get(0)));
    }

    /** Reads the workers and policies of all runtimes at once. */
    private Future<List<ObjectNode>> view(Request request, List<AttachedRuntime> attached) {
        var orgId = Objects.requireNonNull(request.orgId());
        var ids = attached.stream().map(each -> each.runtime().id()).toList();
        var apps =
                attached.stream().map(each -> each.runtime().app()).distinct().toList();
        var appIds = apps.stream().map(AppVersionRef::appId).distinct().toList();
        return Future.all(
                        reads.listContributed(orgId, request.projectId(), ids),
                        policies.findEffective(orgId, request.projectId(), appIds),
                        Future.all(apps.stream().map(manifests::findManifest).toList()))
                .map(all -> {
                    Map<UUID, List<Worker>> workers = all.resultAt(0);
                    Map<UUID, EffectivePolicy> effective = all.resultAt(1);
                    CompositeFuture compiled = all.resultAt(2);
                    return attached.stream()
                            .map(each -> AttachmentView.consumer(
                                    each.runtime(),
                                    each.attachment(),
                                    workers.getOrDefault(each.runtime().id(), List.of()),
                                    compiled.<CompiledManifest>resultAt(
                                                    apps.indexOf(each.runtime().app()))
                                            .spec(),
                                    effective.get(each.runtime().app().appId())))
                            .toList();
                });
    }
}
