/** The deployed objects of tenants. */
@NullMarked
package dev.slipway.tenants.metadata;

import org.jspecify.annotations.NullMarked;
