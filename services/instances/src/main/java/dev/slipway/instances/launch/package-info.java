/** Manifests, policy, eligibility inputs, plans and cost estimates of launches, for app instances and shared runtimes. */
@NullMarked
package dev.slipway.instances.launch;

import org.jspecify.annotations.NullMarked;
