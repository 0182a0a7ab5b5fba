package dev.slipway.metering.runtimeusage;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
import dev.slipway.metering.runtimeusage.RuntimeUsageStore.UsageTotal;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.function.DoubleSupplier;

/** Serves the usage of shared runtimes, to their owner and to projects. */
public final class RuntimeUsageApi {
    private final RuntimeUsageStore store;
    private final Clock clock;
    private final DoubleSupplier lagSeconds;

    /** {@code lagSeconds} is how far ingest is behind the topics. */
    public RuntimeUsageApi(RuntimeUsageStore store, Clock clock, DoubleSupplier lagSeconds) {
        this.store = store;
        this.clock = clock;
        this.lagSeconds = lagSeconds;
    }

    /** The response body. */
    private record TotalList(Instant asOf, double lagSeconds, boolean truncated, List<ObjectNode> items) {}

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
                .map(totals -> reply(totals, null));
    }

    public Future<Reply> listOfProject(Request request) {
        return store.listOfProject(Objects.requireNonNull(request.orgId()), request.projectId())
                .map(totals -> reply(totals, request.projectId()));
    }

    private Reply reply(List<UsageTotal> totals, @Nullable UUID reader) {
        var truncated = totals.size() > RuntimeUsageStore.MAX_TOTALS;
        var shown = truncated ? totals.subList(0, RuntimeUsageStore.MAX_TOTALS) : totals;
        return Reply.ofRecord(new TotalList(
                clock.instant(),
                lagSeconds.getAsDouble(),
                truncated,
                shown.stream().map(total -> view(total, reader)).toList()));
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
