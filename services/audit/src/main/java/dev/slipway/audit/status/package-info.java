/** The status of the platform: public page, posture, release readiness and metrics. */
@NullMarked
package dev.slipway.audit.status;

import org.jspecify.annotations.NullMarked;
