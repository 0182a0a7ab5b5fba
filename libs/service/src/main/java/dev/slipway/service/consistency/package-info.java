/** Consistency checks: each service compares its own rows in the background, and claims of other services with its own rows. */
@NullMarked
package dev.slipway.service.consistency;

import org.jspecify.annotations.NullMarked;
