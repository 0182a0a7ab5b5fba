/** The description of the caller. */
@NullMarked
package dev.slipway.iam.tenancy.me;

import org.jspecify.annotations.NullMarked;
