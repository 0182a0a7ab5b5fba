package dev.slipway.metering.usage.domain;

import java.math.BigDecimal;

/** What an instance has used of a unit in all, as its adapter reported it. */
public record Reported(String unit, BigDecimal quantity) {}
