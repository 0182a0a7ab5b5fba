/** The evaluation of release gates, without I/O. */
@NullMarked
package dev.slipway.audit.evidence.domain;

import org.jspecify.annotations.NullMarked;
