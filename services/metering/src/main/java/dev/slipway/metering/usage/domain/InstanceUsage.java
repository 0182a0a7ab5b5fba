package dev.slipway.metering.usage.domain;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;

/** The exact usage of an instance up to now. */
public record InstanceUsage(
        UsageAttribution attribution,
        BigDecimal quantitySeconds,
        boolean running,
        Instant firstStartedAt,
        List<ReportedQuantity> reported) {}
