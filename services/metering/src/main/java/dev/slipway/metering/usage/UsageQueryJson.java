package dev.slipway.metering.usage;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.slipway.metering.usage.UsageQueryStore.StoredFact;
import dev.slipway.metering.usage.UsageQueryStore.UsageSum;
import dev.slipway.metering.usage.domain.FactAttribution;
import dev.slipway.metering.usage.domain.UsageQuery;
import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/** The JSON of usage queries. */
final class UsageQueryJson {
    private UsageQueryJson() {}

    /** A page and how current it is. */
    record FreshPage(
            Instant asOf,
            double lagSeconds,
            List<?> items,
            @Nullable String nextCursor) {}

    /** A sum of facts. */
    record Line(
            String lineId,
            Instant bucketStart,
            Instant bucketEnd,
            String unit,
            int unitVersion,
            String quantity,
            long facts,
            Map<String, @Nullable String> group) {

        static Line of(UsageQuery query, UsageSum sum) {
            var group = new TreeMap<String, @Nullable String>();
            var values = new TreeMap<>(query.filters());
            for (var i = 0; i < query.groupBy().size(); i++) {
                var value = sum.values().get(i);
                group.put(query.groupBy().get(i), value);
                values.put(query.groupBy().get(i), value == null ? "" : value);
            }
            values.put("unit", sum.unit());
            values.put("unit_version", String.valueOf(sum.unitVersion()));
            var end = query.endOf(sum.bucketStart());
            return new Line(
                    new UsageLineId(sum.bucketStart(), end, values).encode(),
                    sum.bucketStart(),
                    end,
                    sum.unit(),
                    sum.unitVersion(),
                    decimal(sum.quantity()),
                    sum.facts(),
                    group);
        }
    }

    /** A fact with the audit entry and the trace of its report. */
    record FactItem(
            String source,
            String id,
            String unit,
            int unitVersion,
            String quantity,
            Instant windowStart,
            Instant windowEnd,
            String period,
            Instant receivedAt,
            UUID orgId,
            @JsonUnwrapped FactAttribution attribution,
            @Nullable String corrects,
            String bodyHash,
            FactEvidence evidence) {

        /** Hides from a project which other project contributed capacity to it. */
        static FactItem of(StoredFact stored, @Nullable UUID reader) {
            var fact = stored.fact();
            var attribution = fact.attribution();
            var hidden = reader != null && !reader.equals(attribution.sourceProjectId());
            return new FactItem(
                    fact.key().source(),
                    fact.key().factId(),
                    fact.unit(),
                    fact.unitVersion(),
                    decimal(fact.quantity()),
                    fact.windowStart(),
                    fact.windowEnd(),
                    fact.period().toString(),
                    stored.receivedAt(),
                    fact.orgId(),
                    hidden ? attribution.withoutSourceProject() : attribution,
                    fact.corrects() == null ? null : fact.corrects().factId(),
                    fact.bodyHash(),
                    FactEvidence.of(stored));
        }
    }

    /** The origin of a fact: its audit entry, its correlation and its trace. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record FactEvidence(
            @Nullable UUID auditEntryId,
            @Nullable String auditEntry,
            @Nullable String correlationId,
            @Nullable String correlation,
            @Nullable String traceId) {

        static FactEvidence of(StoredFact stored) {
            var auditEntryId = stored.auditEntryId();
            var correlationId = stored.fact().correlationId();
            return new FactEvidence(
                    auditEntryId,
                    auditEntryId == null
                            ? null
                            : "/api/v1/orgs/" + stored.fact().orgId() + "/audit/" + auditEntryId,
                    correlationId,
                    correlationId == null ? null : "/api/v1/correlations/" + correlationId,
                    stored.traceId());
        }
    }

    /** The result of a comparison of the sums with the facts. */
    record ComparisonBody(
            String period,
            Instant asOf,
            boolean consistent,
            long facts,
            long wrongHours,
            long wrongMonths,
            long wrongIds,
            double lagSeconds) {}

    static String decimal(BigDecimal value) {
        return value.stripTrailingZeros().toPlainString();
    }
}
