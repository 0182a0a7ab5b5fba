/** Calls, audit records and events, append-only, and the timeline made of them. */
@NullMarked
package dev.slipway.audit.timeline;

import org.jspecify.annotations.NullMarked;
