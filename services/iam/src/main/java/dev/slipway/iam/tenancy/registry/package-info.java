/** Registers actions and changes their lifecycle. */
@NullMarked
package dev.slipway.iam.tenancy.registry;

import org.jspecify.annotations.NullMarked;
