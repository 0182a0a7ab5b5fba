/** Decides which status changes of an incident are allowed, without I/O. */
@NullMarked
package dev.slipway.audit.status.incident.domain;

import org.jspecify.annotations.NullMarked;
