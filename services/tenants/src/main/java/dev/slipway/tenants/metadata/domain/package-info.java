/** Definitions of deployed objects, without I/O. */
@NullMarked
package dev.slipway.tenants.metadata.domain;

import org.jspecify.annotations.NullMarked;
