package dev.slipway.metering.usage;

import dev.slipway.metering.usage.domain.InstanceUsage;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;

import java.math.BigDecimal;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.UUID;

/** Serves the usage of a project. */
public final class UsageApi {
    private final UsageStore store;
    private final Clock clock;

    public UsageApi(UsageStore store, Clock clock) {
        this.store = store;
        this.clock = clock;
    }

    /** The usage of an instance in the response body. */
    record Item(
            UUID orgId,
            UUID projectId,
            UUID appInstanceId,
            String appSlug,
            String operatingMode,
            String controlPlaneScope,
            String runtimeBackend,
            String correlationId,
            String unit,
            String quantitySeconds,
            boolean running,
            Instant firstStartedAt,
            List<Reported> reported) {

        /** The total of one unit that the adapter reported. */
        record Reported(String unit, String quantity) {}

        static Item of(InstanceUsage usage) {
            var attribution = usage.attribution();
            return new Item(
                    attribution.orgId(),
                    attribution.projectId(),
                    attribution.appInstanceId(),
                    attribution.appSlug(),
                    attribution.operatingMode(),
                    attribution.controlPlaneScope(),
                    attribution.runtimeBackend(),
                    attribution.correlationId(),
                    "app_runtime_second",
                    decimal(usage.quantitySeconds()),
                    usage.running(),
                    usage.firstStartedAt(),
                    usage.reported().stream()
                            .map(total -> new Reported(total.unit(), decimal(total.quantity())))
                            .toList());
        }

        private static String decimal(BigDecimal value) {
            return value.stripTrailingZeros().toPlainString();
        }
    }

    public Future<Reply> list(Request request) {
        return store.page(request.projectId(), request.cursor(), request.limit(), clock.instant())
                .map(page -> page.toReply(Item::of));
    }
}
