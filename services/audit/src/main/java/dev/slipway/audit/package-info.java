/** Keeps what happened and tells it again, by correlation id. */
@NullMarked
package dev.slipway.audit;

import org.jspecify.annotations.NullMarked;
