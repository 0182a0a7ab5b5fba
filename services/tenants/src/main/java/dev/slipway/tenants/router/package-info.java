/** Finds the tenant of a request and gives it a client of the tenant's database. */
@NullMarked
package dev.slipway.tenants.router;

import org.jspecify.annotations.NullMarked;
