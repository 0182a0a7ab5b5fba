package dev.slipway.metering.runtimehours;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.metering.runtimehours.domain.InstanceUsage;
import dev.slipway.service.Page;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.function.DoubleSupplier;

/** Serves the usage of a project. */
public final class InstanceUsageApi {
    /** The unit of {@code quantity_seconds}, deprecated in favor of {@code runtime_hours}. */
    private static final String SECONDS_UNIT = "app_runtime_second";

    private final RunningTimeStore store;
    private final Clock clock;
    private final DoubleSupplier lagSeconds;

    /** {@code lagSeconds} is how far the lifecycle events of this process are behind. */
    public InstanceUsageApi(RunningTimeStore store, Clock clock, DoubleSupplier lagSeconds) {
        this.store = store;
        this.clock = clock;
        this.lagSeconds = lagSeconds;
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
            List<Reported> reported,
            String runtimeUnit,
            String runtimeHours) {
        private static final BigDecimal SECONDS_PER_HOUR = new BigDecimal(3_600);

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
                    SECONDS_UNIT,
                    decimal(usage.quantitySeconds()),
                    usage.running(),
                    usage.firstStartedAt(),
                    usage.reported().stream()
                            .map(total -> new Reported(total.unit(), decimal(total.quantity())))
                            .toList(),
                    RuntimeHoursEmitter.UNIT,
                    decimal(usage.quantitySeconds().divide(SECONDS_PER_HOUR, 6, RoundingMode.HALF_UP)));
        }

        private static String decimal(BigDecimal value) {
            return value.stripTrailingZeros().toPlainString();
        }
    }

    public Future<Reply> list(Request request) {
        var now = clock.instant();
        return store.page(request.projectId(), request.cursor(), request.limit(), now)
                .map(page -> Reply.of(body(page, now, lagSeconds.getAsDouble())));
    }

    static ObjectNode body(Page<InstanceUsage> page, Instant asOf, double lagSeconds) {
        return page.toJson(Item::of).put("as_of", asOf.toString()).put("lag_seconds", lagSeconds);
    }
}
