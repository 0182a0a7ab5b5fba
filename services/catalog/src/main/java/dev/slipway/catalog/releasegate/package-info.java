/** Enforces the verdicts of release gates, which the audit service publishes. */
@NullMarked
package dev.slipway.catalog.releasegate;

import org.jspecify.annotations.NullMarked;
