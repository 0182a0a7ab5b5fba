/** Pure rules of rating: prices, rated lines, cost splits and charges. */
@NullMarked
package dev.slipway.metering.rating.domain;

import org.jspecify.annotations.NullMarked;
