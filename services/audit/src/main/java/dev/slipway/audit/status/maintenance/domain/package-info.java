/** The lifecycle of a maintenance window. */
@NullMarked
package dev.slipway.audit.status.maintenance.domain;

import org.jspecify.annotations.NullMarked;
