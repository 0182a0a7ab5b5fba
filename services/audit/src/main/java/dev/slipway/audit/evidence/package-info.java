/** Release candidates, their evidence, and the gates that decide on promotion. */
@NullMarked
package dev.slipway.audit.evidence;

import org.jspecify.annotations.NullMarked;
