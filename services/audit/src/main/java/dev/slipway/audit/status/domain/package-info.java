/** Decisions that combine components, objectives, incidents and maintenance. */
@NullMarked
package dev.slipway.audit.status.domain;

import org.jspecify.annotations.NullMarked;
