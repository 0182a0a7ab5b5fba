/** Access-log records, audit records and events by correlation id. */
@NullMarked
package dev.slipway.audit.correlation;

import org.jspecify.annotations.NullMarked;
