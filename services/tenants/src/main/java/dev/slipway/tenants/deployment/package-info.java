/** Deploys bundles of metadata to tenants: objects become tables, and everything else is stored and versioned. */
@NullMarked
package dev.slipway.tenants.deployment;

import org.jspecify.annotations.NullMarked;
