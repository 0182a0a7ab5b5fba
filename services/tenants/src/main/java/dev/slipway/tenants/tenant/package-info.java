/** Stores tenants and publishes their events. */
@NullMarked
package dev.slipway.tenants.tenant;

import org.jspecify.annotations.NullMarked;
