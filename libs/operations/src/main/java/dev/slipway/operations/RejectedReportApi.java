package dev.slipway.operations;

import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;

import java.util.UUID;
import java.util.function.BiFunction;
import java.util.function.Function;

/** Lists rejected reports, for platform roles, adapters, projects and the owners of shared runtimes. */
public final class RejectedReportApi {
    private final RejectedReportStore store;

    public RejectedReportApi(RejectedReportStore store) {
        this.store = store;
    }

    public Future<Reply> list(Request request) {
        return store.list(request.cursor(), request.limit(), request.query("correlation_id"))
                .map(page -> page.toReply(Function.identity()));
    }

    /** Lists the reports of the calling adapter. */
    public Future<Reply> listOwn(Request request) {
        return store.listOfAdapter(
                        request.principal().id(), request.cursor(), request.limit(), request.query("correlation_id"))
                .map(page -> page.toReply(Function.identity()));
    }

    /** Lists the reports on a shared runtime; the lookup fails if the organization has no such runtime. */
    public Future<Reply> listOfSharedRuntime(Request request, BiFunction<UUID, UUID, Future<?>> requireRuntime) {
        var cursor = request.cursor(); // rejects an invalid one before anything is read
        var orgId = request.pathId("org_id");
        var runtimeId = request.pathId("shared_runtime_id");
        return requireRuntime
                .apply(orgId, runtimeId)
                .compose(runtime -> store.listOfSharedRuntime(
                        orgId, runtimeId, cursor, request.limit(), request.query("correlation_id")))
                .map(page -> page.toReply(Function.identity()));
    }

    public Future<Reply> listOfProject(Request request) {
        var instanceId = request.query("app_instance_id");
        return store.listOfProject(
                        request.pathId("project_id"),
                        instanceId == null ? null : UUID.fromString(instanceId),
                        request.cursor(),
                        request.limit(),
                        request.query("correlation_id"))
                .map(page -> page.toReply(Function.identity()));
    }
}
