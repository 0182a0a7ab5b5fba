/** The running time of app instances and of the controllers of shared runtimes, derived from lifecycle events and bounded by heartbeats. */
@NullMarked
package dev.slipway.metering.runtimehours;

import org.jspecify.annotations.NullMarked;
