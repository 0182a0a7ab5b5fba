/** The tamper-evident audit log: one per organization and one for the platform. */
@NullMarked
package dev.slipway.audit.log;

import org.jspecify.annotations.NullMarked;
