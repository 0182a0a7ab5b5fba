/** Pure rules of usage facts: validation, attribution, booking and export. */
@NullMarked
package dev.slipway.metering.usage.domain;

import org.jspecify.annotations.NullMarked;
