/** Resolves the tenant that a request names, without I/O. */
@NullMarked
package dev.slipway.tenants.router.domain;

import org.jspecify.annotations.NullMarked;
