/** How requests name their tenant, without I/O. */
@NullMarked
package dev.slipway.tenants.router.domain;

import org.jspecify.annotations.NullMarked;
