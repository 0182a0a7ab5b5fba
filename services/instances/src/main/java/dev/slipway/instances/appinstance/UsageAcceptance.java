package dev.slipway.instances.appinstance;

import dev.slipway.instances.appinstance.domain.ReportedUsageWindow;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.operations.RuntimeReport;
import dev.slipway.operations.UsageWindowStore;
import dev.slipway.operations.UsageWindowStore.UsageWindow;
import io.vertx.core.Future;

import java.util.Objects;
import java.util.UUID;

/** Accepts a valid usage report of an instance or shared runtime unless its quantity or its window cannot be counted. */
public final class UsageAcceptance {
    private UsageAcceptance() {}

    /** Stores the window; {@code source} distinguishes reporters that measure independently. */
    public static Future<Void> accept(
            UnitOfWork unit, UsageWindowStore windows, UUID subjectId, String source, RuntimeReport.Payload payload) {
        var reported = ReportedUsageWindow.of(
                Objects.requireNonNull(payload.windowStart()), Objects.requireNonNull(payload.windowEnd()));
        var window = new UsageWindow(
                subjectId,
                source,
                Objects.requireNonNull(payload.unit()),
                UUID.fromString(Objects.requireNonNull(payload.usageId())),
                reported.start(),
                reported.end());
        return windows.findFacts(unit, window).map(facts -> {
            InstanceChangeApi.rejectIf(ReportedUsageWindow.checkQuantity(
                    Objects.requireNonNull(payload.quantity()), facts.precision(), facts.overlaps()));
            windows.insert(unit, window);
            return null;
        });
    }
}
