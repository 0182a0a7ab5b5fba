/** Serves the runtime context of the tenant of a request. */
@NullMarked
package dev.slipway.tenants.context;

import org.jspecify.annotations.NullMarked;
