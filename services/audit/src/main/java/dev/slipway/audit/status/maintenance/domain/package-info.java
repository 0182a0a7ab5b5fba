/** Decides which status changes of a maintenance window are allowed, without I/O. */
@NullMarked
package dev.slipway.audit.status.maintenance.domain;

import org.jspecify.annotations.NullMarked;
