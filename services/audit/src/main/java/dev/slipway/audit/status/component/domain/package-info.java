/** The health of a component, from the reports of its processes. */
@NullMarked
package dev.slipway.audit.status.component.domain;

import org.jspecify.annotations.NullMarked;
