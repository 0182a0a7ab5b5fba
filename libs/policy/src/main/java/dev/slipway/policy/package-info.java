/** Layered policy: what each level says, and what all of them together leave. No I/O. */
@NullMarked
package dev.slipway.policy;

import org.jspecify.annotations.NullMarked;
