/** Serves the records of deployed objects. */
@NullMarked
package dev.slipway.tenants.data;

import org.jspecify.annotations.NullMarked;
