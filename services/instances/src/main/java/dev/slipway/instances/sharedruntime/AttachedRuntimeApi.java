package dev.slipway.instances.sharedruntime;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.instances.appinstance.LaunchContextStore;
import dev.slipway.instances.sharedruntime.SharedRuntimeReadStore.AttachedRuntime;
import dev.slipway.service.Page;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;

import java.util.ArrayList;
import java.util.function.Function;

/** Shows shared runtimes to the projects that are attached to them: a projection of the owner's object, without anything of other projects. */
public final class AttachedRuntimeApi {
    private final SharedRuntimeReadStore reads;
    private final LaunchContextStore manifests;

    public AttachedRuntimeApi(SharedRuntimeReadStore reads, LaunchContextStore manifests) {
        this.reads = reads;
        this.manifests = manifests;
    }

    public Future<Reply> list(Request request) {
        return reads.listAttached(request.projectId(), request.cursor(), request.limit())
                .compose(page -> {
                    Future<ArrayList<ObjectNode>> chain = Future.succeededFuture(new ArrayList<>());
                    for (var attached : page.items()) {
                        chain = chain.compose(views -> view(attached).map(view -> {
                            views.add(view);
                            return views;
                        }));
                    }
                    return chain.map(views -> new Page<>(views, page.next()).toReply(Function.identity()));
                });
    }

    public Future<Reply> get(Request request) {
        return reads.findAttached(request.projectId(), request.pathId("shared_runtime_id"))
                .compose(this::view)
                .map(Reply::of);
    }

    private Future<ObjectNode> view(AttachedRuntime attached) {
        return reads.listContributed(attached.attachment()).compose(workers -> manifests
                .findManifest(attached.runtime().app())
                .map(manifest ->
                        AttachmentView.consumer(attached.runtime(), attached.attachment(), workers, manifest.spec())));
    }
}
