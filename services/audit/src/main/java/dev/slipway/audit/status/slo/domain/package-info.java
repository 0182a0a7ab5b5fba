/** Service level objectives and how they are evaluated. */
@NullMarked
package dev.slipway.audit.status.slo.domain;

import org.jspecify.annotations.NullMarked;
