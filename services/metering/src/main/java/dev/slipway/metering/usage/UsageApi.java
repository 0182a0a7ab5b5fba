package dev.slipway.metering.usage;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
import dev.slipway.metering.usage.domain.Usage;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;

import java.time.Clock;

/** Serves what a project has used. */
public final class UsageApi {
    private final UsageStore store;
    private final Clock clock;

    public UsageApi(UsageStore store, Clock clock) {
        this.store = store;
        this.clock = clock;
    }

    public Future<Reply> list(Request request) {
        return store.page(request.projectId(), request.cursor(), request.limit(), clock.instant())
                .map(page -> page.reply(UsageApi::item));
    }

    static ObjectNode item(Usage usage) {
        var to = usage.attribution();
        var item = Json.object()
                .put("org_id", to.orgId().toString())
                .put("project_id", to.projectId().toString())
                .put("app_instance_id", to.appInstanceId().toString())
                .put("app_slug", to.appSlug())
                .put("operating_mode", to.operatingMode())
                .put("control_plane_scope", to.controlPlaneScope())
                .put("runtime_backend", to.runtimeBackend())
                .put("correlation_id", to.correlationId())
                .put("unit", "app_runtime_second")
                .put(
                        "quantity_seconds",
                        usage.quantitySeconds().stripTrailingZeros().toPlainString())
                .put("running", usage.running())
                .put("first_started_at", usage.firstStartedAt().toString());
        var reported = item.putArray("reported");
        usage.reported().forEach(each -> reported.addObject()
                .put("unit", each.unit())
                .put("quantity", each.quantity().stripTrailingZeros().toPlainString()));
        return item;
    }
}
