/** The registry of actions. */
@NullMarked
package dev.slipway.iam.tenancy.registry;

import org.jspecify.annotations.NullMarked;
