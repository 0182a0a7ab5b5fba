/** The audit service: stores audit records, events and the access log, and serves them by correlation id. */
@NullMarked
package dev.slipway.audit;

import org.jspecify.annotations.NullMarked;
