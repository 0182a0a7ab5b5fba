/** Stores what processes report about their components, and serves the health of each component. */
@NullMarked
package dev.slipway.audit.status.component;

import org.jspecify.annotations.NullMarked;
