/** Tenants, their plans, isolation levels and lifecycle, without I/O. */
@NullMarked
package dev.slipway.tenants.tenant.domain;

import org.jspecify.annotations.NullMarked;
