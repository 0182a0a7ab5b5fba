/** What counts as running time; pure. */
@NullMarked
package dev.slipway.metering.usage.domain;

import org.jspecify.annotations.NullMarked;
