/** Validates bundles, compares them with what is deployed and plans the migration, without I/O. */
@NullMarked
package dev.slipway.tenants.deployment.domain;

import org.jspecify.annotations.NullMarked;
