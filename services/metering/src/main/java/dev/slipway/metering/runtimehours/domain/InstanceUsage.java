package dev.slipway.metering.runtimehours.domain;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;

/** The exact usage of an instance up to now. */
public record InstanceUsage(
        InstanceAttribution attribution,
        BigDecimal quantitySeconds,
        boolean running,
        Instant firstStartedAt,
        List<ReportedQuantity> reported) {}
