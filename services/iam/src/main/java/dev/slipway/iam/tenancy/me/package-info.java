/** Describes the caller: its identity and its role bindings. */
@NullMarked
package dev.slipway.iam.tenancy.me;

import org.jspecify.annotations.NullMarked;
