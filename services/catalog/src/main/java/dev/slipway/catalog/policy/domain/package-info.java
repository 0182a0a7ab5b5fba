/** Outcomes of policy that other parts of the catalog use. */
@NullMarked
package dev.slipway.catalog.policy.domain;

import org.jspecify.annotations.NullMarked;
