/** Counts what the platform's resources were used for. */
@NullMarked
package dev.slipway.metering;

import org.jspecify.annotations.NullMarked;
