/** Traces, metrics and correlation ids of a process. */
@NullMarked
package dev.slipway.telemetry;

import org.jspecify.annotations.NullMarked;
