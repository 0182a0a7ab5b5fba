package dev.slipway.metering.runtimeusage;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
import dev.slipway.metering.runtimeusage.RuntimeUsageStore.UsageTotal;
import dev.slipway.service.ItemList;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.util.Objects;
import java.util.UUID;

/** Serves the usage of shared runtimes, to their owner and to projects. */
public final class RuntimeUsageApi {
    private final RuntimeUsageStore store;

    public RuntimeUsageApi(RuntimeUsageStore store) {
        this.store = store;
    }

    /** A total in the response body. */
    private record Item(
            UUID sharedRuntimeId,
            UUID orgId,
            String appSlug,
            @Nullable UUID projectId,
            @Nullable UUID attachmentId,
            @Nullable UUID sourceProjectId,
            String unit,
            String quantity) {}

    public Future<Reply> listOfRuntime(Request request) {
        return store.listOfRuntime(request.pathId("org_id"), request.pathId("shared_runtime_id"))
                .map(totals -> ItemList.reply(totals, total -> view(total, null)));
    }

    public Future<Reply> listOfProject(Request request) {
        return store.listOfProject(Objects.requireNonNull(request.orgId()), request.projectId())
                .map(totals -> ItemList.reply(totals, total -> view(total, request.projectId())));
    }

    /** A project is not told which other project used its capacity or provided capacity to it. */
    private static ObjectNode view(UsageTotal total, @Nullable UUID reader) {
        return Json.toObject(new Item(
                total.sharedRuntimeId(),
                total.orgId(),
                total.appSlug(),
                visible(total.projectId(), reader),
                reader == null || reader.equals(total.projectId()) ? total.attachmentId() : null,
                visible(total.sourceProjectId(), reader),
                total.unit(),
                total.quantity().stripTrailingZeros().toPlainString()));
    }

    private static @Nullable UUID visible(@Nullable UUID projectId, @Nullable UUID reader) {
        return reader == null || reader.equals(projectId) ? projectId : null;
    }
}
