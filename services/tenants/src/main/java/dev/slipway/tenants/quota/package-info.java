/** Enforces the quotas of tenants and measures their usage. */
@NullMarked
package dev.slipway.tenants.quota;

import org.jspecify.annotations.NullMarked;
