/** Schedules, starts, completes and cancels maintenance windows, and publishes them. */
@NullMarked
package dev.slipway.audit.status.maintenance;

import org.jspecify.annotations.NullMarked;
