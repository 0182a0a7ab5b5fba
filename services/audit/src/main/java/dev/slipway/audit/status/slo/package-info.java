/** Service level objectives: definitions, measurements and stored results. */
@NullMarked
package dev.slipway.audit.status.slo;

import org.jspecify.annotations.NullMarked;
