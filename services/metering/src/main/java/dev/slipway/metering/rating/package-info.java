/** Rating: prices of usage units, rated lines, cost splits of shared runtimes and statements. */
@NullMarked
package dev.slipway.metering.rating;

import org.jspecify.annotations.NullMarked;
