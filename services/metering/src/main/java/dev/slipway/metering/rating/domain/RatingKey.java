package dev.slipway.metering.rating.domain;

import java.time.LocalDate;
import java.util.UUID;

/** The usage of one unit by one organization in one month: tiers and included quantities apply to all of it together. */
public record RatingKey(UUID orgId, String unit, LocalDate usageMonth) {}
