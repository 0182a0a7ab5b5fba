package dev.slipway.metering.usage.domain;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;

/** What an instance has used up to now, exactly. */
public record Usage(
        Attribution attribution,
        BigDecimal quantitySeconds,
        boolean running,
        Instant firstStartedAt,
        List<Reported> reported) {}
