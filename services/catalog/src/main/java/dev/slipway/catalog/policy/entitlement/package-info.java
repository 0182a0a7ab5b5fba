/** Entitlements of projects to apps, and the resulting launch eligibility. */
@NullMarked
package dev.slipway.catalog.policy.entitlement;

import org.jspecify.annotations.NullMarked;
