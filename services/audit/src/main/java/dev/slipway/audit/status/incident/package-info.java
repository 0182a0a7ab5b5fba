/** Incidents, opened by operators and by Alertmanager. */
@NullMarked
package dev.slipway.audit.status.incident;

import org.jspecify.annotations.NullMarked;
