package dev.slipway.metering.runtimehours.domain;

import java.math.BigDecimal;

/** The total usage of an instance in one unit, as reported by its adapter. */
public record ReportedQuantity(String unit, BigDecimal quantity) {}
