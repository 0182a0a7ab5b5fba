/** Serves the usage of tenants and checks of their quotas. */
@NullMarked
package dev.slipway.tenants.usage;

import org.jspecify.annotations.NullMarked;
