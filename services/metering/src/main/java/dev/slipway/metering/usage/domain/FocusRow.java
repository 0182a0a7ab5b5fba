package dev.slipway.metering.usage.domain;

import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * A row of the FOCUS Cost and Usage dataset: usage at one unit price. {@code ListCost} and {@code ContractedCost} are exact products of unit price and
 * quantity. {@code BilledCost} and {@code EffectiveCost} are parts of the charged amount, which is rounded to the currency. Usage that is not rated
 * yet, or that has no price, has no cost: prices and costs are zero and {@code x_CostStatus} is {@code unrated} or {@code unpriced}.
 */
public final class FocusRow {
    /** The version of the specification. */
    public static final String VERSION = "1.4";

    private static final String PROVIDER = "Slipway";

    private FocusRow() {}

    /** Returns the columns in the order of the specification, by column id; custom columns follow. */
    public static Map<String, @Nullable Object> of(
            UUID orgId,
            Instant start,
            Instant end,
            String unit,
            FocusCharge charge,
            Map<String, @Nullable String> attribution) {
        var period = LocalDate.parse(String.valueOf(attribution.get("period")));
        var resource = resource(attribution);
        var row = new LinkedHashMap<String, @Nullable Object>();
        row.put("BilledCost", decimal(charge.billed()));
        row.put("BillingAccountId", orgId.toString());
        row.put("BillingAccountName", orgId.toString());
        row.put("BillingAccountType", "Organization");
        row.put("BillingCurrency", charge.currency());
        row.put(
                "BillingPeriodEnd",
                period.plusMonths(1).atStartOfDay(ZoneOffset.UTC).toInstant());
        row.put("BillingPeriodStart", period.atStartOfDay(ZoneOffset.UTC).toInstant());
        row.put("ChargeCategory", "Usage");
        row.put("ChargeClass", isCorrection(period, end) ? "Correction" : null);
        row.put("ChargeDescription", unit + " of " + resource.type + " " + resource.id);
        row.put("ChargeFrequency", "Usage-Based");
        row.put("ChargePeriodEnd", end);
        row.put("ChargePeriodStart", start);
        row.put("ConsumedQuantity", decimal(charge.quantity()));
        row.put("ConsumedUnit", unit);
        row.put("ContractedCost", decimal(charge.contractedCost()));
        row.put("ContractedUnitPrice", decimal(charge.unitPrice()));
        row.put("EffectiveCost", decimal(charge.billed()));
        row.put("HostProviderName", PROVIDER);
        row.put("InvoiceIssuerName", PROVIDER);
        row.put("ListCost", decimal(charge.listCost()));
        row.put("ListUnitPrice", decimal(charge.listUnitPrice()));
        row.put("PricingCategory", "Standard");
        row.put("PricingQuantity", decimal(charge.quantity()));
        row.put("PricingUnit", unit);
        row.put("ResourceId", resource.id);
        row.put("ResourceType", resource.type);
        row.put("ServiceCategory", "Other");
        row.put("ServiceName", serviceName(attribution));
        row.put("ServiceProviderName", PROVIDER);
        row.put("ServiceSubcategory", "Other (Other)");
        row.put("SkuId", unit);
        row.put("SkuMeter", unit);
        row.put("SkuPriceDetails", charge.tier() == null ? null : "{\"x_Tier\":\"" + charge.tier() + "\"}");
        row.put("SkuPriceId", charge.tier() == null ? unit : unit + "/" + charge.tier());
        row.put("SubAccountId", attribution.get("project_id"));
        row.put("SubAccountName", attribution.get("project_id"));
        row.put("SubAccountType", attribution.get("project_id") == null ? null : "Project");
        row.put("x_CostStatus", charge.status().text());
        row.put("x_OperatingMode", attribution.get("operating_mode"));
        row.put("x_ControlPlaneScope", attribution.get("control_plane_scope"));
        row.put("x_RuntimeBackend", attribution.get("runtime_backend"));
        row.put("x_SharedRuntimeId", attribution.get("shared_runtime_id"));
        row.put("x_AttachmentId", attribution.get("attachment_id"));
        row.put("x_Source", attribution.get("source"));
        row.put("x_PriceId", charge.priceId() == null ? null : charge.priceId().toString());
        return row;
    }

    /** Returns the ids of all columns, in order. */
    public static List<String> columns() {
        var nothing = Map.<String, @Nullable String>of("period", "1970-01-01");
        return List.copyOf(
                of(new UUID(0, 0), Instant.EPOCH, Instant.EPOCH, "", FocusCharge.unrated("", BigDecimal.ZERO), nothing)
                        .keySet());
    }

    private static BigDecimal decimal(BigDecimal value) {
        return value.signum() == 0 ? BigDecimal.ZERO : value.stripTrailingZeros();
    }

    private record Resource(String type, String id) {}

    private static Resource resource(Map<String, @Nullable String> attribution) {
        for (var field : new String[] {"app_instance_id", "shared_runtime_id"}) {
            var id = attribution.get(field);
            if (id != null) {
                return new Resource(field.substring(0, field.length() - "_id".length()), id);
            }
        }
        return new Resource(
                String.valueOf(attribution.get("resource_type")), String.valueOf(attribution.get("resource_id")));
    }

    private static String serviceName(Map<String, @Nullable String> attribution) {
        var slug = attribution.get("app_slug");
        var source = String.valueOf(attribution.get("source"));
        return slug == null ? source.substring(source.lastIndexOf('/') + 1) : slug;
    }

    /** Usage that is booked in a later month than its own changes a month that was invoiced. */
    private static boolean isCorrection(LocalDate period, Instant end) {
        return period.isAfter(BookingPeriods.monthOf(end));
    }
}
