/** The catalog service: apps and their versions, artifacts, policy, entitlements and registries. */
@NullMarked
package dev.slipway.catalog;

import org.jspecify.annotations.NullMarked;
