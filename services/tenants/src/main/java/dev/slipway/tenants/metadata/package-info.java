/** Loads and lists the objects that are deployed to a tenant. */
@NullMarked
package dev.slipway.tenants.metadata;

import org.jspecify.annotations.NullMarked;
