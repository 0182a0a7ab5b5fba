/** The lifecycle of an incident. */
@NullMarked
package dev.slipway.audit.status.incident.domain;

import org.jspecify.annotations.NullMarked;
