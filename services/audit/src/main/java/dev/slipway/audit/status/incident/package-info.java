/** Opens incidents for operators and Alertmanager alerts, and publishes their updates. */
@NullMarked
package dev.slipway.audit.status.incident;

import org.jspecify.annotations.NullMarked;
