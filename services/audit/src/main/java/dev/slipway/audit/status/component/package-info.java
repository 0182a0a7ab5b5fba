/** The components that processes report. */
@NullMarked
package dev.slipway.audit.status.component;

import org.jspecify.annotations.NullMarked;
