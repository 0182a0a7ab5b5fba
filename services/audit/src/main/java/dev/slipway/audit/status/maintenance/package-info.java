/** Maintenance windows. */
@NullMarked
package dev.slipway.audit.status.maintenance;

import org.jspecify.annotations.NullMarked;
