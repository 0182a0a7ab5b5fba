package dev.slipway.metering.usage.domain;

import dev.slipway.metering.usage.domain.FactDecision.Rejected;
import dev.slipway.metering.usage.domain.FactDecision.Valid;
import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.util.Map;
import java.util.Objects;

/** Decides whether a reported correction of a fact can be counted. */
public final class CorrectionRules {
    private CorrectionRules() {}

    /**
     * Validates a correction of a fact.
     *
     * @param total the quantity of the fact with all earlier corrections
     */
    public static FactDecision correct(
            ReportedFact correction,
            AttributedFact corrected,
            BigDecimal total,
            Map<String, UsageUnit> units,
            BookingPeriods periods) {
        var adjustment = correction.adjustment();
        var quantity = correction.quantity();
        if ((adjustment == null) == (quantity == null)) {
            return new Rejected(
                    "quantity", "or adjustment is required in a correction: the corrected total, or the difference");
        }
        var different = findDifferentField(correction, corrected);
        if (different != null) {
            return new Rejected(
                    different, "is not that of the fact that is corrected; a correction changes the quantity only");
        }
        var unit = units.get(corrected.unit());
        if (unit == null) {
            return new Rejected("unit", "is not a registered usage unit");
        }
        var field = adjustment == null ? "quantity" : "adjustment";
        var difference = adjustment == null ? Objects.requireNonNull(quantity).subtract(total) : adjustment;
        var problem = unit.checkAmount(difference);
        if (problem != null) {
            return new Rejected(field, problem);
        }
        if (total.add(difference).signum() < 0) {
            return new Rejected(field, "makes the total of the fact negative");
        }
        return new Valid(corrected.toCorrection(
                correction.key(),
                difference,
                correction.attribution().actor(),
                correction.correlationId(),
                periods.bookingMonth(corrected.windowEnd()),
                correction.bodyHash()));
    }

    /** Returns the first field that the correction has with another value than the fact. The actor may differ. */
    private static @Nullable String findDifferentField(ReportedFact correction, AttributedFact corrected) {
        var reported = correction.attribution();
        var stored = corrected.attribution();
        return Differences.start()
                .compare("unit", correction.unit(), corrected.unit())
                .compare("unit_version", correction.unitVersion(), corrected.unitVersion())
                .compare("window_start", correction.windowStart(), corrected.windowStart())
                .compare("window_end", correction.windowEnd(), corrected.windowEnd())
                .compare("org_id", correction.orgId(), corrected.orgId())
                .compare("project_id", reported.projectId(), stored.projectId())
                .compare("app_instance_id", reported.appInstanceId(), stored.appInstanceId())
                .compare("shared_runtime_id", reported.sharedRuntimeId(), stored.sharedRuntimeId())
                .compare("attachment_id", reported.attachmentId(), stored.attachmentId())
                .compare("source_project_id", reported.sourceProjectId(), stored.sourceProjectId())
                .compare("app_slug", reported.appSlug(), stored.appSlug())
                .compare("operating_mode", reported.operatingMode(), stored.operatingMode())
                .compare("control_plane_scope", reported.controlPlaneScope(), stored.controlPlaneScope())
                .compare("runtime_backend", reported.runtimeBackend(), stored.runtimeBackend())
                .compare("resource_type", reported.resourceType(), stored.resourceType())
                .compare("resource_id", reported.resourceId(), stored.resourceId())
                .field;
    }

    /** Finds the first field that was reported with another value than the stored one. */
    private record Differences(@Nullable String field) {
        static Differences start() {
            return new Differences(null);
        }

        Differences compare(String name, @Nullable Object reported, @Nullable Object stored) {
            return field != null || reported == null || reported.equals(stored) ? this : new Differences(name);
        }
    }
}
