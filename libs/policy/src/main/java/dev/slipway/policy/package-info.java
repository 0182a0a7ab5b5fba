/** Layered policy: documents per level, the effective policy, and launch eligibility. Pure, without I/O. */
@NullMarked
package dev.slipway.policy;

import org.jspecify.annotations.NullMarked;
